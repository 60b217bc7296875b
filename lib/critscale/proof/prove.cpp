// Uses prove.hpp.
#include "critscale/proof/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "critscale/text/detail/expression.hpp"
#include "critscale/text/print.hpp"

namespace critscale {
namespace {

constexpr long grid = 64, finest_x = 4096;
constexpr Bits refutation_bits = 256;

/// A lower bound of |x|, for the search only.
double magnitude(const Ball& x) {
  if (!x.is_finite()) return 0;
  arf_t low;
  arf_init(low);
  arb_get_abs_lbound_arf(low, x.raw(), 53);
  const double v = arf_get_d(low, ARF_RND_DOWN);
  arf_clear(low);
  return v;
}

/// Looks for large |Q - L| n^k (ln n)^-p: random points with corners over-represented, then changes
/// of one or two coordinates of the best.
class Sampler {
 public:
  explicit Sampler(const TailProblem& problem) : problem_(problem) {}

  using Unit = std::vector<Rational>;
  struct Point {
    double size = -1;
    Unit unit;
    SamplePoint point;
  };

  Point best() {
    Point best;
    for (int i = 0; i < 2000; ++i) keep_larger(best, random_unit());
    if (best.size < 0) return best;
    for (int i = 0; i < 1500; ++i) {
      Unit unit = best.unit;
      for (long changes = 1 + pick(2); changes > 0; --changes) {
        const std::size_t c = static_cast<std::size_t>(pick(static_cast<long>(unit.size())));
        const Rational moved = unit[c] + Rational(pick(17) - 8, grid);
        unit[c] = pick(2) == 0 ? coordinate(c) : std::clamp(moved, Rational(0), Rational(1));
        if (c == 0 && unit[0] == 0) unit[0] = Rational(1, finest_x);
      }
      keep_larger(best, std::move(unit));
    }
    return best;
  }
  Unit random_unit() {
    Unit unit;
    for (std::size_t i = 0; i < problem_.sample_size(); ++i) unit.push_back(coordinate(i));
    return unit;
  }

 private:
  long pick(long n) { return static_cast<long>(random_() % static_cast<unsigned long>(n)); }
  Rational coordinate(std::size_t i) {
    // n is sampled evenly in ln n on a logarithmic scale: x = 1, 1/2, 1/4, ... and between.
    if (i == 0) return pick(2) == 0 ? Rational(1 + pick(grid), grid) : Rational(1, 1 + pick(finest_x));
    const long kind = pick(4);
    return kind == 0 ? Rational(0) : kind == 1 ? Rational(1) : Rational(pick(grid + 1), grid);
  }
  void keep_larger(Point& best, Unit unit) {
    std::optional<SamplePoint> point = problem_.sample(unit);
    if (!point) return;
    const auto bound = problem_.bound(point->box);
    if (!bound) return;
    const double size = magnitude(*bound);
    if (size > best.size) best = {size, std::move(unit), std::move(*point)};
  }

  const TailProblem& problem_;
  std::mt19937_64 random_{20260101};
};

/// A fraction of that many decimal digits, at least about v.
Rational rounded_up(double v, int digits) {
  if (!(v > 0)) return 1;
  const int e = static_cast<int>(std::floor(std::log10(v))) - (digits - 1);
  const long m = static_cast<long>(std::ceil(v / std::pow(10.0, e)));
  return parse_rational(fmt::format("{}e{}", m, e));
}

/// Context lengths at which counterexamples are looked for.
std::vector<PowerProduct> context_lengths(const Rational& N) {
  Integer first = numerator(N) / denominator(N);
  if (!is_integer(N)) ++first;
  std::vector<PowerProduct> lengths{PowerProduct(first), PowerProduct(Integer(2 * first)),
                                    PowerProduct(Integer(10 * first))};
  for (const long e : {6, 9, 12, 18, 30, 60, 100, 300, 1000, 10000, 1000000}) {
    const PowerProduct n = PowerProduct::power(10, e);
    if (compare(n, lengths.front()) > 0) lengths.push_back(n);
  }
  return lengths;
}

class Decision {
 public:
  Decision(const TailRequest& request, std::atomic<long>* progress)
      : request_(request), progress_(progress), claim_(request.claim) {
    if (!request.rate_given) {
      claim_.k = natural_rate(claim_);
      claim_.p = natural_log_power(claim_);
    }
    if (!request.constant_given) claim_.C = 1;
    if (claim_.C < 0) throw InputError(fmt::format("C = {} is negative", to_string(claim_.C)));
    problem_ = make_tail_problem(claim_);
    if (!request.limit_given) claim_.limit = derived_limit(claim_);
  }

