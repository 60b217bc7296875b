// Equally spaced fractions. Uses exact.hpp.
#pragma once

#include "critscale/number/exact.hpp"

namespace critscale {

/// The distance of neighbours among `steps` equally spaced fractions from `from` to `to`, both included.
/// Throws InputError as `spaced` (parse.hpp) does.
Rational range_step(const Rational& from, const Rational& to, const Integer& steps);

}  // namespace critscale
