// Results of `critscale tokens` as JSON, text and CSV [results]. Uses model/ and nlohmann/json (in the .cpp
// only).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "critscale/tokens/layer.hpp"
#include "critscale/tokens/row.hpp"
#include "inputs/flags.hpp"

namespace critscale::cli {

/// One token set.
struct TokenSetResult {
  /// ("tokens", FILE) or ("gaussian", "n=...").
  std::pair<std::string, std::string> source;
  TokenGeometry geometry;
  std::vector<RowGaps> gaps;
};

/// One layer on it.
struct TokenLayerResult {
  const TokenSetResult* set;
  std::vector<std::pair<std::string, std::string>> inputs;
  TokenValues values;
  std::vector<AttendedRow> rows = {};
};

/// Everything computed: one result a layer, or one a set where no layer was asked for.
std::string render_tokens(const std::vector<TokenSetResult>& sets,
                          const std::vector<TokenLayerResult>& layers, long digits, Format format);

}  // namespace critscale::cli
