// CSV text.
#include "critscale/io/detail/csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

void append_csv_cell(std::string& out, std::string_view text) {
  const auto needs_quotes = [](char c) { return c == ',' || c == '"' || c == '\n' || c == '\r'; };
  if (std::none_of(text.begin(), text.end(), needs_quotes)) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string csv_cell(std::string_view text) {
  std::string r;
  append_csv_cell(r, text);
  return r;
}

std::vector<std::string> split_csv(std::string_view line) {
  const auto malformed = [&] { return InputError(fmt::format("not a CSV line: {}", in_quotes(line))); };
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string& cell = cells.back();
    if (line[i] == ',') {
      cells.emplace_back();
    } else if (line[i] != '"') {
      cell += line[i];
    } else {
      if (!cell.empty()) throw malformed();
      for (++i;; ++i) {
        if (i >= line.size()) throw malformed();
        if (line[i] != '"')
          cell += line[i];
        else if (i + 1 < line.size() && line[i + 1] == '"')
          cell += line[i++];
        else
          break;
      }
      if (i + 1 < line.size() && line[i + 1] != ',') throw malformed();
    }
  }
  return cells;
}

}  // namespace critscale
