// What an implementation may say where a number is asked for: a number, an infinity or nan. Uses
// number/.
#pragma once

#include <string>
#include <string_view>

#include "critscale/number/ball.hpp"

namespace critscale {

/// A number (as an enclosure; exact where the text was short enough), an infinity or nan.
struct Outcome {
  enum class Kind { number, nan, plus_infinity, minus_infinity } kind = Kind::number;
  Ball number;
  /// As it was written.
  std::string text;

  static Outcome of(Ball x) { return {Kind::number, std::move(x), {}}; }
  static Outcome special(Kind k) { return {k, Ball(), {}}; }
  bool is_number() const { return kind == Kind::number; }
};

/// Reads decimal or hexadecimal text, inf, infinity, nan (signs and capitals as printf and Python write
/// them). A decimal of any exponent is enclosed outward. Throws InputError.
Outcome parse_outcome(std::string_view text);

/// A decimal "-1.25e-300" as an enclosure, of relative radius at most 2^-bits. Throws InputError.
Ball enclose_decimal(std::string_view text, Bits bits);

/// A `value` of a table: all numbers within one unit of its last digit.
Ball enclose_value(std::string_view text);

}  // namespace critscale
