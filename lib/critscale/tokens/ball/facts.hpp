// Explicit tokens in Ball arithmetic of any precision. Private to tokens/layer.cpp; uses ball_matrix.hpp and
// tokens/layer.hpp.
#pragma once

#include <vector>

#include "critscale/number/ball_matrix.hpp"
#include "critscale/tokens/formulas.hpp"
#include "critscale/tokens/layer.hpp"

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

/// The parameters of one layer.
struct BallRequest {
  Ball beta;
  Rational alpha;
  bool beta_is_zero;
  const TokenOptions& options;
};
/// One layer's values at the precision of `t`. Empty where an output cannot be told from zero: then
/// `vanishing` is its token. `moments` receives the sums of each row; those beyond `distance` where the
/// Jacobian is asked for and d > 1.
std::optional<TokenValues> evaluate_balls(const TokenSet& tokens, const TokenFacts& facts,
                                          const TokenBalls& t, const BallRequest& request,
                                          std::size_t& vanishing,
                                          std::vector<TokenRow<Ball>>* moments = nullptr);

/// Whether y'_i = y'_j for a reason that is exact: equal directions with equal residuals, or equal weights.
bool outputs_always_equal(const TokenSet& tokens, const TokenFacts& facts, const BallRequest& request,
                          std::size_t i, std::size_t j);

TokenGeometry geometry_of(const TokenFacts& facts, const TokenBalls& t);
std::vector<RowGaps> gaps_of(const TokenFacts& facts, const TokenBalls& t);

}  // namespace critscale
