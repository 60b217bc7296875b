// Raising the precision until a question is decided: the two loops that everything certified uses. Uses
// exact.hpp.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "critscale/number/exact.hpp"

namespace critscale {

/// For questions that some precision decides, by proof.
inline constexpr Bits no_precision_limit = std::numeric_limits<Bits>::max() / 4;

/// Calls f(bits), which gives an optional or a pointer, at doubling precisions from `start` until it gives
/// something; the last call is at `most`. Empty where that gives nothing either.
template <class F>
auto decide(Bits start, Bits most, F&& f) -> decltype(f(start)) {
  for (Bits bits = std::min(start, most);; bits = std::min(2 * bits, most)) {
    auto decision = f(bits);
    if (decision || bits >= most) return decision;
  }
}

/// The last of f(bits) at doubling precisions from `start` on: the first with accept(result), or the one at
/// `most`.
template <class F, class Accept>
auto last_at_rising_precision(Bits start, Bits most, F&& f, Accept&& accept) {
  for (Bits bits = std::min(start, most);; bits = std::min(2 * bits, most)) {
    auto result = f(bits);
    if (bits >= most || accept(result)) return result;
  }
}

/// As above; where no precision up to `most` is accepted, give_up(result), which throws, is called.
template <class F, class Accept, class GiveUp>
auto raise_precision(Bits start, Bits most, F&& f, Accept&& accept, GiveUp&& give_up) {
  auto result = last_at_rising_precision(start, most, f, accept);
  if (!accept(result)) give_up(result);
  return result;
}

/// -1 or 1 for an enclosure (Ball, Interval) that does not meet 0; empty where the sign is not known, or
/// where the number is 0.
template <class Enclosure>
std::optional<int> known_sign(const Enclosure& x) {
  if (certainly(x.is_positive())) return 1;
  if (certainly(x.is_negative())) return -1;
  return std::nullopt;
}

}  // namespace critscale
