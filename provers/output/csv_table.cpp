// Results as CSV.
#include "output/csv_table.hpp"

#include "critscale/io/detail/csv.hpp"
#include "critscale/text/parse.hpp"
#include "critscale/text/print.hpp"

namespace critscale::cli {

namespace {

bool decimals = false;

bool is_fraction(std::string_view cell) {
  const std::size_t slash = cell.find('/');
  if (slash == cell.npos || slash == 0 || slash + 1 == cell.size()) return false;
  const std::string_view top = cell.substr(cell[0] == '-' ? 1 : 0, slash - (cell[0] == '-' ? 1 : 0));
  constexpr std::string_view digits = "0123456789";
  return !top.empty() && top.find_first_not_of(digits) == top.npos &&
         cell.find_first_not_of(digits, slash + 1) == cell.npos;
}

std::string as_decimal(const std::string& cell) {
  constexpr long digits = 17;
  if (!is_fraction(cell)) return cell;
  return print(Ball(parse_rational(cell), bits_for_digits(digits) + 64), digits).value.value_or(cell);
}

void append_line(std::string& out, const std::vector<std::string>& cells, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    if (i > 0) out += ',';
    if (i < cells.size()) append_csv_cell(out, decimals ? as_decimal(cells[i]) : cells[i]);
  }
  out += '\n';
}

}  // namespace

void write_decimals() { decimals = true; }

CsvTable::CsvTable(std::vector<std::string> columns) {
  for (const std::string& c : columns) place(c);
}

std::size_t CsvTable::place(const std::string& column) {
  const auto [it, added] = places_.try_emplace(column, columns_.size());
  if (added) columns_.push_back(column);
  return it->second;
}

void CsvTable::set(const std::string& column, std::string text) {
  const std::size_t i = place(column);
  std::vector<std::string>& row = rows_.back();
  if (row.size() <= i) row.resize(i + 1);
  row[i] = std::move(text);
}

void CsvTable::set(const std::vector<std::pair<std::string, std::string>>& cells) {
  for (const auto& [column, text] : cells) set(column, text);
}

void CsvTable::set(const std::string& column, const Ball* x, long digits) {
  const PrintedValue p = x ? print(*x, digits) : PrintedValue{};
  const std::string prefix = column.empty() ? "" : column + ".";
  set(prefix + "value", p.value.value_or(""));
  set(prefix + "lo", p.lo);
  set(prefix + "hi", p.hi);
}

std::string CsvTable::text() const {
  std::string r;
  append_line(r, columns_, columns_.size());
  for (const auto& row : rows_) append_line(r, row, columns_.size());
  return r;
}

std::string inputs_cell(const std::vector<std::pair<std::string, std::string>>& inputs) {
  std::string r;
  for (const auto& [key, text] : inputs) {
    if (!r.empty()) r += ';';
    r += key + "=" + text;
  }
  return r;
}

}  // namespace critscale::cli
