// From results to figures.
#include "plots/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "critscale/number/errors.hpp"
#include "critscale/random/expectations.hpp"

namespace critscale::cli {

namespace {

constexpr std::size_t most_curves = 28, most_figures = 500;

bool is_number(const Rows& rows, const std::string& key) {
  return std::all_of(rows.begin(), rows.end(),
                     [&](const ResultRow* r) { return read_exact(r->input(key)).has_value(); });
}

std::size_t distinct(const Rows& rows, const std::string& key) {
  std::set<std::string_view> r;
  for (const ResultRow* row : rows) r.insert(row->input(key));
  return r.size();
}

/// Rows of one case with the same kind of inputs; schedules of one geometry.
std::vector<Panel> groups(const ResultFile& file) {
  std::vector<Panel> r;
  std::map<std::tuple<std::string, std::vector<std::string>, std::string>, std::size_t> index;
  for (const ResultRow& row : file.rows) {
    std::vector<std::string> kind;
    if (file.kind == ResultKind::schedule)
      kind = row.thresholds;
    else
      for (const auto& [key, text] : row.inputs) kind.push_back(key);
    // Schedules are compared whatever their cases are called.
    const std::string id = file.kind == ResultKind::schedule ? "" : row.id;
    const auto [it, added] = index.try_emplace({id, kind, std::string(row.input("geometry"))}, r.size());
    if (added) r.push_back({&file, id, "", {}});
    r[it->second].rows.push_back(&row);
  }
  if (r.size() > 1)
    for (std::size_t i = 0; i < r.size(); ++i) r[i].name = fmt::format("-case{}", i + 1);
  return r;
}

std::string stem(const std::string& label) { return label.substr(0, label.find_first_of("[.")); }

bool is_expectation(const std::string& label) {
  const auto all = random::all_expectations();
  return std::any_of(all.begin(), all.end(), [&](random::Expectation e) { return label == name(e); });
}

/// The labels to draw of a group, each with what is drawn in the same figure.
std::vector<std::vector<std::string>> labels(const Panel& group, const PlotOptions& options) {
  std::vector<std::string> all;
  for (const ResultRow* row : group.rows)
    for (const auto& [label, reading] : row->readings)
      if (std::find(all.begin(), all.end(), label) == all.end()) all.push_back(label);
  const auto wanted = [&](const std::string& label) {
    // What the phase diagram shows.
    if (group.file->kind == ResultKind::random && options.quantities.empty() && !is_expectation(label))
      return false;
    // Of tokens there would be one figure a token.
    if (options.quantities.empty())
      return group.file->kind == ResultKind::schedule
                 ? label == "gamma_effective"
                 : group.file->kind != ResultKind::tokens || label.find('[') == std::string::npos;
    return std::any_of(options.quantities.begin(), options.quantities.end(),
                       [&](const std::string& q) { return q == label || q == stem(label); });
  };
  std::vector<std::vector<std::string>> r;
  for (const std::string& label : all) {
    if (!wanted(label)) continue;
    // Transitions of one geometry belong together.
    if (group.file->kind == ResultKind::boundary && !r.empty() && stem(r.back()[0]) == stem(label))
      r.back().push_back(label);
    else
      r.push_back({label});
  }
  return r;
}

/// What a group's figures have as axes.
struct Axes {
  std::string x, y;                 ///< y is empty for curves
  std::vector<std::string> series;  ///< inputs that tell curves apart
  std::vector<std::string> panels;  ///< inputs that tell figures apart
};

/// Nothing where no number varies.
std::optional<Axes> choose(const Panel& group) {
  const std::vector<std::string> keys = varying_keys(group.rows);
  const auto numeric = [&](const std::string& key) { return is_number(group.rows, key); };
  const auto has = [&](const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  Axes r;
  if (group.file->kind == ResultKind::values && has("gamma")) {
    const auto inner = [&](const std::string& key) {
      return key == "rho" || (key.starts_with("band[") && key.ends_with("].r"));
    };
    const auto x = std::find_if(keys.begin(), keys.end(), inner);
    if (x != keys.end() && numeric(*x) && numeric("gamma") && distinct(group.rows, *x) > 2 &&
        distinct(group.rows, "gamma") > 2) {
      r.x = *x;
      r.y = "gamma";
    }
  }
  const bool against_n = group.file->kind == ResultKind::boundary || group.file->kind == ResultKind::schedule;
  if (r.x.empty()) {
    for (const char* key : {"gamma", "beta", "n", "rho", "alpha", "q", "d"})
      if (r.x.empty() && (!against_n || key == std::string_view("n")) && has(key) && numeric(key)) r.x = key;
    for (const std::string& key : keys)
      if (r.x.empty() && !against_n && numeric(key)) r.x = key;
  }
  if (r.x.empty()) return std::nullopt;
  for (const std::string& key : keys)
    if (key != r.x && key != r.y) (r.y.empty() ? r.series : r.panels).push_back(key);
  // Too many curves for one figure: those that differ in n stay together.
  const Panel whole{group.file, "", "", group.rows};
  if (!against_n && r.series.size() > 1 && split(whole, r.series).size() > 8) {
    const auto n = std::find(r.series.begin(), r.series.end(), "n");
    const std::string kept = n != r.series.end() ? *n : r.series.back();
    std::erase(r.series, kept);
    r.panels = std::exchange(r.series, {kept});
  }
  return r;
}

bool has_numbers(const Panel& panel, const std::vector<std::string>& labels) {
  return std::any_of(panel.rows.begin(), panel.rows.end(), [&](const ResultRow* row) {
    return std::any_of(labels.begin(), labels.end(), [&](const std::string& l) { return row->reading(l); });
  });
}

/// One panel of a group: a heat map where its rows fill a grid, else curves.
Figure draw(const Panel& panel, const std::vector<std::string>& together, const Axes& axes,
            const PlotOptions& options) {
  const bool grid = !axes.y.empty();
  if (grid)
    if (auto f = heat_map(panel, together[0], axes.x, axes.y, options)) return std::move(*f);
  const std::vector<std::string> series = grid ? std::vector<std::string>{axes.x} : axes.series;
  if (const std::size_t count = split(panel, series).size() * together.size(); count > most_curves)
    throw InputError(fmt::format("{}: {} curves in one figure, at most {} can be told apart",
                                 panel.file->path, count, most_curves));
  return curves(panel, together, grid ? axes.y : axes.x, series, options);
}

[[noreturn]] void nothing_drawn(const ResultFile& file, bool selected) {
  if (selected)
    throw InputError(fmt::format(
        "{}: nothing to draw against: {}", file.path,
        file.kind == ResultKind::boundary || file.kind == ResultKind::schedule ? "n does not vary"
        : file.kind == ResultKind::random ? "kappa does not vary, nor anything else in rows with expectations"
                                          : "no exact number varies between its rows"));
  std::vector<std::string> known;
  for (const ResultRow& row : file.rows)
    for (const auto& [label, reading] : row.readings)
      if (std::find(known.begin(), known.end(), label) == known.end()) known.push_back(label);
  throw InputError(fmt::format("{}: none of the quantities asked for is in it; it has {}", file.path,
                               fmt::join(known, ", ")));
}

}  // namespace

std::vector<Figure> plan(const ResultFile& file, const PlotOptions& options) {
  std::vector<Figure> r;
  std::map<std::string, int> names;
  bool selected = false;
  if (file.kind == ResultKind::random &&
      (options.quantities.empty() || std::find(options.quantities.begin(), options.quantities.end(),
                                               "diagram") != options.quantities.end()))
    r = random_diagrams(file);
  for (const Panel& group : groups(file)) {
    const auto chosen = labels(group, options);
    selected = selected || !chosen.empty();
    const std::optional<Axes> axes = choose(group);
    if (!axes) continue;
    for (const std::vector<std::string>& together : chosen)
      for (const Panel& panel : split(group, axes->panels)) {
        if (!has_numbers(panel, together)) continue;
        Figure& f = r.emplace_back(draw(panel, together, *axes, options));
        if (const int seen = names[f.name]++; seen > 0) f.name += fmt::format("-{}", seen + 1);
        if (r.size() > most_figures)
          throw InputError(
              fmt::format("{}: more than {} figures; select with --quantities", file.path, most_figures));
      }
  }
  if (r.empty())
    nothing_drawn(file, selected || (file.kind == ResultKind::random && options.quantities.empty()));
  return r;
}

}  // namespace critscale::cli
