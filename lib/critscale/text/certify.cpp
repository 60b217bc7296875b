// Raising the precision: limits and the named failure.
#include "critscale/text/certify.hpp"

#include <fmt/format.h>

namespace critscale {

Bits default_max_bits(long digits) { return 8 * bits_for_digits(digits) + 16384; }

void require_digits(long digits) {
  if (digits < 1 || digits > max_digits)
    throw InputError(fmt::format("digits must be between 1 and {}, found {}", max_digits, digits));
}

void throw_precision_limit(const Ball& reached, long digits, Bits max_bits) {
  const PrintedValue p = print(reached, 10);
  throw LimitError(fmt::format("{} digits not certified at the limit of {} bits; reached [{}, {}]", digits,
                               max_bits, p.lo, p.hi));
}

}  // namespace critscale
