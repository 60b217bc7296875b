// Rows of attention in binary64 with proved error bounds ([attention-binary64]). Private to tokens/; uses
// ball/attention.hpp and kernels.hpp.
#pragma once

#include <optional>
#include <vector>

#include "critscale/tokens/ball/detail/attention.hpp"
#include "critscale/tokens/binary64/detail/kernels.hpp"

namespace critscale {

/// What the rows of one head share.
class DoubleAttention {
 public:
  DoubleAttention(const AttentionHead& head, const AttentionOptions& options,
                  const TokenKernels& kernels = *token_kernels().front());

  /// Rows that are evaluated together, so that keys are read once for all of them.
  std::size_t rows_at_once() const;
  /// Enclosures of the quantities asked for, as good as binary64 allows; empty for rows its bounds do not
  /// cover.
  std::vector<std::optional<AttentionRow>> rows(std::span<const std::size_t> wanted) const;

 private:
  struct Row;
  bool scores(Row& row, const double* products, std::size_t first) const;
  AttentionRow values(const Row& row) const;

  const AttentionHead& head_;
  const AttentionOptions& options_;
  const TokenKernels& kernels_;
  BallAttention shared_;             ///< for the scales of rows
  std::vector<double> key_length_;   ///< |k_j| from above
  std::vector<double> value_bound_;  ///< max_l |v_jl|
};

}  // namespace critscale
