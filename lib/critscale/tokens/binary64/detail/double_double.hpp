// Numbers hi + lo of two doubles, |lo| <= ulp(hi)/2 (double-double): sums and products without error, and
// arithmetic made of them. Like bounded.hpp it includes nothing and lives in a namespace of its own for every
// instruction set. Compile without contraction.
//
// The promise [double-double]: every operation has a relative error below 2^-100 where nothing underflows; an
// underflow adds less than 2^-1070 times (1 + the factors). Joldes, Muller, Popescu, "Tight and rigorous
// error bounds for basic building blocks of double-word arithmetic", ACM TOMS 44 (2017), prove 2^-102 or
// better for each.
#pragma once

#ifndef CRITSCALE_KERNELS
#define CRITSCALE_KERNELS any_processor
#endif

namespace critscale {
inline namespace CRITSCALE_KERNELS {

struct DoubleDouble {
  double hi = 0, lo = 0;
};

/// a + b = hi + lo exactly (Knuth).
inline DoubleDouble two_sum(double a, double b) {
  const double s = a + b, z = s - a;
  return {s, (a - (s - z)) + (b - z)};
}
/// The same where |a| >= |b| or a = 0 (Dekker).
inline DoubleDouble fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
/// a b = hi + lo exactly.
inline DoubleDouble two_product(double a, double b) {
  const double p = a * b;
  return {p, __builtin_fma(a, b, -p)};
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }
inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  const DoubleDouble c = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(c.hi, t.lo + c.lo);
}
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
inline DoubleDouble operator+(DoubleDouble a, double b) {
  const DoubleDouble s = two_sum(a.hi, b);
  return fast_two_sum(s.hi, a.lo + s.lo);
}
inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble p = two_product(a.hi, b);
  return fast_two_sum(p.hi, __builtin_fma(a.lo, b, p.lo));
}
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  const double cross = __builtin_fma(a.lo, b.hi, __builtin_fma(a.hi, b.lo, a.lo * b.lo));
  return fast_two_sum(p.hi, p.lo + cross);
}
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double q = a.hi / b.hi;
  const DoubleDouble rest = a - b * q;
  return fast_two_sum(q, rest.hi / b.hi);
}

}  // namespace CRITSCALE_KERNELS
}  // namespace critscale
