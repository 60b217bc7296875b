// Limits by the order of beta in ln n: keys of fixed kappa, of fixed m, and of fixed variance. [row-limits]
#include "critscale/random/limits.hpp"

#include <fmt/format.h>

namespace critscale::random {

namespace {

LimitValue rational(const Rational& x, bool theorem = true) {
  return {[x](Bits bits) { return Ball(x, bits); }, theorem};
}
LimitValue infinite() { return {std::nullopt, true}; }

/// -1, 0, 1 for p below, at and above an exponent.
int order(const Rational& p, const Rational& at) { return p < at ? -1 : p > at ? 1 : 0; }

/// Keys with m = kappa ln n and b = g ln n (sign 0 of `order`), or b of a lower or higher order.
class FixedKappa {
 public:
  FixedKappa(const Keys& keys, const LogitScale& scale)
      : keys_(keys),
        gamma_(scale.coefficient.lo),
        kappa_([k = *keys.kappa](Bits bits) { return Ball(k, bits); }),
        g_([x = Rational(scale.coefficient.lo * (1 - keys.rho))](Bits bits) { return Ball(x, bits); }) {}

  RowLimits at_lower_order() const {
    return {RandomPhase::spread, self(0), rational(0), rational(1), "beta/ln n -> 0: no key stands out"};
  }

  RowLimits at_higher_order() const {
    if (keys_.law == KeyLaw::gaussian && keys_.aligned && *keys_.kappa == 2)
      throw LimitError("kappa = 2: the best of n Gaussian keys is not told from the aligned one");
    const bool wins = keys_.aligned && (keys_.law == KeyLaw::sphere || *keys_.kappa > 2);
    return {wins ? RandomPhase::self : RandomPhase::condensed, self(wins ? 1 : 0), rational(1, wins),
            infinite(),
            wins ? "beta/ln n -> infinity, and no other key comes as near as the aligned one"
                 : "beta/ln n -> infinity: the best key leaves the others behind"};
  }

  RowLimits at_order() const {
    const RandomPhase phase = phase_at(keys_.law, keys_.aligned, kappa_, g_);
    RowLimits r{phase,
                self(phase == RandomPhase::self ? 1 : 0),
                {[=, *this](Bits bits) { return collision_limit(keys_.law, phase, kappa_, g_, bits); },
                 phase != RandomPhase::condensed || keys_.law == KeyLaw::gaussian},
                log_partition(phase),
                ""};
    r.reason = phase == RandomPhase::self     ? "g is above the self line"
               : phase == RandomPhase::spread ? "g is below the line"
                                              : "g is above the condensation line";
    return r;
  }

 private:
  std::optional<LimitValue> self(long value) const {
    if (!keys_.aligned) return std::nullopt;
    return rational(Rational(value));
  }

  /// gamma rho + the largest exponent of a shell's weight n^(F + g), F = 1 + entropy(v) + g (v - 1).
  /// [row-limits]
  LimitValue log_partition(RandomPhase phase) const {
    const Rational gamma = gamma_;
    if (phase == RandomPhase::self) return rational(gamma);
    const auto value = [=, *this](Bits bits) {
      const Bits working = bits + 32;
      const Ball k = kappa_(working), g = g_(working), common = Ball(Rational(gamma * keys_.rho), working);
      if (keys_.law == KeyLaw::gaussian)
        return (common +
                (phase == RandomPhase::condensed ? Ball(g * sqrt(2 / k)) : Ball(1 + sqr(g) / (2 * k))))
            .at(bits);
      if (phase == RandomPhase::condensed) return (common + g * sqrt(-expm1(-(2 / k)))).at(bits);
      // g = kappa v/(1 - v^2).
      const Ball v = 2 * g / (k + sqrt(sqr(k) + 4 * sqr(g)));
      return (common + 1 + k / 2 * log1p(-sqr(v)) + g * v).at(bits);
    };
    return {value, true};
  }

  Keys keys_;
  Rational gamma_;
  Parameter kappa_, g_;
};

/// Gaussian keys of fixed variance 1/m: the random energy model. b = c (ln n)^(1/2) is the order that
/// decides.
RowLimits fixed_variance(const Keys& keys, const LogitScale& scale, const Rational& m) {
  const Rational c = scale.coefficient.lo * (1 - keys.rho), p = scale.power;
  const std::optional<LimitValue> self = keys.aligned ? std::optional(rational(0)) : std::nullopt;
  const int o = c == 0 ? -1 : order(p, Rational(1, 2));
  // c against sqrt(2 m), by squares.
  const int side = o != 0 ? o : c * c < 2 * m ? -1 : c * c > 2 * m ? 1 : 0;
  if (side == 0) throw LimitError("beta lies on the condensation line");
  if (side < 0) {
    // ln Z = ln n + b^2/(2 m) + ..., and the common part beta rho is of lower order.
    const LimitValue spread = o < 0 ? rational(1) : rational(Rational(1 + c * c / (2 * m)));
    return {RandomPhase::spread, self, rational(0), spread,
            o < 0 ? "beta/(ln n)^(1/2) -> 0: no key stands out" : "beta is below (2 m ln n)^(1/2)/(1 - rho)"};
  }
  if (o > 0)
    return {RandomPhase::condensed, self, rational(1), infinite(),
            "beta/(ln n)^(1/2) -> infinity: the best key leaves the others behind, the aligned one too"};
  return {RandomPhase::condensed,
          self,
          {[=](Bits bits) { return 1 - sqrt(Ball(Rational(2 * m / (c * c)), bits + 32)); }, true},
          {[=](Bits bits) { return Ball(c, bits + 32) * sqrt(Ball(Rational(2 / m), bits + 32)); }, true},
          "beta is above (2 m ln n)^(1/2)/(1 - rho)"};
}

}  // namespace

RowLimits row_limits(const Keys& keys, const LogitScale& scale) {
  validate(keys);
  if (!scale.coefficient.is_point() || !scale.offset.is_point())
    throw InputError("limits need an exact beta, found a box");
  if (keys.kappa) {
    const FixedKappa row(keys, scale);
    const int o = scale.coefficient.lo == 0 ? -1 : order(scale.power, 1);
    return o < 0 ? row.at_lower_order() : o > 0 ? row.at_higher_order() : row.at_order();
  }
  const Rational m = keys.dimension ? *keys.dimension : Rational(1 / (*keys.sigma * *keys.sigma));
  if (keys.law == KeyLaw::gaussian) return fixed_variance(keys, scale, m);
  // n^(1 - o(1)) keys come within 1/b of the query, whatever power of ln n b is.
  const int o = scale.coefficient.lo == 0 ? -1 : order(scale.power, 1);
  return {RandomPhase::spread, keys.aligned ? std::optional(rational(0)) : std::nullopt, rational(0),
          o < 0   ? rational(1)
          : o > 0 ? infinite()
                  : rational(Rational(1 + scale.coefficient.lo)),
          "m is fixed: kappa = m/ln n -> 0, where b must grow like n^(2/(m - 1)) to tell keys apart"};
}

}  // namespace critscale::random
