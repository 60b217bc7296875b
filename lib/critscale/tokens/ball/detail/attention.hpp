// One row of attention in Ball arithmetic ([attention-forward]). Private to tokens/; uses attention.hpp.
#pragma once

#include <cmath>
#include <utility>

#include "critscale/tokens/attention.hpp"

namespace critscale {

/// A row's keys in their order, with what the gradients need.
struct BallWeights {
  std::vector<std::size_t> keys;  ///< those visible
  std::vector<Ball> weight;       ///< P_ij
  std::vector<Ball> slope;        ///< cap'_ij; empty without a softcap
  std::size_t top = 0;            ///< where in `keys` the largest score is, as far as can be told
  Ball scale;                     ///< scale m_i
  Ball lse, sink, entropy, square_sum, max;
};

/// What the rows of one head share at one precision.
class BallAttention {
 public:
  BallAttention(const AttentionHead& head, const AttentionOptions& options, Bits bits);

  /// scale m_i; beta for unit queries and keys.
  Ball row_scale(std::size_t i) const;
  BallWeights weights(std::size_t i) const;
  /// sum_j P_ij v_jl for these l, with exact values where they are exact.
  std::vector<Ball> output(const BallWeights& w, std::span<const std::size_t> columns) const;
  AttentionRow row(std::size_t i) const;
  /// P_ij (<dO_i, v_j> - D_i) cap'_ij over the row's keys, and - P_sink D_i in `dsink`.
  std::vector<Ball> score_gradients(const BallWeights& w, std::span<const double> d_out, Ball& dsink) const;

 private:
  bool wants(RowQuantity q) const;

  const AttentionHead& head_;
  const AttentionOptions& options_;
  Bits bits_;
  Ball factor_;  ///< the scale that all rows share
};

/// The keys [first, last) that row i sees by position.
std::pair<std::size_t, std::size_t> keys_in_place(const AttentionHead& head, const AttentionOptions& options,
                                                  std::size_t i);
/// Whether the mask hides key j from row i.
inline bool is_masked(const AttentionHead& head, std::size_t i, std::size_t j) {
  const std::size_t at = i * head.n + j;
  return (!head.visible.empty() && head.visible[at] == 0) ||
         (!head.bias.empty() && head.bias[at] == -HUGE_VAL);
}
/// The keys that row i sees, by position and mask.
std::vector<std::size_t> visible_keys(const AttentionHead& head, const AttentionOptions& options,
                                      std::size_t i);
/// Where row i stands among the keys; empty before the first.
std::optional<std::size_t> position_of(const AttentionHead& head, const AttentionOptions& options,
                                       std::size_t i);

}  // namespace critscale
