// Outputs x'_i = 0, whose direction does not exist ([layer]). Uses set.hpp.
#pragma once

#include "critscale/tokens/set.hpp"

namespace critscale {

/// Whether the output of token i at beta = 0, the mean of all directions plus alpha x_i, is zero; decided
/// exactly.
bool output_of_means_is_zero(const TokenSet& tokens, const Rational& alpha, std::size_t i);

/// Whether the output of token i is zero, for tokens on one line of which token i has a rational norm, and
/// beta = gamma ln n with gamma > 0; `same` tokens have its direction (itself included) and the others the
/// opposite one. Decided exactly where gamma's denominator is moderate, and else no.
bool output_on_line_is_zero(const TokenSet& tokens, const Rational& gamma, const Rational& alpha,
                            std::size_t i, std::size_t same);

/// UndefinedError: the output of token i is zero.
[[noreturn]] void throw_zero_output(std::size_t i);
/// LimitError: the output of token i cannot be told from zero at this precision.
[[noreturn]] void throw_vanishing_output(std::size_t i, Bits bits);

}  // namespace critscale
