// Bounded: a double with a proved bound on its error; plain arithmetic that a compiler can vectorise.
// Includes nothing and lives in a namespace of its own for every instruction set it is compiled for
// (CRITSCALE_KERNELS), so that code for newer processors is never linked into code for older ones.
//
// The promise, for every function: if |x - X.v| <= X.e then |f(x) - F(X).v| <= F(X).e. Rounding is to
// nearest. With u = 2^-53 an operation's own error is at most u times the result (plus 2^-1075 where a
// product or quotient underflows). The bound itself is a sum of at most five products of numbers >= 0,
// computed with a relative error below 12 u, which the factor `up` covers, and an underflow that `least`
// covers.
#pragma once

#ifndef CRITSCALE_KERNELS
#define CRITSCALE_KERNELS any_processor
#endif

namespace critscale {
inline namespace CRITSCALE_KERNELS {

struct Bounded {
  static constexpr double u = 0x1p-53;
  static constexpr double up = 1 + 0x1p-48;
  static constexpr double least = 0x1p-1000;

  double v = 0;  ///< the value
  double e = 0;  ///< the bound, not negative; infinite where nothing is known
};

inline double magnitude(double x) { return __builtin_fabs(x); }

inline Bounded operator-(Bounded a) { return {-a.v, a.e}; }
inline Bounded operator+(Bounded a, Bounded b) {
  const double v = a.v + b.v;
  return {v, (a.e + b.e + Bounded::u * magnitude(v)) * Bounded::up + Bounded::least};
}
inline Bounded operator-(Bounded a, Bounded b) { return a + -b; }
inline Bounded operator*(Bounded a, Bounded b) {
  const double v = a.v * b.v;
  return {v, (magnitude(a.v) * b.e + a.e * (magnitude(b.v) + b.e) + Bounded::u * magnitude(v)) * Bounded::up +
                 Bounded::least};
}
/// |A/B - a/b| <= (|A - a| + |a/b| |B - b|)/|B|, and |B| >= |b| - |B - b|.
inline Bounded operator/(Bounded a, Bounded b) {
  const double v = a.v / b.v, divisor = magnitude(b.v) - b.e;
  const double e =
      ((a.e + magnitude(v) * b.e) / divisor + Bounded::u * magnitude(v)) * Bounded::up + Bounded::least;
  return {v, divisor > 0 ? e : __builtin_inf()};
}
inline Bounded sqr(Bounded a) {
  const double v = a.v * a.v;
  return {v, (a.e * (2 * magnitude(a.v) + a.e) + Bounded::u * v) * Bounded::up + Bounded::least};
}
/// |sqrt A - sqrt a| <= |A - a|/sqrt a; everything is unknown unless a is certainly positive.
inline Bounded sqrt(Bounded a) {
  const double v = __builtin_sqrt(a.v > 0 ? a.v : 0.0);
  const double e = (a.e / v + Bounded::u * v) * Bounded::up + Bounded::least;
  return {v, a.v > a.e ? e : __builtin_inf()};
}

inline Bounded operator+(int a, Bounded b) { return Bounded{static_cast<double>(a), 0} + b; }
inline Bounded operator+(Bounded a, int b) { return b + a; }
inline Bounded operator-(int a, Bounded b) { return a + -b; }
inline Bounded operator-(Bounded a, int b) { return a + -b; }
inline Bounded operator*(int a, Bounded b) { return Bounded{static_cast<double>(a), 0} * b; }
inline Bounded operator/(int a, Bounded b) { return Bounded{static_cast<double>(a), 0} / b; }
inline Bounded& operator+=(Bounded& a, Bounded b) { return a = a + b; }

}  // namespace CRITSCALE_KERNELS
}  // namespace critscale
