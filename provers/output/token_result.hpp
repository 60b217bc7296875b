// Results of `critscale tokens` as JSON, text and CSV [results]. Uses model/ and nlohmann/json (in the .cpp
// only).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "critscale/random/detail/effective.hpp"
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
  /// The random keys that the inner products resemble, where they vary and are not too many to sum.
  std::optional<random::EffectiveKeys> resembles;
};

/// The entries in binary64, for estimates.
std::vector<double> rounded_entries(const TokenSet& tokens);
/// The estimate for a set; nothing where it has none.
std::optional<random::EffectiveKeys> resembled_keys(const TokenSet& tokens);

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
