// Grouping rows and placing numbers.
#include "plots/panel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "critscale/number/errors.hpp"

namespace critscale::cli {

namespace {

std::vector<std::string> all_keys(const Rows& rows) {
  std::vector<std::string> keys;
  for (const ResultRow* row : rows)
    for (const auto& [key, text] : row->inputs)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

bool varies(const Rows& rows, const std::string& key) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const ResultRow* r) { return r->input(key) != rows[0]->input(key); });
}

/// Whether the text of `key` follows from that of `from`.
bool follows(const Rows& rows, const std::string& key, const std::string& from) {
  std::map<std::string_view, std::string_view> known;
  return std::all_of(rows.begin(), rows.end(), [&](const ResultRow* r) {
    return known.try_emplace(r->input(from), r->input(key)).first->second == r->input(key);
  });
}

/// Safe in a file name.
std::string file_name_part(const std::string& text) {
  std::string r;
  for (const char c : text.substr(0, 60)) {
    const bool safe = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
    r += safe ? c : '_';
  }
  return r;
}

constexpr std::size_t caption_width = 118;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Powers of ten in the range of double.
constexpr double widest_decades = 300;

}  // namespace

std::vector<std::string> varying_keys(const Rows& rows) {
  std::vector<std::string> keys = all_keys(rows);
  std::erase_if(keys, [&](const std::string& key) { return !varies(rows, key); });
  // Of two that follow from each other the first stays.
  for (std::size_t k = keys.size(); k-- > 0;)
    for (std::size_t j = 0; j < keys.size(); ++j)
      if (j != k && follows(rows, keys[k], keys[j]) && (j < k || !follows(rows, keys[j], keys[k]))) {
        keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(k));
        break;
      }
  return keys;
}

std::vector<std::string> texts(const ResultRow& row, std::span<const std::string> keys) {
  std::vector<std::string> r;
  for (const std::string& key : keys) r.emplace_back(row.input(key));
  return r;
}

std::vector<Panel> split(const Panel& panel, std::span<const std::string> keys) {
  std::vector<Panel> r;
  std::map<std::vector<std::string>, std::size_t> index;
  for (const ResultRow* row : panel.rows) {
    const std::vector<std::string> chosen = texts(*row, keys);
    const auto [it, added] = index.try_emplace(chosen, r.size());
    if (added) {
      r.push_back({panel.file, panel.id, panel.name, {}});
      for (std::size_t k = 0; k < keys.size(); ++k)
        r.back().name += fmt::format("-{}{}", file_name_part(keys[k]), file_name_part(chosen[k]));
    }
    r[it->second].rows.push_back(row);
  }
  return r;
}

std::string figure_name(const std::string& label, const Panel& panel) {
  std::string r = label;
  std::erase_if(r, [](char c) { return c == '[' || c == ']'; });
  return file_name_part(r) + panel.name;
}

std::string inputs_markup(const ResultRow& row, std::span<const std::string> keys) {
  std::string r;
  for (const std::string& key : keys) {
    std::string text = plain(row.input(key));
    if (text.empty()) continue;
    if (key == "geometry" && text == "gaussian") text = "Gaussian tokens";
    const bool alone = key == "geometry" || key == "schedule";
    r += fmt::format("{}{}", r.empty() ? "" : ", ", alone ? text : fmt::format("{} = {}", symbol(key), text));
  }
  return r;
}

std::vector<std::string> caption(const Panel& panel) {
  const Rows& rows = panel.rows;
  std::vector<std::string> fixed = all_keys(rows);
  std::erase_if(fixed, [&](const std::string& key) { return varies(rows, key); });
  std::string text = inputs_markup(*rows[0], fixed);
  if (varies(rows, "n") && varies(rows, "d") && std::all_of(rows.begin(), rows.end(), [](const ResultRow* r) {
        return r->input("d") == r->input("n");
      }))
    text += ", d = n";
  if (!panel.id.empty()) text = fmt::format("{}: {}", plain(panel.id), text);
  if (!panel.file->precision.empty()) text += fmt::format("; {}, certified", plain(panel.file->precision));
  std::vector<std::string> lines;
  add_sentence(lines, text);
  return lines;
}

