// When values of explicit tokens and attention need no more precision, and which one still does. Uses
// text/certify.hpp.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/text/certify.hpp"

namespace critscale {

/// Digits that the binary64 path is tried for.
inline constexpr long binary64_digits = 10;

/// Bits beyond those of the digits after which a number that still cannot be told from 0 is given up.
inline constexpr Bits bits_of_zero = 512;

/// Whether a value needs no more precision: it has its digits, or it is 0 as far as can be told.
inline bool settled(const Ball& x, long digits) {
  return has_digits(x, digits) ||
         (x.is_finite() && x.contains_zero() &&
          mag_cmp_2exp_si(arb_radref(x.raw()), -(bits_for_digits(digits) + bits_of_zero / 2)) < 0);
}

/// The value with the fewest accurate bits among those that are not settled.
class Unsettled {
 public:
  /// `zero_is_enough`: whether a tiny enclosure of 0 counts as settled.
  explicit Unsettled(long digits, bool zero_is_enough = true)
      : digits_(digits), zero_is_enough_(zero_is_enough) {}
  void look(std::string_view name, const Ball& x) {
    const bool done = zero_is_enough_ ? settled(x, digits_) : has_digits(x, digits_);
    if (done || (worst_ && worst_->accurate_bits() <= x.accurate_bits())) return;
    worst_ = x;
    name_ = name;
  }
  void look(std::string_view name, const std::vector<Ball>& values) {
    for (const Ball& x : values) look(name, x);
  }
  void look(std::string_view name, const std::optional<Ball>& value) {
    if (value) look(name, *value);
  }
  bool found() const { return worst_.has_value(); }
  /// Throws LimitError that names the value, after `where` (may be empty).
  [[noreturn]] void raise(Bits max_bits, const std::string& where = "") const {
    try {
      throw_precision_limit(*worst_, digits_, max_bits);
    } catch (const LimitError& error) {
      throw LimitError(fmt::format("{}{}{}: {}", where, where.empty() ? "" : ", ", name_, error.what()));
    }
  }

 private:
  long digits_;
  bool zero_is_enough_;
  std::optional<Ball> worst_;
  std::string_view name_;
};

}  // namespace critscale
