// Evaluators' inputs as expansions. Uses limit_inputs.hpp and envelope.hpp.
#include "critscale/asymptotics/limit_inputs.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "critscale/asymptotics/envelope.hpp"

namespace critscale {

namespace {

/// n over the size of the finest clusters whose members differ, as c n^theta.
Size gram_rank(const LimitConfiguration& c) {
  Size rank{PowerProduct(1), Rational(1)};
  Rational r_above = 1;
  Size inner{PowerProduct(1), Rational(0)};
  for (const auto& [r, size] : c.profile) {
    if (r != r_above) return {rank.coefficient / inner.coefficient, 1 - inner.exponent};
    inner = size;
    r_above = r;
  }
  return {PowerProduct(1), Rational(0)};
}

/// The exact parameters as coefficients of one table.
class Builder {
 public:
  Builder(const LimitConfiguration& c, Parameters as, std::size_t max_terms)
      : c_(c),
        named_(as == Parameters::names),
        related_(as == Parameters::related_numbers),
        max_terms_(max_terms),
        symbols_(Symbols::create(32 + 4 * c.profile.size())) {
    for (std::size_t l = 0; l <= c.profile.size(); ++l) r_.push_back(inner_product(l));
    gamma_ = std::make_unique<Coefficient>(gamma());
    offset_ = std::make_unique<Coefficient>(parameter("b", "b", c.offset));
    alpha_ = std::make_unique<Coefficient>(parameter("alpha", "\\alpha", c.alpha));
    for (std::size_t l = 1; named_ && l <= c.profile.size(); ++l) {
      const Rational& theta = c.profile[l - 1].size.exponent;
      symbols_->name_exponent(theta - c.gamma * (1 - exact_r(l)),
                              symbols_->constant(theta) - *gamma_ * (r_[0] - r_[l]));
    }
  }

  Expansion constant(const Coefficient& c) const { return {c, Rational(0), max_terms_}; }
  Expansion size(const Size& s, std::size_t level) const {
    const bool named = named_ && level > 0 && !s.coefficient.is_one();
    const std::string letter = s.exponent == 0 ? "N" : "c";
    Coefficient factor =
        named ? symbols_->symbol({fmt::format("{}{}", letter, level), fmt::format("{}_{{{}}}", letter, level),
                                  [x = s.coefficient](Bits bits) { return value(x, bits); }})
              : symbols_->number(s.coefficient);
    return {std::move(factor), s.exponent, max_terms_};
  }
  Expansion beta() const { return constant(*gamma_ * symbols_->log_n() + *offset_); }
  Expansion alpha() const { return constant(*alpha_); }
  Expansion root_q() const {
    if (!named_ || c_.q == 1) return constant(symbols_->square_root(c_.q));
    return constant(symbols_->symbol(
        {"sqrt(q)", "\\sqrt{q}", [q = c_.q](Bits bits) { return sqrt(Ball(q, bits)); }, "q", "q"}));
  }
  /// r_l as a coefficient; r_0 = 1.
  const Coefficient& r(std::size_t l) const { return r_[l]; }
  Coefficient number(long v) const { return symbols_->constant(Rational(v)); }
  /// exp(-beta (r_l - r_k)), l <= k.
  Expansion decay(std::size_t l, std::size_t k) const {
    const Rational drop = exact_r(l) - exact_r(k);
    Coefficient factor = related_ ? power_of_unit(drop) : symbols_->exponential(*offset_ * (r_[k] - r_[l]));
    return {std::move(factor), -c_.gamma * drop, max_terms_};
  }

