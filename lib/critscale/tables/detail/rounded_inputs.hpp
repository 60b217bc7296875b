// Questions about the numbers that a format holds in place of those written. Uses question.hpp.
#pragma once

#include <string>

#include "critscale/number/rounding.hpp"
#include "critscale/tables/question.hpp"

namespace critscale {

/// The question about the inputs rounded to nearest in this format, each as the exact decimal of the
/// rounded number. Counts (n, position, visible, keys, train) stay. Throws InputError where one overflows.
Question rounded_inputs(const Question& q, const BinaryFormat& format);

/// The decimal digits of a fraction whose denominator is a power of 2.
std::string exact_decimal(const Rational& dyadic);

}  // namespace critscale
