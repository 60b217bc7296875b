// Outputs x'_i = 0, whose direction does not exist (theory §1). Uses token_set.hpp.
#pragma once

#include "critscale/model/token_set.hpp"

namespace critscale {

/// Whether the output of token i at beta = 0, the mean of all directions plus alpha x_i, is zero; decided
/// exactly.
bool output_of_means_is_zero(const TokenSet& tokens, const Rational& alpha, std::size_t i);

/// UndefinedError: the output of token i is zero.
[[noreturn]] void throw_zero_output(std::size_t i);
/// LimitError: the output of token i cannot be told from zero at this precision.
[[noreturn]] void throw_vanishing_output(std::size_t i, Bits bits);

}  // namespace critscale
