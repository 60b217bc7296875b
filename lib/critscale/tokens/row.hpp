// One row of the layer on explicit tokens ([layer]): the softmax weights of a query token and its output,
// number by number. Uses layer.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "critscale/tokens/layer.hpp"

namespace critscale {

struct AttendedRow {
  std::size_t i = 0;          ///< the query token, counted from 0
  std::vector<Ball> weights;  ///< A_ij, n of them
  std::vector<Ball> output;   ///< x'_i = alpha x_i + sum_j A_ij y_j, d coordinates
};

/// Row i with `digits` certified digits; a coordinate that cannot be told from 0 is a tiny enclosure of it.
/// `checkpoint` is called before every precision that is tried. Throws InputError for a row that does not
/// exist, LimitError at the precision limit (0: by the digits). Takes time and memory of n d numbers.
AttendedRow token_row(const TokenSet& tokens, const LogitScale& scale, const Rational& alpha, std::size_t i,
                      long digits, Bits max_bits = 0, const std::function<void()>& checkpoint = {});

}  // namespace critscale
