// The arithmetic an implementation computes in: which format holds what, and in which order sums are
// taken. What rounding may do in it is in allowance.hpp. Uses number/rounding.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "critscale/number/rounding.hpp"

namespace critscale {

/// The formats an implementation computes in.
inline constexpr std::array<const BinaryFormat*, 4> formats{&binary64, &binary32, &bfloat16, &binary16};

/// "fp64", "fp32", "bf16", "fp16": the formats' names in frameworks. Throws InputError that lists them.
const BinaryFormat& format_by_short_name(std::string_view name);
std::string_view short_name(const BinaryFormat& format);

/// Orders of summation, by what they cost: sums of n terms in any order (an online softmax with blocks of
/// one key included), one after the other, pairwise, or in blocks of `block` terms whose sums are added up.
struct SummationOrder {
  enum class Kind { any, sequential, pairwise, blocked } kind = Kind::any;
  std::size_t block = 64;

  /// The most roundings that one term of n passes through; `rescalings` counts how often a running maximum
  /// can grow, which only an online softmax (any) pays for.
  double roundings(std::size_t n, std::size_t rescalings = 0) const;
};

/// Inputs and outputs are held in `format`, elementwise results (scores, exponentials, quotients) in
/// `elementwise`, sums and products are accumulated in `accumulate` and then rounded to `elementwise`, and
/// weights are rounded to `weights` before they meet the values.
struct Arithmetic {
  const BinaryFormat* format = &binary64;
  const BinaryFormat* elementwise = &binary64;
  const BinaryFormat* accumulate = &binary64;
  const BinaryFormat* weights = &binary64;
  SummationOrder order;

  /// "fp32", "bf16,accumulate=fp32,weights=bf16,order=any", as --arithmetic takes it. Unless said
  /// otherwise all is held in the first format, but bf16 and fp16 accumulate in fp32. Throws InputError.
  static Arithmetic parse(std::string_view text);
  static Arithmetic of(const BinaryFormat& format);
  std::string to_string() const;
};

/// The unit roundoff 2^-precision: the largest relative error of rounding to nearest.
double unit_roundoff(const BinaryFormat& format);
/// The largest error of a result too small for a normal number: the smallest subnormal number, or the
/// smallest normal one in the formats that are commonly flushed to zero (binary32, bfloat16).
double underflow_error(const BinaryFormat& format);

}  // namespace critscale
