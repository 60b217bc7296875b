// Several results in one text: JSON and plain text [results]. Uses nlohmann-json.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace critscale::cli {

/// One result as it is, several as {"schema": 1, "results": [...]}; `json_of(i)` gives result i.
template <class F>
std::string results_json(std::size_t count, bool several, F json_of) {
  if (!several) return json_of(std::size_t{0}).dump(2) + "\n";
  nlohmann::ordered_json r = {{"schema", 1}, {"results", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < count; ++i) r["results"].push_back(json_of(i));
  return r.dump(2) + "\n";
}

/// Texts with an empty line between; `text_of(i)` gives result i.
template <class F>
std::string results_text(std::size_t count, F text_of) {
  std::string r;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) r += "\n";
    r += text_of(i);
  }
  return r;
}

}  // namespace critscale::cli
