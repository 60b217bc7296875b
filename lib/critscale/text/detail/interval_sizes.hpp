// Numbers of any size as intervals, by MPFI alone: logarithms of sizes and decimals. Uses interval.hpp and
// power_product.hpp (for its exact operations).
#pragma once

#include <string>

#include "critscale/number/interval.hpp"
#include "critscale/number/power_product.hpp"

namespace critscale {

/// ln n, of any size.
Interval log_of(const PowerProduct& n, Bits precision);
/// exp(x); throws LimitError where that may be beyond MPFR's exponents, 2^(2^62) or its inverse.
Interval exp_in_range(const Interval& x);
/// Whether a < b, both of any size; throws LimitError where 2^17 bits do not tell.
bool certainly_less(const PowerProduct& a, const PowerProduct& b);
/// RATIONAL, or a decimal DIGITS e INTEGER whose power of ten may be of any size; throws InputError.
Interval parse_interval(const std::string& text, Bits precision);

}  // namespace critscale
