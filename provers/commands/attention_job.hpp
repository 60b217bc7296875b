// Attention of all heads and batch items, by this process or by all of an mpirun. Uses jobs/ranks.hpp and
// inputs/attention_arrays.hpp.
#pragma once

#include <vector>

#include "critscale/tokens/attention.hpp"
#include "inputs/attention_arrays.hpp"

namespace critscale::cli {

struct AttentionValues {
  std::vector<std::vector<AttentionRow>> heads;  ///< batch items one after the other
  /// One entry a batch item and key head; none where they are not wanted.
  std::vector<AttentionGradients> gradients;
};

/// In the first process everything; in the others nothing. The values are the same, to the last bit, for any
/// number of processes. `threads` of 0: as Ranks has it.
AttentionValues compute_attention(const AttentionArrays& arrays, const AttentionOptions& options,
                                  bool with_gradients, std::size_t threads);

}  // namespace critscale::cli
