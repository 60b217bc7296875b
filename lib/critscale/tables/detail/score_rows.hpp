// The inputs of questions about rows of attention as binary64 numbers, for bounds that need no more. Uses
// question.hpp.
#pragma once

#include <vector>

#include "critscale/tables/question.hpp"

namespace critscale {

/// Scores less their maximum, taken exactly before they are rounded; minus infinity for masked entries.
struct ScoreRow {
  std::vector<double> x;
  double maximum = 0;
};
ScoreRow score_row_of(const std::vector<Score>& scores);

/// An attention_row question: its keys, then its sink as one more key with values 0. Keys beyond
/// `visible` are masked.
struct MaskedRow {
  ScoreRow scores;
  bool is_scaled = false;
  double cap = 0;                            ///< 0 without a softcap
  std::vector<double> scaled, capped;        ///< the scores after 1/sqrt d, and after the cap
  std::vector<std::vector<double>> columns;  ///< values by column
};
MaskedRow masked_row_of(const Question& q);

/// A layer question: each token's scores against all.
struct LayerRows {
  std::vector<std::vector<double>> tokens, directions;
  double beta = 0, alpha = 0;
  std::vector<ScoreRow> scores;
};
LayerRows layer_rows_of(const Question& q);

/// The number of keys that an attention_row question shows: `visible`, else all. Throws InputError.
std::size_t visible_keys(const Question& q, std::size_t keys);

}  // namespace critscale
