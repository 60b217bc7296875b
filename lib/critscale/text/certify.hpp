// Raising the precision until a question is decided. Uses ball.hpp and print.hpp.
#pragma once

#include <algorithm>
#include <utility>

#include "critscale/number/ball.hpp"
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

/// Calls f(bits) at rising precisions from `start` on until accept(result); the last call is at
/// `max_bits`, and when that is not accepted either `give_up(result)` is called, which throws.
template <class F, class Accept, class GiveUp>
auto raise_precision(Bits start, Bits max_bits, F&& f, Accept&& accept, GiveUp&& give_up) {
  for (Bits bits = std::min(start, max_bits);; bits = std::min(2 * bits, max_bits)) {
    auto result = f(bits);
    if (accept(result)) return result;
    if (bits >= max_bits) give_up(result);
  }
}

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
