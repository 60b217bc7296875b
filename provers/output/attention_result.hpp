// Results of `critscale attention` [results]. Uses tokens/attention.hpp and value.hpp.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "critscale/tokens/attention.hpp"
#include "inputs/attention_flags.hpp"

namespace critscale::cli {

/// Everything computed from one set of arrays.
struct AttentionResult {
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<RowQuantity> quantities;
  std::vector<std::vector<AttentionRow>> heads;  ///< batch items one after the other
  std::size_t value_width = 0, key_width = 0;
  /// One entry a batch item and key head.
  std::vector<AttentionGradients> gradients;
  /// Those to be shown.
  std::vector<Gradient> shown;
};

std::string render_attention(const AttentionResult& result, long digits, Format format);

}  // namespace critscale::cli