  TailResult run() {
    TailResult result;
    result.claim = claim_;
    Sampler::Point best = Sampler(*problem_).best();
    if (best.size < 0) {
      // Few points of the box are points of the claim.
      auto point = problem_->find();
      if (!point)
        throw InputError("the claim speaks of nothing: no gamma with these gaps was found in its box");
      point->box[0] = {1, 1};
      const auto bound = problem_->bound(point->box);
      best = {bound ? magnitude(*bound) : 0, {}, std::move(*point)};
    }
    for (const auto& parameter : best.point.parameters)
      if (parameter.first != "n/d") result.witness.push_back(parameter);
    result.sampled = fmt::format("{:.4g}", best.size);
    if (const auto other = different_limit()) {
      result.outcome = ProofOutcome::refuted;
      result.detail = *other;
      return result;
    }
    // The same function in other words: certificates use one text for one limit.
    result.claim.limit = claim_.limit = derived_limit(claim_);
    if (request_.constant_given || request_.rate_given) {
      if (const auto found = counterexample(best)) {
        result.outcome = ProofOutcome::refuted;
        result.detail = *found;
        return result;
      }
    }
    prove(result, best.size);
    return result;
  }

 private:
  void prove(TailResult& result, double supremum) {
    double tried = 0;
    if (request_.constant_given) {
      attempt(result, claim_.C, request_.limits.leaves);
    } else {
      // Tight constants cost leaves, on three bands many: what is not reached soon is given up. Where two
      // digits would waste what they cost, C has three.
      struct Attempt {
        double ratio;
        long leaves;
        int digits = 2;
      };
      const std::vector<Attempt> simplex{{1.5, 8000}, {1.59, 25000, 3}, {1.85, 100000}},
          bands{{1.85, 1500}, {1.99, 12000, 3}, {2.7, 10000}};
      std::vector<Attempt> attempts = claim_.geometry == "simplex" ? simplex : bands;
      attempts.insert(attempts.end(), {{3.7, 100000}, {7.5, 100000}, {15, request_.limits.leaves}});
      for (const Attempt& a : attempts) {
        if (a.ratio > static_cast<double>(request_.max_ratio)) break;
        tried = a.ratio;
        attempt(result, rounded_up(a.ratio * supremum, a.digits), std::min(a.leaves, request_.limits.leaves));
        if (result.outcome == ProofOutcome::proved) break;
      }
    }
    if (result.outcome == ProofOutcome::proved)
      result.tightness = result.claim.C.convert_to<double>() / supremum;
    else
      result.detail = fmt::format(
          "undecided at the limit of {} leaves{}: {} on a box of {} coordinates with ranges "
          "(the largest value found is {}); narrower ranges, a larger N or a larger C need fewer",
          request_.limits.leaves, request_.limits.deadline ? " or the time limit" : "",
          tried == 0 ? "not covered" : fmt::format("no C up to {:.3g} times the largest value found", tried),
          std::count_if(problem_->box().begin(), problem_->box().end(),
                        [](const RationalBox& range) { return !range.is_point(); }),
          result.sampled);
  }
  void attempt(TailResult& result, const Rational& C, long leaves) {
    BisectionLimits limits = request_.limits;
    limits.leaves = leaves;
    result.claim.C = C;
    // A little below C where C is free, for a checker whose arithmetic is coarser.
    const Rational target = request_.constant_given ? C : Rational(C * 15 / 16);
    result.evidence = bisect(
        problem_->box(), [this](const Box& leaf) { return problem_->bound(leaf); }, target, limits,
        progress_);
    if (result.evidence.complete) result.outcome = ProofOutcome::proved;
  }

