// A quantity with its limit and its scaled distance from it ([distances]), the number type of tail claims.
// Uses intervals.hpp.
#pragma once

#include <utility>

#include "critscale/checker/detail/intervals.hpp"

namespace critscale::checker {

/// Of one quantity Q(n) on a set of parameters: enclosures of its limit L, of Q itself, and of
/// rest = (Q - L) n^k (ln n)^-p, for a k and p fixed by the claim. Sums are term by term; products use
///   QR - KL = (Q - K) R + K (R - L) = (Q - K) L + Q (R - L),
/// of which both are true, so their meet is; and Q/R - K/L = ((Q - K) - (K/L)(R - L))/R.
struct Scaled {
  Interval limit, value, rest;
  Scaled(Interval l, Interval v, Interval r) : limit(std::move(l)), value(std::move(v)), rest(std::move(r)) {}
  Scaled(const Interval& constant) : Scaled(constant, constant, Interval(0)) {}
  Scaled(int constant = 0) : Scaled(Interval(constant, bits)) {}

  friend Scaled operator+(const Scaled& a, const Scaled& b) {
    return {a.limit + b.limit, a.value + b.value, a.rest + b.rest};
  }
  friend Scaled operator-(const Scaled& a, const Scaled& b) {
    return {a.limit - b.limit, a.value - b.value, a.rest - b.rest};
  }
  friend Scaled operator*(const Scaled& a, const Scaled& b) {
    return {a.limit * b.limit, a.value * b.value,
            refine(a.rest * b.value + a.limit * b.rest, a.rest * b.limit + a.value * b.rest)};
  }
  friend Scaled operator/(const Scaled& a, const Scaled& b) {
    const Interval limit = a.limit / b.limit;
    return {limit, a.value / b.value, (a.rest - limit * b.rest) / b.value};
  }
  friend Scaled sqr(const Scaled& a) { return {sqr(a.limit), sqr(a.value), a.rest * (a.limit + a.value)}; }
  /// One quantity by two formulas.
  friend Scaled refine(const Scaled& a, const Scaled& b) {
    return {refine(a.limit, b.limit), refine(a.value, b.value), refine(a.rest, b.rest)};
  }
  /// h/(u h + b) for a u that does not depend on n: what is the same in both terms of the denominator,
  /// which is `whole`, cancels.
  friend Scaled part(const Scaled& h, const Scaled& u, const Scaled& b, const Scaled& whole) {
    const Interval limit = refine(u.limit * h.limit + b.limit, whole.limit),
                   value = refine(u.value * h.value + b.value, whole.value);
    return {h.limit / limit, h.value / value, (h.rest * b.limit - h.limit * b.rest) / (value * limit)};
  }
};

}  // namespace critscale::checker