 private:
  /// exp(-b drop) as a power of exp(-b unit). Throws LimitError where that power is very large.
  Coefficient power_of_unit(const Rational& drop) const {
    constexpr long largest_power = 1000;
    if (drop == 0) return symbols_->constant(1);
    const Rational unit = common_unit(), power = drop / unit;
    if (power > largest_power)
      throw LimitError(
          fmt::format("exp(-b*{}) is no small power of exp(-b*{})", to_string(drop), to_string(unit)));
    const Coefficient base = symbols_->exponential(-*offset_ * symbols_->constant(unit));
    Coefficient r = symbols_->constant(1);
    for (long i = 0; i < static_cast<long>(numerator(power)); ++i) r = r * base;
    return r;
  }
  /// The largest number of which every difference of neighbouring inner products is a multiple.
  Rational common_unit() const {
    Rational unit = 0;
    for (std::size_t m = 0; m < c_.profile.size(); ++m) {
      const Rational drop = exact_r(m) - exact_r(m + 1);
      unit = Rational(
          gcd(Integer(numerator(unit) * denominator(drop)), Integer(numerator(drop) * denominator(unit))),
          Integer(denominator(unit) * denominator(drop)));
    }
    return unit;
  }
  Rational exact_r(std::size_t l) const { return l == 0 ? Rational(1) : c_.profile[l - 1].r; }
  Coefficient parameter(const std::string& text, const std::string& latex, const Rational& v) const {
    if (!named_ || v == 0) return symbols_->constant(v);
    return symbols_->symbol({text, latex, [v](Bits bits) { return Ball(v, bits); }});
  }
  Coefficient inner_product(std::size_t l) const {
    if (exact_r(l) == 1) return symbols_->constant(1);
    if (c_.simplex) return parameter("rho", "\\rho", exact_r(l));
    // Equal inner products have one name.
    std::size_t first = l;
    while (first > 1 && exact_r(first - 1) == exact_r(l)) --first;
    return parameter(fmt::format("r{}", first), fmt::format("r_{{{}}}", first), exact_r(l));
  }
  /// gamma; at a threshold its formula (theta_k - theta_l)/(r_l - r_k).
  Coefficient gamma() const {
    const auto all = lines(c_.profile);
    const auto top = Envelope(all).top(c_.gamma);
    const std::size_t l = top.front(), k = top.back();
    if (named_ && all[l].r != all[k].r)
      return symbols_->constant(all[k].theta - all[l].theta) / (r_[l] - r_[k]);
    return parameter("gamma", "\\gamma", c_.gamma);
  }

  const LimitConfiguration& c_;
  bool named_, related_;
  std::size_t max_terms_;
  std::shared_ptr<Symbols> symbols_;
  std::vector<Coefficient> r_;
  std::unique_ptr<Coefficient> gamma_, offset_, alpha_;
};

}  // namespace

void validate(const LimitConfiguration& c) {
  validate(c.profile, c.analytic);
  if (c.alpha < 0) throw InputError(fmt::format("alpha must not be negative, found {}", to_string(c.alpha)));
  if (c.q <= 0) throw InputError(fmt::format("q must be positive, found {}", to_string(c.q)));
  if (c.gamma < 0) throw InputError(fmt::format("gamma must be at least 0, found {}", to_string(c.gamma)));
  if (c.gamma == 0 && c.offset < 0)
    throw InputError(fmt::format("beta must be at least 0, found {}", to_string(c.offset)));
  if (c.d.exponent < 1)
    throw InputError(
        fmt::format("in a limit d has to grow as c*n^k with k >= 1 (default n), found {}", to_string(c.d)));
  const Size rank = gram_rank(c);
  if (c.d.exponent == rank.exponent && compare(c.d.coefficient, rank.coefficient) < 0)
    throw InputError(fmt::format("d must be at least the rank of the Gram matrix, {}, found {}",
                                 to_string(rank), to_string(c.d)));
}

SimplexInputs<Expansion> simplex_inputs(const LimitConfiguration& c, Parameters as, std::size_t max_terms) {
  const Builder in(c, as, max_terms);
  const Expansion n = in.size(c.profile[0].size, 0), decay = in.decay(0, 1), root_q = in.root_q();
  return {n,
          in.size(c.d, 0),
          in.beta(),
          in.constant(in.r(1)),
          in.constant(in.r(0) - in.r(1)),
          root_q * root_q,
          root_q,
          in.alpha(),
          (n - 1) * decay,
          1 - decay};
}

BandInputs<Expansion> band_inputs(const LimitConfiguration& c, Parameters as, std::size_t max_terms) {
  const Builder in(c, as, max_terms);
  const Expansion root_q = in.root_q(), one = in.constant(in.number(1));
  BandInputs<Expansion> out{
      in.size(c.d, 0), in.beta(), root_q * root_q, root_q, in.alpha(), {}, {}, {}, {}, {}, {}, {}, {}};
  const std::size_t L = c.profile.size();
  for (std::size_t l = 0; l <= L; ++l) {
    out.size.push_back(l == 0 ? one : in.size(c.profile[l - 1].size, l));
    out.count.push_back(l == 0 ? one : out.size[l] - out.size[l - 1]);
    out.r.push_back(in.constant(in.r(l)));
    out.depth.push_back(in.constant(in.r(0) - in.r(l)));
    out.drop.push_back(l < L ? in.constant(in.r(l) - in.r(l + 1)) : in.constant(in.r(l)));
    out.tied.push_back(l == 0 || c.profile[l - 1].r == 1);
    out.odds.push_back(out.count[l] * in.decay(0, l));
    if (l < L) out.fall.push_back(1 - in.decay(l, l + 1));
  }
  return out;
}

}  // namespace critscale
