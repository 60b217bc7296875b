// Correct rounding to the binary formats of implementers, straight from an enclosure and never
// through decimal text. Uses ball.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "critscale/number/ball.hpp"

namespace critscale {

/// A binary interchange format: `precision` significant bits (the hidden one included), normal
/// exponents [min_exponent, max_exponent] for numbers 1.f 2^e, `width` bits of storage.
struct BinaryFormat {
  std::string_view name;
  int precision;
  int min_exponent;
  int max_exponent;
  int width;
};

inline constexpr BinaryFormat binary64{"binary64", 53, -1022, 1023, 64};
inline constexpr BinaryFormat binary32{"binary32", 24, -126, 127, 32};
inline constexpr BinaryFormat binary16{"binary16", 11, -14, 15, 16};
inline constexpr BinaryFormat bfloat16{"bfloat16", 8, -126, 127, 16};

/// The bit pattern of v rounded to nearest, ties to even, subnormals and overflow to infinity as
/// IEEE 754 has them. An exact zero is +0; a negative number too small is -0; nan is the quiet nan.
std::uint64_t round_to(const BinaryFormat& format, const Dyadic& v);

/// The bit pattern that every number in x rounds to, or nothing when two of them round
/// differently: then x needs more precision.
std::optional<std::uint64_t> round_to(const BinaryFormat& format, const Ball& x);

/// The number a bit pattern stands for (infinities and nan included), exactly.
Dyadic from_bits(const BinaryFormat& format, std::uint64_t bits);

/// The double with this bit pattern.
double as_double(std::uint64_t binary64_bits);

}  // namespace critscale
