// The arithmetic of tail claims: numbers known together with their limit and their scaled distance from
// it. Uses layer.hpp.
#pragma once

#include <utility>

#include "critscale/checker/layer.hpp"

namespace critscale::checker {

/// Of one quantity Q(n) on a set of parameters: enclosures of its limit L, of Q itself, and of
/// rest = (Q - L) n^k (ln n)^-p, for a k and p fixed by the claim. Sums are term by term; products use
///   QR - KL = (Q - K) R + K (R - L) = (Q - K) L + Q (R - L),
/// of which both are true, so the intersection is; and Q/R - K/L = ((Q - K) - (K/L)(R - L))/R.
struct Scaled {
  Interval limit, value, rest;

  static Scaled constant(Interval v) { return {v, v, Interval(0)}; }

  friend Scaled operator+(const Scaled& a, const Scaled& b) {
    return {a.limit + b.limit, a.value + b.value, a.rest + b.rest};
  }
  friend Scaled operator-(const Scaled& a, const Scaled& b) {
    return {a.limit - b.limit, a.value - b.value, a.rest - b.rest};
  }
  friend Scaled operator*(const Scaled& a, const Scaled& b) {
    return {a.limit * b.limit, a.value * b.value,
            intersection(a.rest * b.value + a.limit * b.rest, a.rest * b.limit + a.value * b.rest)};
  }
  friend Scaled operator/(const Scaled& a, const Scaled& b) {
    Interval limit = a.limit / b.limit;
    Interval rest = (a.rest - limit * b.rest) / b.value;
    return {std::move(limit), a.value / b.value, std::move(rest)};
  }
  friend Scaled operator/(int c, const Scaled& a) { return constant(Interval(c)) / a; }
  friend Scaled sqr(const Scaled& a) { return {sqr(a.limit), sqr(a.value), a.rest * (a.limit + a.value)}; }
  friend Scaled operator*(int c, const Scaled& a) { return {c * a.limit, c * a.value, c * a.rest}; }
  friend Scaled operator+(int c, const Scaled& a) { return {c + a.limit, c + a.value, a.rest}; }
  friend Scaled operator-(int c, const Scaled& a) { return {c - a.limit, c - a.value, -a.rest}; }
  friend Scaled refine(const Scaled& a, const Scaled& b) {
    return {intersection(a.limit, b.limit), intersection(a.value, b.value), intersection(a.rest, b.rest)};
  }
  /// For a u that does not depend on n: what is the same in both terms of the denominator cancels.
  friend Scaled part(const Scaled& h, const Scaled& u, const Scaled& b) {
    const Interval limit = u.limit * h.limit + b.limit, value = u.value * h.value + b.value;
    return {h.limit / limit, h.value / value, (h.rest * b.limit - h.limit * b.rest) / (value * limit)};
  }
  friend Scaled bounded(const Scaled& x, const Scaled& most) {
    return {bounded(x.limit, most.limit), bounded(x.value, most.value), x.rest};
  }
};

/// (ln n)^j n^-kappa for every kappa and every t = ln n > 0 of two intervals; t may reach infinity.
inline Interval power_log(const Interval& kappa, long j, const Interval& t) {
  if (j <= 0) return pow(t, Integer(j)) * exp(-(kappa * t));
  if (!certainly(kappa.is_positive()))
    return t.is_finite() ? pow(t, Integer(j)) * exp(-(kappa * t)) : Interval::whole_line(t.precision());
  // t^j exp(-kappa t) falls in kappa; in t it rises up to j/kappa and falls from there on.
  const Interval slowest = Interval::exactly(kappa.lower(), t.precision()),
                 first = Interval::exactly(t.lower(), t.precision());
  const bool falls = certainly(greater_equal(slowest * first, Interval(j, t.precision())));
  const Interval at = falls ? first : Interval(j, t.precision()) / slowest;
  return hull(Interval(0, t.precision()), pow(at, Integer(j)) * exp(-(slowest * at)));
}

}  // namespace critscale::checker