  /// A point, exact in every parameter and n, at which the claim is false.
  std::optional<std::string> counterexample(const Sampler::Point& best) const {
    std::vector<SamplePoint> points{best.point};
    Sampler sampler(*problem_);
    for (int i = 0; i < 300; ++i)
      if (auto point = problem_->sample(sampler.random_unit())) points.push_back(std::move(*point));
    const Ball C(claim_.C, refutation_bits);
    // Without a given constant only an unbounded quantity refutes: nothing finite does.
    if (!request_.constant_given) return std::nullopt;
    for (const SamplePoint& point : points) {
      for (const PowerProduct& n : context_lengths(claim_.N)) {
        const Ball tau = log(n, refutation_bits);
        const auto d = problem_->difference(point.box, {tau, tau});
        if (!d || !certainly(greater(abs(d->scaled), C))) continue;
        const PrintedValue shown = print(abs(d->scaled), 12);
        return fmt::format("at n = {}, {}: |Q - L| n^k (ln n)^-p lies in [{}, {}], above C = {}",
                           n.to_string(), point.text(), shown.lo, shown.hi, to_string(claim_.C));
      }
    }
    return std::nullopt;
  }

  /// A point where the claimed limit is not the limit, with both exact values.
  std::optional<std::string> different_limit() const {
    if (!request_.limit_given) return std::nullopt;
    if (claim_.quantity == "log_partition") {
      TailClaim derived = claim_;
      derived.limit = derived_limit(claim_);
      if (derived.limit == claim_.limit) return std::nullopt;
      throw InputError(fmt::format("the leading term of log_partition is written {}", derived.limit));
    }
    const Expression claimed(claim_.limit);
    std::mt19937_64 random{7};
    for (int i = 0; i < 40; ++i) {
      std::map<std::string, Rational> at;
      for (const char* name : {"theta", "r", "rho", "alpha", "q"}) {
        const auto range = claim_.box.find(name);
        if (range == claim_.box.end()) continue;
        const Rational t(1 + static_cast<long>(random() % 63), 64);  // ends of a range may be excluded
        at[name] = range->second.lo + t * (range->second.hi - range->second.lo);
      }
      at["d"] = 1000 + static_cast<long>(random() % 1000);
      // q must be a square for exact values; the limit is a rational function of sqrt q.
      Rational root = parse_rational(fmt::format("{:.3f}", std::sqrt(at["q"].convert_to<double>())));
      const RationalBox& q = claim_.box.at("q");
      if (root * root < q.lo || root * root > q.hi) {
        if (i + 1 < 40) continue;
      }
      at["q"] = root * root;
      at["root_q"] = root;
      const Rational theirs = claimed.evaluate_exactly([&](const std::string& name) {
        const auto found = at.find(name);
        if (found == at.end())
          throw InputError(fmt::format("the limit names {}, which the claim does not have", in_quotes(name)));
        return found->second;
      });
      const Rational ours = problem_->limit_at(at);
      if (theirs == ours) continue;
      std::string text;
      for (const char* name : {"theta", "r", "rho", "alpha", "q"})
        if (at.count(name))
          text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, to_string(at[name]));
      return fmt::format("at {} the limit is {}, not {}", text, to_string(ours), to_string(theirs));
    }
    return std::nullopt;
  }

  TailRequest request_;
  std::atomic<long>* progress_;
  TailClaim claim_;
  std::unique_ptr<TailProblem> problem_;
};

}  // namespace

TailResult decide(const TailRequest& request, std::atomic<long>* progress) {
  return Decision(request, progress).run();
}

}  // namespace critscale
