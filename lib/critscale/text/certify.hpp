// Values to the digits asked for, at rising precisions. Uses ball.hpp, precision.hpp and print.hpp.
#pragma once

#include <utility>

#include "critscale/number/ball.hpp"
#include "critscale/number/precision.hpp"
#include "critscale/text/print.hpp"

namespace critscale {

/// Digits that may be asked for.
inline constexpr long max_digits = 100000;

/// The precision limit used when none is stated: generous against cancellation, finite always.
Bits default_max_bits(long digits);

/// Throws InputError unless 1 <= digits <= max_digits.
void require_digits(long digits);

/// Throws LimitError that names the limit and the interval reached.
[[noreturn]] void throw_precision_limit(const Ball& reached, long digits, Bits max_bits);

/// The value f(bits) (a Ball) with its relative radius small enough for `digits` decimal digits,
/// or exact. Throws InputError for digits outside [1, max_digits], LimitError at the precision
/// limit (default_max_bits where 0 is given).
template <class F>
Ball certify_digits(long digits, F&& f, Bits max_bits = 0) {
  require_digits(digits);
  if (max_bits == 0) max_bits = default_max_bits(digits);
  return raise_precision(
      bits_for_digits(digits) + 32, max_bits, std::forward<F>(f),
      [digits](const Ball& x) { return has_digits(x, digits); },
      [digits, max_bits](const Ball& x) { throw_precision_limit(x, digits, max_bits); });
}

}  // namespace critscale
