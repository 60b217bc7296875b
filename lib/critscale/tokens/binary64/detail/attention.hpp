// Attention in binary64 with proved error bounds: rows ([attention-binary64]) and gradients
// ([attention-backward-binary64]). Private to tokens/; uses ball/attention.hpp and kernels.hpp.
#pragma once

#include <optional>
#include <vector>

#include "critscale/tokens/ball/detail/attention.hpp"
#include "critscale/tokens/ball/detail/product.hpp"
#include "critscale/tokens/binary64/detail/bounded.hpp"
#include "critscale/tokens/binary64/detail/kernels.hpp"

namespace critscale {

/// One row: its keys' terms E_j relative to the largest score, whose own term is exactly 1.
struct DoubleAttentionRow {
  std::size_t i = 0;
  std::size_t first = 0, last = 0;  ///< the keys it sees by position, counted from the block's first
  std::size_t seen = 0;             ///< how many of them the mask leaves
  bool covered = false;             ///< whether the bounds apply
  std::size_t top = 0;              ///< the key of the largest score, counted from the block's first
  double score = 0, score_error = 0;
  double of_key = 0, of_all = 0;  ///< E_j has the relative error of_key |k_j| + of_all, j other than top
  double slope_of_key = 0, slope_of_all = 0;  ///< the same for the softcap's slope
  double rest = 0, rest_error = 0;  ///< sum of E_j, j other than top, and its bound but for the summation's
  double rest2 = 0, weighted = 0, weighted_error = 0;  ///< of E_j^2; of E_j t_j
  double reach = 0, reach_error = 0;  ///< of E_j max_l |v_jl|; of that times the relative error
  double second = 0;                  ///< the largest E_j but that of top
  double error_at_most = 0;           ///< the largest relative error of an E_j
  Bounded scale, total, sink;         ///< scale m_i; Z' and the sink's term, relative to the largest score
  Ball total_ball;
};

/// A few rows with the keys that one of them sees by position.
struct AttentionBlock {
  std::size_t first = 0, count = 0;
  std::vector<DoubleAttentionRow> rows;
  std::vector<double> E;      ///< rows x count; 0 where not seen
  std::vector<double> slope;  ///< the same of the softcap's slope, where gradients are wanted
};

/// What the rows of one head share.
class DoubleAttention {
 public:
  DoubleAttention(const AttentionHead& head, const AttentionOptions& options,
                  const TokenKernels& kernels = *token_kernels().front());

  /// Rows that are evaluated together, so that keys are read once for all of them.
  static std::size_t rows_at_once(std::size_t keys);
  std::size_t rows_at_once() const { return rows_at_once(head_.n); }
  /// Enclosures of the quantities asked for, as good as binary64 allows; empty for rows its bounds do not
  /// cover. The bytes depend on which rows are asked for together.
  std::vector<std::optional<AttentionRow>> rows(std::span<const std::size_t> wanted) const;
  AttentionBlock block(std::span<const std::size_t> wanted, bool with_slopes) const;

  const AttentionHead& head() const { return head_; }
  const AttentionOptions& options() const { return options_; }
  const TokenKernels& kernels() const { return kernels_; }
  const std::vector<double>& key_lengths() const { return key_length_; }
  /// Whether the bounds apply to this many keys and coordinates at all.
  bool applies() const;

 private:
  struct Scratch;
  void products(AttentionBlock& block, std::span<const std::size_t> wanted) const;
  bool scores(DoubleAttentionRow& row, double* s, double* slope, std::size_t first, Scratch& scratch) const;
  void cap(DoubleAttentionRow& row, double* s, double* slope, double& error, Scratch& scratch) const;
  void terms(DoubleAttentionRow& row, double* s, std::size_t first, Scratch& scratch) const;
  AttentionRow values(const DoubleAttentionRow& row, const double* E, const double* sums,
                      std::size_t first) const;

  const AttentionHead& head_;
  const AttentionOptions& options_;
  const TokenKernels& kernels_;
  BallAttention shared_;             ///< for the scales of rows
  std::optional<Bounded> scale_;     ///< the scale where all rows have one
  std::vector<double> key_length_;   ///< |k_j| from above
  std::vector<double> value_bound_;  ///< max_l |v_jl|
  std::vector<double> key_value_;    ///< their products
  double longest_key_ = 0, all_values_ = 0;
};

/// |row| from above, also where squares leave the range of doubles.
double length_bound(const TokenKernels& kernels, const double* row, std::size_t d);
bool wants(const AttentionOptions& options, RowQuantity q);

/// All gradients, as good as binary64 allows. Empty where its bounds do not cover a row.
std::optional<AttentionGradients> gradients_binary64(std::span<const AttentionHead> heads,
                                                     std::span<const std::span<const double>> d_out,
                                                     const AttentionOptions& options,
                                                     const Checkpoint& checkpoint);

}  // namespace critscale
