// The page of a reference table or of a JSON result: its figures and its numbers. Uses report.hpp and plots/.
#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/errors.hpp"
#include "plots/plan.hpp"
#include "report/report.hpp"

namespace critscale::cli::html {

namespace {

/// Rows and columns that one page shows; the file has the others.
constexpr std::size_t most_rows = 2000, most_columns = 24, most_figures = 60;

std::vector<std::string> labels_of(const ResultFile& file) {
  std::vector<std::string> r;
  for (const ResultRow& row : file.rows)
    for (const auto& [label, reading] : row.readings)
      if (std::find(r.begin(), r.end(), label) == r.end() && r.size() < most_columns) r.push_back(label);
  return r;
}

std::vector<std::string> keys_of(const ResultFile& file) {
  std::vector<std::string> r;
  for (const ResultRow& row : file.rows)
    for (const auto& [key, text] : row.inputs)
      if (std::find(r.begin(), r.end(), key) == r.end()) r.push_back(key);
  return r;
}

std::string shown(const Reading& reading) {
  if (reading.empty()) return "";
  if (reading.value.empty()) return fmt::format("[{}, {}]", escape(reading.lo), escape(reading.hi));
  const std::string ends =
      reading.lo.empty() ? "" : fmt::format(" title=\"[{}, {}]\"", escape(reading.lo), escape(reading.hi));
  return fmt::format("<code{}>{}</code>", ends, escape(reading.value));
}

/// What a text is sorted by: a number where it is one.
std::string key(const std::string& text) {
  const auto n = read_exact(text);
  return n ? fmt::format("{}", n->linear()) : text;
}

std::string numbers(const ResultFile& file, const std::string& suffix) {
  const std::vector<std::string> keys = keys_of(file), labels = labels_of(file);
  std::vector<std::string> columns{"case"};
  columns.insert(columns.end(), keys.begin(), keys.end());
  columns.insert(columns.end(), labels.begin(), labels.end());
  Table table("numbers" + suffix,
              "Every value is within one unit of its last digit; a title shows the enclosure.", columns);
  for (std::size_t i = 0; i < std::min(file.rows.size(), most_rows); ++i) {
    const ResultRow& row = file.rows[i];
    std::vector<TableCell> cells{{escape(row.id), ""}};
    for (const std::string& k : keys) cells.push_back({escape(row.input(k)), key(std::string(row.input(k)))});
    for (const std::string& l : labels) {
      const Reading* r = row.reading(l);
      cells.push_back({r ? shown(*r) : "", r ? r->value : ""});
    }
    table.add(cells, row.id);
  }
  std::string r = table.text();
  if (file.rows.size() > most_rows)
    r += fmt::format("<p>The first {} of {} rows; the file has all.</p>", most_rows, file.rows.size());
  return r;
}

}  // namespace

Report results_report(const std::string& path, const std::string& suffix) {
  const ResultFile file = read_result(path);
  const std::string name = path.substr(path.find_last_of('/') + 1);
  Report r{fmt::format("Critscale: {}", name),
           fmt::format("<p>{} rows{}.</p>", file.rows.size(),
                       file.precision.empty() ? "" : fmt::format(", {}, certified", escape(file.precision))),
           {}};
  std::string figures;
  try {
    std::vector<Figure> all = plan(file, {});
    for (std::size_t i = 0; i < std::min(all.size(), most_figures); ++i) figures += figure_html(all[i]);
    if (all.size() > most_figures)
      figures += fmt::format("<p>{} of {} figures.</p>", most_figures, all.size());
  } catch (const InputError& error) {
    // A table may have nothing to draw: its numbers are shown all the same.
    figures = fmt::format("<p class=\"note\">No figures: {}</p>", escape(error.what()));
  }
  r.sections.push_back({"figures" + suffix, "Figures", figures});
  r.sections.push_back({"readings" + suffix, "Numbers", numbers(file, suffix)});
  return r;
}

}  // namespace critscale::cli::html
