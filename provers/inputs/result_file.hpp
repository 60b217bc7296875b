// Result files of this program, read back for plots: tables (.csv), and the JSON of eval, tokens, boundary,
// schedule and random. Numbers stay the texts that were written. Uses tables/reader.hpp and nlohmann/json
// (in the .cpp only).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace critscale::cli {

/// One certified number as it was written; texts that the result does not have are empty.
struct Reading {
  std::string value, lo, hi;
  bool empty() const { return value.empty() && lo.empty() && hi.empty(); }
};

/// One point of a result.
struct ResultRow {
  /// The case's id, without the inputs that a table adds to it.
  std::string id;
  /// Exact texts; bands as "band[l].r" and "band[l].size".
  std::vector<std::pair<std::string, std::string>> inputs;
  /// By label: "self_weight", "inner_products[0]", "inner_products.mean", "transitions[0]",
  /// "gamma_effective".
  std::vector<std::pair<std::string, Reading>> readings;
  /// Exact phase boundaries in gamma, where the result names them.
  std::vector<std::string> thresholds;

  /// The text of an input; empty where there is none.
  std::string_view input(std::string_view key) const;
  const Reading* reading(std::string_view label) const;
};

enum class ResultKind { values, tokens, boundary, schedule, random };

struct ResultFile {
  std::string path;
  ResultKind kind = ResultKind::values;
  /// What the numbers are certified to: "6 digits".
  std::string precision;
  std::vector<ResultRow> rows;
};

/// Reads one result file. Throws InputError that names the file and what is wrong with it: a damaged
/// table, JSON that is not a result, a result without numbers to draw.
ResultFile read_result(const std::string& path);

}  // namespace critscale::cli
