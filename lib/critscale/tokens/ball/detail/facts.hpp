// Explicit tokens in Ball arithmetic of any precision. Private to tokens/; uses product.hpp, facts.hpp and
// values.hpp.
#pragma once

#include <vector>

#include "critscale/tokens/ball/detail/product.hpp"
#include "critscale/tokens/detail/facts.hpp"
#include "critscale/tokens/detail/formulas.hpp"
#include "critscale/tokens/gap_counting.hpp"

namespace critscale {

/// What depends on the tokens alone, at one precision. Keeps a reference to the tokens and to what is decided
/// about them.
struct TokenBalls {
  TokenBalls(const TokenSet& tokens, const TokenFacts& facts, Bits bits, const Checkpoint& checkpoint = {});

  /// D_ij = |y_i - y_j|^2/2, exactly 0 for ties.
  Ball distance(std::size_t i, std::size_t j) const;
  /// <y_i, y_j>, with its digits also near 0, from `distance(i, j)`.
  Ball cosine(std::size_t i, std::size_t j, const Ball& distance) const;
  Ball cosine(std::size_t i, std::size_t j) const { return cosine(i, j, distance(i, j)); }

  const TokenSet& tokens;
  const TokenFacts& facts;
  std::size_t n, d;
  Bits bits;
  std::vector<Ball> norm;  ///< r_i
  BallMatrix W, K;         ///< w_i = y_i - centre, and their Gram matrix
  std::vector<Ball> s;     ///< its diagonal, |w_i|^2
  std::vector<Ball> centre;
};

/// |a_i - a_j|^2 of two rows whose Gram matrix has these entries, or by differences where that has lost
/// digits.
Ball gram_distance2(const BallMatrix& rows, const Ball& ii, const Ball& jj, const Ball& ij, std::size_t i,
                    std::size_t j);

/// One layer's values at the precision of `t`. Empty where an output cannot be told from zero: then
/// `vanishing` is its token. `moments` receives the sums of each row; those beyond `distance` where the
/// Jacobian is asked for and d > 1.
std::optional<TokenValues> evaluate_balls(const TokenBalls& t, const LayerRequest& request,
                                          std::size_t& vanishing,
                                          std::vector<TokenRow<Ball>>* moments = nullptr);

TokenGeometry geometry_of(const TokenBalls& t, const Checkpoint& checkpoint = {});
std::vector<RowGaps> gaps_of(const TokenBalls& t, const Checkpoint& checkpoint = {});

}  // namespace critscale
