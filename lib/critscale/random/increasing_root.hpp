// Certified roots of functions that are known to be monotone. Uses number/.
#pragma once

#include <functional>

#include "critscale/number/ball.hpp"

namespace critscale::random {

/// The root of an increasing function between lo > 0 and hi, where it changes sign, to about 2^-bits of
/// itself. Signs are decided by enclosures, so that the result is certified whatever the function's slope.
/// Throws LimitError where the signs at lo and hi are not told at this precision.
Ball increasing_root(const std::function<Ball(const Ball&)>& f, Ball lo, Ball hi, Bits bits);

}  // namespace critscale::random
