// What the evaluators ask of a number type: arithmetic with small integers, and the few functions
// below, found by argument-dependent lookup. Instantiated for double, fixed-precision mpfr_float,
// Ball, Interval and Dual<Ball>. Uses number/.
#pragma once

#include <cmath>

#include "critscale/number/ball.hpp"
#include "critscale/number/interval.hpp"

namespace critscale {

using std::exp;
using std::expm1;
using std::log;
using std::log1p;
using std::sqrt;

/// x^2. Ball and Interval have their own, which know that a square is not negative.
template <class Real>
Real sqr(const Real& x) {
  return x * x;
}

/// One number from two formulas for it, given with the formula that is preferred first. Certified
/// types return what both enclosures allow; point types return the first.
template <class Real>
Real either(const Real& preferred, const Real&) {
  return preferred;
}
inline Ball either(const Ball& a, const Ball& b) { return intersection(a, b); }
inline Interval either(const Interval& a, const Interval& b) { return intersection(a, b); }

/// Whether an enclosure spans so much that a product with another function of the same variable is
/// worth a second formula. A Ball cannot be that wide on one side of zero.
template <class Real>
bool is_wide(const Real&) {
  return false;
}
inline bool is_wide(const Interval& x) {
  const mpfr_srcptr left = &x.raw()->left, right = &x.raw()->right;
  return mpfr_regular_p(left) == 0 || mpfr_regular_p(right) == 0 ||
         mpfr_get_exp(right) - mpfr_get_exp(left) > 1;
}

}  // namespace critscale
