// Functions of Balls by Arb, and the sphere's moments by a series from its largest term. [sphere-moments]
#include "critscale/random/detail/functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "critscale/number/detail/flint_special.hpp"

namespace critscale::random {

namespace {

template <class F>
Ball applied(F f, const Ball& x) {
  Ball r(0, x.precision());
  f(r.raw(), x.raw(), x.precision());
  return r;
}

/// exp(-x) 0F1(; a; z) for a, z > 0 by its series, whose terms rise to about the one of number `peak` and
/// fall from there, by ratios that fall all along: both ways from the peak, so that some (peak bits)^(1/2)
/// terms do.
Ball peaked_0f1(const Ball& a, const Ball& z, const Ball& x, long peak) {
  const Bits bits = std::max({a.precision(), z.precision(), x.precision()});
  Bits working = bits + 24;
  for (long j = peak; j > 0; j /= 2) working += 2;
  const Ball start(peak, working);
  // The logarithm's size costs accuracy of the term.
  const Bits exact = working + 8;
  const Ball shifted = (a + start).at(exact);
  Ball log_term = start * log(z.at(exact)) - x;
  if (peak > 0) log_term -= log_gamma(shifted) - log_gamma(a.at(exact)) + log_gamma(start + 1);
  const Ball first = exp(log_term);
  // The rest is at most term q/(1 - q), q bounding the ratios to come.
  const auto rest_after = [](const Ball& term, const Ball& q) -> std::optional<Ball> {
    if (!q.is_finite()) return Ball::whole_line(64);
    if (!certainly(less(q, Ball(1, 64)))) return std::nullopt;
    return up_to(term.at(64) * q / (1 - q));
  };
  Ball sum = first, term = first;
  const auto is_small = [&](const Ball& rest) {
    return !rest.is_finite() || certainly(less(scaled(rest, Integer(bits)), sum));
  };
  for (long j = peak;; ++j) {
    if ((j - peak) % 8 == 0)
      if (const auto rest = rest_after(term, (z / ((a + j) * (j + 1))).at(64)); rest && is_small(*rest)) {
        sum += *rest;
        break;
      }
    term = term * z / ((a + j) * (j + 1));
    sum += term;
  }
  term = first;
  for (long j = peak; j > 0; --j) {
    const Ball ratio = (a + (j - 1)) * j / z;
    if ((peak - j) % 8 == 0)
      if (const auto rest = rest_after(term, ratio.at(64)); rest && is_small(*rest)) {
        sum += *rest;
        break;
      }
    term *= ratio;
    sum += term;
  }
  return sum.at(bits);
}

/// exp(-x) 0F1(; a; x^2/4) for an exact x beside which a is small, by Arb's expansion.
Ball expanded_moment(const Ball& a, const Ball& x, Bits bits) {
  // The factor e^x costs as many bits as x has before the point.
  const Bits wide = bits + 16 + std::max(0, std::ilogb(rough(x)));
  const Ball exact = x.at(wide);
  Ball r(0, wide);
  arb_hypgeom_0f1(r.raw(), a.at(wide).raw(), (sqr(exact) / 4).raw(), 0, wide);
  return (r * exp(-exact)).at(bits);
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
  // The number of the largest term.
  const double order = rough(half), root = std::abs(rough(x)) / 2;
  const double peak = 2 * root * root / (order + std::hypot(order, 2 * root));
  // Arb's expansion for large z needs the parameter m/2 small beside sqrt z.
  if (peak > 1000 && order * order < root) {
    // It falls in x, and slowly: from the exact ends, because e^x would multiply the width of x.
    const Ball r = hull(expanded_moment(half, Ball::exactly(x.lower(), bits), bits),
                        expanded_moment(half, Ball::exactly(x.upper(), bits), bits));
    if (r.accurate_bits() > std::min(bits, x.accurate_bits()) / 2) return r;
  }
  if (!(peak * static_cast<double>(bits) < 1e15))
    throw LimitError("a Bessel function of this order and argument is out of reach");
  return peaked_0f1(half, z, x, static_cast<long>(peak));
}

}  // namespace critscale::random
