// Uses class_claim.hpp.
#include "critscale/proof/class_claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "critscale/number/quote.hpp"
#include "critscale/proof/detail/row_groups.hpp"
#include "critscale/proof/exponents.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {
namespace {

constexpr Bits working_bits = 64;

Ball number(const Rational& v) { return Ball(v, working_bits); }
Ball number(const RationalBox& r) { return Ball::hull(r.lo, r.hi, working_bits); }

struct Inequality {
  const char *theorem, *quantity, *relation, *ratio, *rate;
};
constexpr const char *below = "gamma*(1-rho1)", *above = "gamma*(1-rho2)", *rate_below = "1-gamma*(1-rho1)",
                     *rate_above = "gamma*(1-rho2)-1",
                     *rate_squares = "min(2-2*gamma*(1-rho1),1-gamma*(rho2-rho1))";
constexpr std::array inequalities = {
    Inequality{"2.3", "inner_products-rho1", ">=", below, "0"},
    Inequality{"2.3", "inner_products-rho1/(1-kappa)", ">=", below, rate_below},
    Inequality{"2.3", "attention_displacement", "<=", above, rate_above},
    Inequality{"2.3", "inner_product_change", "<=", above, rate_above},
    Inequality{"2.5", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", "<=", below, rate_squares},
    Inequality{"2.5", "jacobian_norm/(1-1/d)", ">=", above, "0"},
    Inequality{"2.5", "jacobian_norm/(1-1/d)-1/q2", ">=", above, rate_above},
    Inequality{"C.2", "far_mass", ">=", "", "0"},
    Inequality{"C.2", "near_mass", ">=", "", "0"},
    Inequality{"C.2", "self_weight", ">=", "", "0"},
    Inequality{"C.2", "far_mass-1", ">=", "", "gap"},
    Inequality{"C.2", "near_mass-1", ">=", "", "gap"},
    Inequality{"C.2", "self_weight-1", ">=", "", "gap"},
    Inequality{"C.2", "leading_mass", ">=", "", "0"},
    Inequality{"C.2", "leading_mass-1", ">=", "", "gap"},
};

const Inequality& inequality(const std::string& quantity) {
  for (const Inequality& i : inequalities)
    if (quantity == i.quantity) return i;
  std::string allowed;
  for (const Inequality& i : inequalities)
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", i.quantity);
  throw InputError(fmt::format("no class claim about {}; allowed: {}", in_quotes(quantity), allowed));
}

// Exponents of n as forms: near the simplex in sigma = |gamma ratio - 1| and chi = gamma (1 - rho2), on
// rows of bands in the exponents of the clusters' sizes and the smallest gap.
const LinearForm zero{0, {}}, one{1, {}}, first{0, {1}}, second{0, {0, 1}};

Rate rate_forms(const ClassClaim& claim) {
  if (claim.k == rate_below && class_ratio(claim.quantity) == below) return {first};
  if (claim.k == rate_squares && class_ratio(claim.quantity) == below) return {{0, {2}}, {0, {1, 1}}};
  if (claim.k == rate_above && class_ratio(claim.quantity) == above) return {first};
  if (claim.k == "gap" && claim.name != "near-simplex") return {RowGroups(claim).gap()};
  return {{parse_rational(claim.k), {}}};
}

/// [near-simplex] on a leaf.
class NearSimplexBound {
 public:
  NearSimplexBound(const ClassClaim& claim, const Box& leaf, const LogRange& tau)
      : claim_(claim),
        is_below_(class_ratio(claim.quantity) == below),
        exponents_(exponents(leaf)),
        rate_(rate_forms(claim)),
        power_(rate_, claim.p, exponents_, tau, none_),
        rho1_(number(leaf[0])),
        spread_(number(leaf[1])),
        g_(number(leaf[2])),
        alpha_(leaf[3]),
        q_(claim.box.at("q")),
        per_dimension_(number(most_tokens_per_dimension(claim))) {
    u_ = power_(one).value;
    vanishing_ = power_(first).value;
    share_ = share_of(vanishing_);
    scaled_ = claim.k == "0" && claim.p == 0 ? share_ : power_(first).scaled / (vanishing_ * (1 - u_) + 1);
  }

  Ball bound() const {
    const std::string& quantity = claim_.quantity;
    if (quantity == "inner_products-rho1") return growth();
    if (quantity == "inner_products-rho1/(1-kappa)") return distance_from_growth();
    if (quantity == "attention_displacement") return displacement();
    if (quantity == "inner_product_change") return change();
    if (quantity == "jacobian_norm/(1-1/d)") return kept_jacobian();
    if (quantity == "jacobian_norm/(1-1/d)-1/q2") return distance_from_kept_jacobian();
    return vanishing_jacobian();
  }

 private:
  Box exponents(const Box& leaf) const {
    const RationalBox whole{1, 1};
    if (!is_below_) return {leaf[2] - whole, whole};
    return {whole - leaf[2], leaf[2] * (whole - leaf[1] / (whole - leaf[0]))};
  }
  Ball depth2() const { return 1 - rho1_ - spread_; }
  /// v/(1 + (1-u) v), which rises with v.
  Ball share_of(const Ball& v) const {
    const auto at = [&](const Dyadic& end) {
      const Ball x = Ball::exactly(end, working_bits);
      return Ball(x / (1 + (1 - u_) * x));
    };
    return hull(at(v.lower()), at(v.upper()));
  }

  // gamma (1 - rho1) < 1. Every A_ii <= A, every other A_ik <= A n^-chi.
  /// v/(v + 1 - u), which rises with v.
  Ball self_weight() const {
    const auto at = [&](const Dyadic& end) {
      const Ball x = Ball::exactly(end, working_bits);
      return Ball(x / (x + 1 - u_));
    };
    return hull(at(vanishing_.lower()), at(vanishing_.upper()));
  }
  /// (2s+1)/(1+s)^2 = 1 - (1 - sigma)^2 with sigma = 1/(1+s).
  Ball sigma() const { return 1 / (1 + number(alpha_) * sqrt(number(q_.hi))); }
  Ball kappa_limit() const { return depth2() * (1 - sqr(1 - sigma())); }
  Ball kappa() const {
    const Ball A = self_weight();
    return depth2() * (1 - A) * (1 - sqr(1 - sigma()) + A * (1 - power_(second).value) * sqr(sigma()));
  }
  Ball growth() const { return -(rho1_ * kappa() / (1 - kappa())) * power_(zero).scaled; }
  /// rho1/(1-kappa) falls short of its limit by rho1 (kappa' - kappa)/((1-kappa)(1-kappa')).
  Ball distance_from_growth() const {
    const Ball A = self_weight(), scaled = power_(first).scaled / (vanishing_ + 1 - u_);
    const Ball s = sigma();
    const Ball missing =
        depth2() * scaled * (2 * s * (1 - s) + sqr(s) * (A + (1 - A) * power_(second).value));
    return rho1_ * missing / ((1 - kappa()) * (1 - kappa_limit()));
  }
  Ball vanishing_jacobian() const {
    const Ball total = vanishing_ + 1 - u_, A = self_weight(), nothing(0, working_bits);
    const Ball rho2 = rho1_ + spread_, gamma = g_ / (1 - rho1_);
    const Ball along = max(rho2 * (rho2 + depth2() * A * power_(second).value) - rho1_, nothing);
    const Ball apart = (1 - 2 * rho1_ + rho2 + depth2() * A) * (1 - sqr(rho1_));
    const Ball stretch = 1 + per_dimension_ * (2 * (gamma * power_(one, 1).value * along) +
                                               sqr(gamma) * power_(one, 2).value * apart);
    const Ball others = power_({0, {1, 1}}).scaled / total * (1 - min(A, number(Rational(1, 2)))) * stretch;
    return (others + power_({0, {2}}).scaled / sqr(total) +
            2 * g_ * per_dimension_ * power_({1, {1}}, 1).scaled / total) /
           number(q_.lo);
  }

  // gamma (1 - rho2) > 1. The others weigh at most W times the token, each of them at most n^-gamma(1-rho2).
  Ball W() const { return (1 - u_) * vanishing_; }
  Ball displacement() const {
    return scaled_ * sqrt((1 - u_) * ((1 - u_) * (1 - rho1_ + spread_) + u_ * depth2()));
  }
  Ball change() const {
    const Ball rho2 = rho1_ + spread_, s1 = 1 + number(alpha_) * sqrt(number(q_.lo));
    // t, tau and y of the theory over n^-sigma/(1+W), and tau itself.
    const Ball T = (1 - u_) / s1, t = share_ * T, tau = T * (2 - t), moved = 1 - sqr(1 - t);
    const Ball h = u_ * vanishing_, y = depth2() * (tau - T * h / s1),
               turned = depth2() * (moved - t * h / s1);
    const Ball shared = 2 * depth2() * u_ * (1 + W()) / s1;
    const Ball up = (spread_ * tau + shared + rho1_ * (1 - rho1_) * tau) / (1 - (1 - rho1_) * moved);
    const Ball both = (spread_ * tau - rho2 * y) / (1 - turned);
    const Ball one_moves = spread_ * T - rho2 * y / 2 + spread_ * T * turned / 2;
    return scaled_ * max(max(up, both), max(one_moves, Ball(0, working_bits)));
  }
  Ball kept_jacobian() const { return -(power_(zero).scaled / (number(q_.hi) * sqr(1 + W()))); }
  Ball distance_from_kept_jacobian() const {
    return scaled_ * (1 - u_) * (1 + 1 / (1 + W())) / number(q_.hi);
  }

  const ClassClaim& claim_;
  bool is_below_;
  Box exponents_;
  Rate rate_;
  const Rate none_;
  Vanishing power_;
  Ball rho1_, spread_, g_;
  RationalBox alpha_, q_;
  Ball per_dimension_;  ///< at least n/d
  /// 1/n, v = n^-sigma, v/(1 + (1-u) v), and the last on the claim's scale.
  Ball u_, vanishing_, share_, scaled_;
};

/// [nested-bands] on a leaf.
Ball row_bound(const ClassClaim& claim, const Box& leaf, const LogRange& tau) {
  const RowGroups groups(claim);
  const Box exponents(leaf.begin(), leaf.end() - 1);
  const Rate rate = rate_forms(claim), none;
  const Vanishing power(rate, claim.p, exponents, tau, none);
  // Keys of a group over n^(its size's exponent).
  const auto filled = [&](std::size_t t) {
    return t == 0 ? Ball(1, working_bits)
                  : Ball(1 - power(groups.size_exponent(t) - groups.size_exponent(t - 1)).value);
  };
  Ball keys(0, working_bits);
  for (std::size_t t = 0; t < groups.count(); ++t)
    if (t != groups.lead()) keys += filled(t);
  if (groups.lead() > 0) keys = keys / filled(groups.lead());
  const Difference<Ball> gap = power(groups.gap());
  if (claim.quantity.ends_with("-1")) return keys * gap.scaled / (1 + keys * gap.value);
  return -(power(zero).scaled / (1 + keys * gap.value));
}

std::vector<std::string> coordinate_names(const ClassClaim& claim) {
  if (claim.name != "near-simplex") {
    std::vector<std::string> names = RowGroups::size_names(claim);
    names.insert(names.end(), {"gap", "x"});
    return names;
  }
  return {"rho1", "spread", class_ratio(claim.quantity), "alpha", "x"};
}

Box checked_box(const ClassClaim& claim) {
  const Inequality& i = inequality(claim.quantity);
  const bool bands = claim.name == "interval-bands" || claim.name == "nested-bands";
  if (!bands && claim.name != "near-simplex")
    throw InputError(
        fmt::format("class {} is not near-simplex, interval-bands or nested-bands", in_quotes(claim.name)));
  if (claim.theorem != i.theorem || bands != (claim.theorem == "C.2"))
    throw InputError(
        fmt::format("theorem {} has no claim about {} on {}", claim.theorem, claim.quantity, claim.name));
  if (claim.relation != i.relation)
    throw InputError(fmt::format("the claim about {} has the relation {}", claim.quantity, i.relation));
  Box box;
  for (const std::string& name : coordinate_names(claim)) {
    if (name == "x") continue;
    const auto range = claim.box.find(name);
    if (range == claim.box.end()) throw InputError(fmt::format("the class has no range for {}", name));
    box.push_back(range->second);
  }
  if (claim.N < 2) throw InputError(fmt::format("N = {} is below 2", to_string(claim.N)));
  if (const auto most = claim.box.find("n/d"); most != claim.box.end()) {
    if (bands || !claim.quantity.starts_with("jacobian_norm-"))
      throw InputError(fmt::format("the claim about {} does not depend on n/d", claim.quantity));
    if (!(most->second.lo == 0 && most->second.hi >= 1))
      throw InputError(
          fmt::format("n/d needs an upper end of at least 1, found {}", to_string(most->second.hi)));
  }
  if (bands) {
    RowGroups(claim).require_meaning(claim);
  } else {
    const auto q = claim.box.find("q");
    if (q == claim.box.end() ||
        !(box[0].lo > 0 && box[1].lo >= 0 && box[0].hi + box[1].hi < 1 && box[3].lo >= 0 && q->second.lo > 0))
      throw InputError("a near-simplex class needs 0 < rho1 <= rho2 < 1, alpha >= 0 and q > 0");
    const std::string ratio = class_ratio(claim.quantity);
    if (ratio == below ? !(box[2].lo >= 0 && box[2].hi < 1) : !(box[2].lo > 1))
      throw InputError(fmt::format("{} = {} is not on its side of 1", ratio, to_string(box[2])));
    if (claim.theorem == "2.5" && !(box[3].lo == 0 && box[3].hi == 0))
      throw InputError("theorem 2.5 has alpha = 0");
  }
  rate_forms(claim);
  box.push_back({0, 1});
  return box;
}

/// v rounded up to three digits.
Rational rounded_up(double v) {
  if (v == 0) return 0;
  const int e = static_cast<int>(std::floor(std::log10(std::abs(v)))) - 2;
  const long m = static_cast<long>(std::ceil(v / std::pow(10.0, e)));
  const Rational size = parse_rational(fmt::format("{}e{}", std::abs(m), e));
  return m < 0 ? Rational(-size) : size;
}

/// The bound at one point of the coordinates.
double bound_at(const ClassClaim& claim, const Box& point) {
  const Ball bound = class_bound(claim, point);
  return bound.is_finite() ? arf_get_d(bound.upper().raw(), ARF_RND_UP)
                           : -std::numeric_limits<double>::infinity();
}

/// Goes from a point to better ones beside it, along one coordinate at a time, with falling steps.
double climbed(const ClassClaim& claim, const Box& box, Box point, double worst) {
  const std::size_t x = box.size() - 1;
  for (long parts = 4; parts <= 64; parts *= 2) {
    bool better = true;
    for (int rounds = 0; better && rounds < 8; ++rounds) {
      better = false;
      for (std::size_t c = 0; c <= x; ++c) {
        for (const long direction : {-1L, 1L}) {
          const Rational& at = point[c].lo;
          // x is a logarithmic scale of ln n.
          Rational moved =
              c == x ? at * (direction > 0 ? Rational(parts + 2, parts) : Rational(parts, parts + 2))
                     : Rational(at + direction * (box[c].hi - box[c].lo) / parts);
          moved = std::clamp(moved, c == x ? Rational(1, 1 << 20) : box[c].lo, box[c].hi);
          if (moved == at) continue;
          // Short fractions, still inside.
          if (c == x) moved = Rational(Integer(numerator(moved) * 4096 / denominator(moved)) + 1, 4096);
          Box other = point;
          other[c] = {std::min(moved, box[c].hi), std::min(moved, box[c].hi)};
          const double v = bound_at(claim, other);
          if (v > worst) worst = v, point = std::move(other), better = true;
        }
      }
    }
  }
  return worst;
}

/// Large values of the bound: at corners and middles of the box and at n = N, N^2, N^4, ..., and what can be
/// reached from the largest of them.
double largest_found(const ClassClaim& claim, const Box& box) {
  double worst = -std::numeric_limits<double>::infinity();
  Box best;
  const std::size_t x = box.size() - 1;
  long combinations = 1;
  for (std::size_t c = 0; c < x; ++c) combinations *= 3;
  for (long i = 0; i < combinations; ++i) {
    Box point = box;
    for (std::size_t c = 0, digits = static_cast<std::size_t>(i); c < x; ++c, digits /= 3) {
      const Rational at = box[c].lo + (box[c].hi - box[c].lo) * static_cast<long>(digits % 3) / 2;
      point[c] = {at, at};
    }
    for (long step = 1; step <= 1024; step *= 2) {
      point[x] = {Rational(1, step), Rational(1, step)};
      const double v = bound_at(claim, point);
      if (v > worst) worst = v, best = point;
    }
  }
  return best.empty() ? worst : climbed(claim, box, std::move(best), worst);
}

}  // namespace

Rational most_tokens_per_dimension(const ClassClaim& claim) {
  const auto most = claim.box.find("n/d");
  return most == claim.box.end() ? Rational(1) : most->second.hi;
}

std::string class_relation(const std::string& quantity) { return inequality(quantity).relation; }
std::string class_ratio(const std::string& quantity) { return inequality(quantity).ratio; }
std::string class_rate(const std::string& quantity) { return inequality(quantity).rate; }

Rational class_exponent(const ClassClaim& claim, const Rational& first, const Rational& second) {
  const Box point{{first, first}, {second, second}};
  std::optional<Rational> least;
  for (const LinearForm& form : rate_forms(claim)) {
    const Rational k = form.over(point).lo;
    least = least ? std::min(*least, k) : k;
  }
  return *least;
}

Ball class_bound(const ClassClaim& claim, const Box& leaf) {
  const Ball log_N = log(number(claim.N));
  const RationalBox& x = leaf.back();
  LogRange tau{log_N / number(x.hi), std::nullopt};
  if (x.lo > 0) tau.hi = log_N / number(x.lo);
  if (claim.name != "near-simplex") return row_bound(claim, leaf, tau);
  return NearSimplexBound(claim, leaf, tau).bound();
}

std::optional<Witness> class_witness(const ClassClaim& claim) {
  if (claim.name != "near-simplex") {
    const auto row = RowGroups(claim).member(claim);
    return row ? std::optional(row->witness(claim)) : std::nullopt;
  }
  const std::string ratio = class_ratio(claim.quantity);
  const Rational rho1 = claim.box.at("rho1").lo, rho2 = rho1 + claim.box.at("spread").lo;
  return Witness{{"rho1", rho1},
                 {"rho2", rho2},
                 {"gamma", claim.box.at(ratio).lo / (1 - (ratio == below ? rho1 : rho2))},
                 {"alpha", claim.box.at("alpha").lo}};
}

ClassResult decide_class(ClassClaim claim, bool bound_given, const BisectionLimits& limits) {
  ClassResult result;
  const Box box = checked_box(claim);
  const bool upper = claim.relation == "<=";
  result.coordinates = coordinate_names(claim);
  if (const auto witness = class_witness(claim)) {
    result.witness = *witness;
  } else {
    throw InputError(fmt::format("no configuration has exponent gaps in {} in the {} phase",
                                 to_string(claim.box.at("gap")), claim.phase));
  }
  if (const auto found = bound_given ? refute_class(claim) : std::nullopt) {
    result.refuted = true;
    result.detail = *found;
    result.claim = std::move(claim);
    return result;
  }
  const auto attempt = [&](long leaves) {
    BisectionLimits fewer = limits;
    fewer.leaves = std::min(limits.leaves, leaves);
    result.evidence = bisect(
        box, [&](const Box& leaf) -> std::optional<Ball> { return class_bound(claim, leaf); },
        upper ? claim.bound : Rational(-claim.bound), fewer);
    result.proved = result.evidence.complete;
  };
  if (bound_given) {
    attempt(limits.leaves);
  } else {
    // What holds at the points looked at, or a little more.
    const double worst = largest_found(claim, box);
    if (!std::isfinite(worst)) throw InputError("the inequalities bound nothing on this class");
    for (const auto& [more, leaves] :
         {std::pair(0.005, 3000L), {0.02, 10000L}, {0.06, 30000L}, {0.2, 100000L}}) {
      const Rational bound = rounded_up(worst + std::abs(worst) * more);
      claim.bound = upper ? bound : Rational(-bound);
      attempt(leaves);
      if (result.proved) break;
    }
  }
  const bool late = limits.deadline && std::chrono::steady_clock::now() > *limits.deadline;
  if (!result.proved)
    result.detail =
        late ? "undecided at the time limit"
             : "undecided: the finite-n inequalities do not give this bound, and no counterexample "
               "was found";
  result.claim = std::move(claim);
  return result;
}

}  // namespace critscale
