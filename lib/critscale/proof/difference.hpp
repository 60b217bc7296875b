// Difference<Real>: a quantity together with its limit and its scaled distance from the limit, the
// arithmetic behind every tail proof ([distances]). Uses number/.
#pragma once

#include <utility>

#include "critscale/number/ball.hpp"

namespace critscale {

/// The intersection of two enclosures of one number, where either may know nothing.
inline Ball narrower(const Ball& a, const Ball& b) {
  if (!a.is_finite()) return b;
  return b.is_finite() ? intersection(a, b) : a;
}

/// For a quantity Q(n) with limit L and a fixed scale n^k (ln n)^-p: enclosures of L, of Q, and of
/// (Q - L) n^k (ln n)^-p. Every operation is an exact identity in these three, so nothing cancels
/// and no derivative is bounded: the product rule is QR - KL = (Q - K) R + K (R - L).
template <class Real>
struct Difference {
  Real limit, value, scaled;

  Difference() = default;
  /// A number that does not depend on n.
  explicit Difference(Real constant) : limit(constant), value(std::move(constant)), scaled(0) {}
  Difference(Real l, Real v, Real s) : limit(std::move(l)), value(std::move(v)), scaled(std::move(s)) {}

  friend Difference operator+(const Difference& a, const Difference& b) {
    return {a.limit + b.limit, a.value + b.value, a.scaled + b.scaled};
  }
  friend Difference operator-(const Difference& a, const Difference& b) {
    return {a.limit - b.limit, a.value - b.value, a.scaled - b.scaled};
  }
  friend Difference operator-(const Difference& a) { return {-a.limit, -a.value, -a.scaled}; }
  friend Difference operator*(const Difference& a, const Difference& b) {
    // A factor whose limit is 0 makes the other's distance from its limit irrelevant, however large.
    const bool left = certainly(a.limit.is_zero()), right = certainly(b.limit.is_zero());
    Real scaled = left && right ? narrower(Real(a.scaled * b.value), Real(a.value * b.scaled))
                  : left        ? a.scaled * b.value
                  : right       ? a.value * b.scaled
                                : a.scaled * b.value + a.limit * b.scaled;
    return {a.limit * b.limit, a.value * b.value, std::move(scaled)};
  }
  friend Difference operator/(const Difference& a, const Difference& b) {
    Real limit = a.limit / b.limit;
    Real scaled = (a.scaled - limit * b.scaled) / b.value;
    return {std::move(limit), a.value / b.value, std::move(scaled)};
  }
  friend Difference sqr(const Difference& a) {
    return {sqr(a.limit), sqr(a.value), a.scaled * (a.value + a.limit)};
  }
  /// a/(a + b), without the part of the difference that cancels:
  /// A/(A+B) - K/(K+L) = ((A-K) L - K (B-L))/((A+B)(K+L)).
  friend Difference share(const Difference& a, const Difference& b) {
    const Real limit_sum = a.limit + b.limit, sum = a.value + b.value;
    Real scaled = (a.scaled * b.limit - a.limit * b.scaled) / (sum * limit_sum);
    return {a.limit / limit_sum, a.value / sum, std::move(scaled)};
  }
  /// The same where the sum a + b is also known as `whole`.
  friend Difference share(const Difference& a, const Difference& b, const Difference& whole) {
    const Real limit_sum = narrower(a.limit + b.limit, whole.limit),
               sum = narrower(a.value + b.value, whole.value);
    Real scaled = (a.scaled * b.limit - a.limit * b.scaled) / (sum * limit_sum);
    return {a.limit / limit_sum, a.value / sum, std::move(scaled)};
  }
  /// ln(1 + x): its divided difference between two points is 1/(1 + a point between them).
  friend Difference log1p(const Difference& a) {
    return {log1p(a.limit), log1p(a.value), a.scaled / (1 + hull(a.limit, a.value))};
  }

  /// One quantity by two formulas: what both allow.
  friend Difference refine(const Difference& a, const Difference& b) {
    return {narrower(a.limit, b.limit), narrower(a.value, b.value), narrower(a.scaled, b.scaled)};
  }

  template <SmallInteger I>
  friend Difference operator+(const Difference& a, I v) {
    return {a.limit + v, a.value + v, a.scaled};
  }
  template <SmallInteger I>
  friend Difference operator+(I v, const Difference& a) {
    return a + v;
  }
  template <SmallInteger I>
  friend Difference operator-(const Difference& a, I v) {
    return {a.limit - v, a.value - v, a.scaled};
  }
  template <SmallInteger I>
  friend Difference operator-(I v, const Difference& a) {
    return {v - a.limit, v - a.value, -a.scaled};
  }
  template <SmallInteger I>
  friend Difference operator*(I v, const Difference& a) {
    return {v * a.limit, v * a.value, v * a.scaled};
  }
  template <SmallInteger I>
  friend Difference operator/(I v, const Difference& a) {
    Real limit = v / a.limit;
    Real scaled = -(limit * a.scaled) / a.value;
    return {std::move(limit), v / a.value, std::move(scaled)};
  }
};

// The same where only the limit is wanted, as a fraction.
inline Rational share(const Rational& a, const Rational& b) { return a / (a + b); }
inline Rational share(const Rational& a, const Rational&, const Rational& whole) { return a / whole; }
inline Rational refine(const Rational& a, const Rational&) { return a; }

}  // namespace critscale
