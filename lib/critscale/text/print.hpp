// Decimal text of certified numbers; every rounding is outward. Uses ball.hpp and dyadic.hpp.
#pragma once

#include <optional>
#include <string>

#include "critscale/number/ball.hpp"

namespace critscale {

/// An enclosure as text: what the command line calls V (a value, two ends, hexadecimal ends).
struct PrintedValue {
  /// A decimal of `digits` significant digits within one unit of its last digit of the true value;
  /// an exact value whose decimal expansion fits is written out exactly. Empty when not a single
  /// digit is certain.
  std::optional<std::string> value;
  /// Decimal ends, rounded outward: the true value lies in [lo, hi]. "-inf" and "inf" where
  /// nothing is known.
  std::string lo, hi;
  /// How many digits `value` has been certified to; 0 without a value.
  long digits = 0;
};

/// Text of an enclosure with at most `digits` (>= 1) significant digits.
PrintedValue print(const Ball& x, long digits);

/// print(x, digits).value at less cost.
std::optional<std::string> print_value(const Ball& x, long digits);

/// The largest decimal of at most `digits` digits found that is not above v ("-inf" for -inf).
std::string decimal_below(const Dyadic& v, long digits);
/// The smallest decimal of at most `digits` digits found that is not below v ("inf" for inf).
std::string decimal_above(const Dyadic& v, long digits);

/// The hexadecimal ends of an enclosure; exact, so they round-trip through Dyadic::from_hex.
struct HexEnclosure {
  std::string lo, hi;
};
HexEnclosure hex_enclosure(const Ball& x);

/// Bits of relative accuracy that guarantee `digits` decimal digits in the sense of PrintedValue.
Bits bits_for_digits(long digits);

/// Whether print(x, digits) has a value with all digits asked for, or x is exact.
bool has_digits(const Ball& x, long digits);

}  // namespace critscale
