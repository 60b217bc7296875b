// Square roots of fractions, exactly or between two fractions. Uses exact.hpp.
#pragma once

#include "critscale/number/exact.hpp"

namespace critscale {

/// The square root of a fraction that is a perfect square; throws InputError for any other.
Rational exact_sqrt(const Rational& x);
/// Fractions with sqrt_below(x)^2 <= x <= sqrt_above(x)^2, both sqrt x where that is a fraction and
/// otherwise 2^-40/denominator(x) apart. Throw InputError for x < 0.
Rational sqrt_below(const Rational& x);
Rational sqrt_above(const Rational& x);

}  // namespace critscale
