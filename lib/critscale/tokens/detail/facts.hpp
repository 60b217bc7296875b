// What is decided exactly about explicit tokens: equal directions, lines, outputs that are equal for a
// reason. Private to tokens/; uses set.hpp and values.hpp.
#pragma once

#include <vector>

#include "critscale/tokens/set.hpp"
#include "critscale/tokens/values.hpp"

namespace critscale {

/// What is decided exactly about a set of tokens.
struct TokenFacts {
  explicit TokenFacts(const TokenSet& tokens);
  bool tied(std::size_t i, std::size_t j) const { return direction[i] == direction[j]; }

  std::vector<std::size_t> direction;             ///< TokenSet::direction_classes
  std::vector<std::vector<std::size_t>> members;  ///< the tokens of each direction, ascending
  std::vector<bool> opposite;                     ///< y_i = -y_0; filled where all tokens lie on one line
  bool collinear = false;                         ///< all tokens lie on one line
  bool all_tied = false;
  std::size_t pairs = 0, tied_pairs = 0;
};

/// The parameters of one layer.
struct LayerRequest {
  Ball beta;
  Rational alpha;
  bool beta_is_zero;
  const TokenOptions& options;
};

/// Whether y'_i = y'_j for a reason that is exact: equal directions with equal residuals, or equal weights.
bool outputs_always_equal(const TokenSet& tokens, const TokenFacts& facts, const LayerRequest& request,
                          std::size_t i, std::size_t j);

}  // namespace critscale
