// Results as CSV: the one writer that every command uses [results]. Uses io/csv.hpp and number/.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "critscale/number/ball.hpp"

namespace critscale::cli {

/// Rows of named cells. The columns are those declared, then all that any row has, in order of first
/// appearance; a cell that a row does not have is empty.
class CsvTable {
 public:
  explicit CsvTable(std::vector<std::string> columns = {});

  /// Starts the next row.
  void add_row() { rows_.emplace_back(); }
  /// Cells of the last row.
  void set(const std::string& column, std::string text);
  void set(const std::vector<std::pair<std::string, std::string>>& cells);
  /// COLUMN.value, COLUMN.lo and COLUMN.hi: `digits` certified digits where there are so many, and the
  /// enclosure rounded outward. Without a value the cells are empty. An empty name leaves value, lo, hi.
  void set(const std::string& column, const Ball* x, long digits);

  std::string text() const;

 private:
  std::size_t place(const std::string& column);

  std::vector<std::string> columns_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::vector<std::string>> rows_;
};

/// --decimal: from now on text() writes a cell that is a fraction p/q as a decimal, exactly where it ends,
/// else with 17 digits (within one unit of the last). Spreadsheets take 1/2 for a date.
void write_decimals();

/// "key=text;key=text" for a cell that holds all inputs.
std::string inputs_cell(const std::vector<std::pair<std::string, std::string>>& inputs);

}  // namespace critscale::cli
