// Explicit tokens in Ball arithmetic of any precision. Private to tokens/; uses ball_matrix.hpp, facts.hpp
// and values.hpp.
#pragma once

#include <vector>

#include "critscale/number/ball_matrix.hpp"
#include "critscale/tokens/facts.hpp"
#include "critscale/tokens/formulas.hpp"
#include "critscale/tokens/gap_counting.hpp"

namespace critscale {

/// What depends on the tokens alone, at one precision.
struct TokenBalls {
  TokenBalls(const TokenSet& tokens, const TokenFacts& facts, Bits bits);

  std::size_t n, d;
  Bits bits;
  std::vector<Ball> norm;  ///< r_i
  BallMatrix G;            ///< <y_i, y_j>
  BallMatrix W, K;         ///< w_i = y_i - centre, and their Gram matrix
  BallMatrix D;            ///< |y_i - y_j|^2/2, exactly 0 for ties
  std::vector<Ball> centre;
};

/// |a_i - a_j|^2 of two rows from their Gram matrix, or by differences where that has lost digits.
Ball gram_distance2(const BallMatrix& rows, const BallMatrix& gram, std::size_t i, std::size_t j);

/// One layer's values at the precision of `t`. Empty where an output cannot be told from zero: then
/// `vanishing` is its token. `moments` receives the sums of each row; those beyond `distance` where the
/// Jacobian is asked for and d > 1.
std::optional<TokenValues> evaluate_balls(const TokenSet& tokens, const TokenFacts& facts,
                                          const TokenBalls& t, const LayerRequest& request,
                                          std::size_t& vanishing,
                                          std::vector<TokenRow<Ball>>* moments = nullptr);

TokenGeometry geometry_of(const TokenFacts& facts, const TokenBalls& t);
std::vector<RowGaps> gaps_of(const TokenFacts& facts, const TokenBalls& t);

}  // namespace critscale