void add_sentence(std::vector<std::string>& caption, const std::string& sentence) {
  if (sentence.empty()) return;
  std::string line;
  for (std::size_t start = 0; start <= sentence.size();) {
    const std::size_t end = std::min(sentence.find(' ', start), sentence.size());
    const std::string word = sentence.substr(start, end - start);
    if (!line.empty() && line.size() + 1 + word.size() > caption_width) {
      caption.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    start = end + 1;
  }
  caption.push_back(line);
}

ValueAxis value_axis(const std::vector<PlotNumber>& values, std::optional<Scale> asked, double decades) {
  const auto any = [&](auto f) { return std::any_of(values.begin(), values.end(), f); };
  ValueAxis r;
  Axis& axis = r.axis;
  const auto span = [&] {
    axis.lo = infinity, axis.hi = -infinity;
    for (const PlotNumber& v : values)
      if (const double at = position(axis.scale, v); std::isfinite(at)) {
        axis.lo = std::min(axis.lo, at);
        axis.hi = std::max(axis.hi, at);
      }
  };
  axis.scale = Scale::log;
  span();
  const bool beyond =
      any([](const PlotNumber& v) { return v.sign != 0 && std::abs(v.log10) > widest_decades; });
  const bool negative = any([](const PlotNumber& v) { return v.sign < 0; });
  const bool positive = axis.lo <= axis.hi;
  if (asked == Scale::log && !positive) throw InputError("--scale log: no number is positive");
  if (asked == Scale::linear || (!asked && (negative || !positive || (!beyond && axis.hi - axis.lo <= 3)))) {
    axis.scale = Scale::linear;
    span();
    if (!(axis.lo <= axis.hi)) throw InputError("--scale linear: no number lies in the range of double");
    if (beyond) r.note = "Numbers beyond the range of double are drawn at the edge of the scale.";
  } else {
    const double lowest = axis.lo, highest = axis.hi;
    // What lies in the range of double, where there is anything.
    if (lowest <= widest_decades && highest >= -widest_decades) {
      axis.lo = std::max(lowest, -widest_decades);
      axis.hi = std::min(highest, widest_decades);
    }
    axis.lo = std::max(axis.lo, axis.hi - decades);
    const auto add = [&](const std::string& what) { r.note += (r.note.empty() ? "" : " ") + what; };
    if (axis.lo > lowest)
      add(fmt::format("Numbers below 10^{{{:.4g}}} are drawn at the lower edge.", axis.lo));
    if (axis.hi < highest)
      add(fmt::format("Numbers above 10^{{{:.4g}}} are drawn at the upper edge.", axis.hi));
    if (any([](const PlotNumber& v) { return v.sign <= 0; }))
      add(fmt::format("Zero{} drawn at the lower edge.", negative ? " and negative numbers are" : " is"));
  }
  if (axis.hi - axis.lo <= 1e-13 * std::max(std::abs(axis.lo), std::abs(axis.hi)) || axis.lo == axis.hi) {
    const double around = axis.scale == Scale::log || axis.hi == 0 ? 1 : 0.1 * std::abs(axis.hi);
    axis.lo -= around;
    axis.hi += around;
  }
  return r;
}

void collect(const Reading& reading, std::vector<PlotNumber>& into) {
  for (const std::string* text : {&reading.value, &reading.lo, &reading.hi})
    if (const auto v = read_decimal(*text); v && !(v->sign != 0 && v->log10 == infinity)) into.push_back(*v);
}

std::optional<Placed> place(const Reading& reading, const Axis& axis) {
  const auto at = [&](const std::string& text) -> std::optional<double> {
    const auto v = read_decimal(text);
    if (!v) return std::nullopt;
    return axis.clipped(position(axis.scale, *v));
  };
  const auto value = at(reading.value), lo = at(reading.lo), hi = at(reading.hi);
  // The middle is nearer than a value of few digits.
  if (lo && hi) return Placed{*lo == *hi ? *lo : (*lo + *hi) / 2, *lo, *hi};
  if (value) return Placed{*value, *value, *value};
  return std::nullopt;
}

}  // namespace critscale::cli
