// Results as CSV.
#include "output/csv_table.hpp"

#include "critscale/io/csv.hpp"
#include "critscale/text/print.hpp"

namespace critscale::cli {

namespace {

void append_line(std::string& out, const std::vector<std::string>& cells, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    if (i > 0) out += ',';
    if (i < cells.size()) append_csv_cell(out, cells[i]);
  }
  out += '\n';
}

}  // namespace

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
