#include "critscale/random/detail/functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "critscale/number/detail/flint_special.hpp"

namespace critscale::random {

namespace {

template <class F>
Ball applied(F f, const Ball& x) {
  Ball r(0, x.precision());
  f(r.raw(), x.raw(), x.precision());
  return r;
}

/// 0F1(; a; z) for a, z > 0 by its series, whose terms fall from about `peak` on. All are positive.
Ball series_0f1(const Ball& a, const Ball& z, long peak) {
  const Bits bits = std::max(a.precision(), z.precision());
  Bits working = bits + 16;
  for (long j = peak; j > 0; j /= 2) ++working;
  Ball term(1, working), sum(1, working);
  for (long j = 0;; ++j) {
    term = term * z / ((a + j) * (j + 1));
    sum += term;
    if (j <= peak || j % 8 != 0) continue;
    // Later ratios are smaller: the rest is at most term q/(1 - q).
    const Ball q = (z / ((a + (j + 1)) * (j + 2))).at(64), rest = term.at(64) * q / (1 - q);
    if (!q.is_finite()) return Ball::whole_line(bits);
    if (certainly(less(2 * q, Ball(1, 64))) && certainly(less(scaled(rest, Integer(bits)), sum)))
      return (sum + up_to(rest)).at(bits);
  }
}

}  // namespace

Ball pi(Bits bits) {
  Ball r(0, bits);
  arb_const_pi(r.raw(), bits);
  return r;
}

Ball tan(const Ball& x) { return applied(arb_tan, x); }
Ball cos(const Ball& x) { return applied(arb_cos, x); }
Ball sinh(const Ball& x) { return applied(arb_sinh, x); }
Ball cosh(const Ball& x) { return applied(arb_cosh, x); }
Ball tanh(const Ball& x) { return applied(arb_tanh, x); }

Ball log_cosh(const Ball& x) {
  // cosh x = 1 + 2 sinh^2(x/2) keeps the digits of a small x, |x| - ln 2 + ln(1 + e^(-2|x|)) those of a
  // large.
  if (arf_cmpabs_2exp_si(arb_midref(x.raw()), 3) < 0) return log1p(2 * sqr(sinh(x / 2)));
  const Ball a = abs(x);
  return a + log1p(exp(-2 * a)) - log(Ball(2, x.precision()));
}

Ball log_gamma(const Ball& x) { return applied(arb_lgamma, x); }

Ball normal_tail(const Ball& x) { return applied(arb_hypgeom_erfc, x / sqrt(Ball(2, x.precision()))) / 2; }

Ball normal_density(const Ball& x) { return exp(-sqr(x) / 2) / sqrt(2 * pi(x.precision())); }

Ball up_to(const Ball& x) {
  if (!x.is_finite()) return Ball::whole_line(x.precision());
  const Dyadic top = x.upper();
  return top.sign() <= 0 ? Ball(0, x.precision()) : Ball(Dyadic(), top, x.precision());
}

Ball within(const Ball& x) {
  if (!x.is_finite()) return Ball::whole_line(x.precision());
  const Dyadic top = abs(x).upper();
  return Ball(-top, top, x.precision());
}

double rough(const Ball& x) { return arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR); }

double rough_log(const Ball& x) {
  if (arf_is_special(arb_midref(x.raw())) || arf_sgn(arb_midref(x.raw())) < 0)
    return -std::numeric_limits<double>::infinity();
  Ball m = x.center().at(53);
  return rough(log(m));
}

Ball sphere_moment(const Ball& m, const Ball& x) {
  const Bits bits = std::max(m.precision(), x.precision());
  if (arb_is_zero(x.raw())) return Ball(1, bits);
  const Ball half = m / 2, z = sqr(x) / 4;
  // Terms until the series falls. Arb's own choice takes the expansion for large z, which is of no use where
  // the parameter m/2 is not small beside sqrt z.
  const double a = rough(half), root = std::abs(rough(x)) / 2;
  const double terms = 2 * root * root / (a + std::hypot(a, 2 * root));
  Ball r(0, bits);
  if (terms > 1000 && a * a < root) {
    arb_hypgeom_0f1(r.raw(), half.raw(), z.raw(), 0, bits);
    if (r.accurate_bits() > bits / 2) return r * exp(-x);
  }
  if (!(terms < 1e7)) throw LimitError("a Bessel function of this order and argument is out of reach");
  return series_0f1(half, z, static_cast<long>(terms)) * exp(-x);
}

}  // namespace critscale::random
