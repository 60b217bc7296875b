// Gradients of attention in double-double arithmetic with proved error bounds ([attention-pairs]):
// of the rows and keys for which binary64 was not enough. Private to tokens/; uses attention.hpp and
// pair_kernels.hpp.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "critscale/tokens/binary64/detail/attention.hpp"
#include "critscale/tokens/binary64/detail/pair_kernels.hpp"

namespace critscale {

/// Which gradients have not got their digits yet: rows of dq, a head, and rows of dk or dv, ascending.
struct OpenGradients {
  std::vector<std::vector<std::size_t>> queries;
  std::vector<std::size_t> keys;
  bool sink = false;

  /// `enough`: whether an entry needs nothing more.
  static OpenGradients of(const AttentionGradients& g, std::size_t d, std::size_t e,
                          const std::function<bool(const Ball&)>& enough);
  bool none() const;
};

/// Outputs of these rows of one head ([attention-pairs]), each of e numbers; none for rows that the bounds do
/// not cover or that see one key at most.
std::vector<std::vector<Ball>> outputs_in_pairs(const AttentionHead& head, const AttentionOptions& options,
                                                const Checkpoint& checkpoint,
                                                std::span<const std::size_t> wanted,
                                                const PairKernels& kernels = pair_kernels());

/// Replaces the entries that are not `enough` in these rows by what double-double arithmetic gives; rows and
/// keys that its bounds do not cover stay as they are. One pass over all pairs where keys are open or a
/// sink, over the rows concerned otherwise; memory grows like n (d + e).
void refine_gradients(std::span<const AttentionHead> heads, std::span<const std::span<const double>> d_out,
                      const AttentionOptions& options, const Checkpoint& checkpoint,
                      const OpenGradients& open, const std::function<bool(const Ball&)>& enough,
                      AttentionGradients& gradients, const PairKernels& kernels = pair_kernels());

}  // namespace critscale
