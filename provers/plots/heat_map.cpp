// Heat maps over (rho, gamma) with the exact boundary drawn over them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "plots/plan.hpp"

namespace critscale::cli {

namespace {

/// The cells' edges around ascending centres: half-way between neighbours.
std::vector<double> edges(const std::vector<double>& centres) {
  std::vector<double> r{centres[0] - (centres[1] - centres[0]) / 2};
  for (std::size_t i = 0; i + 1 < centres.size(); ++i) r.push_back((centres[i] + centres[i + 1]) / 2);
  r.push_back(2 * centres.back() - r.back());
  return r;
}

std::vector<double> centres(const Panel& panel, const std::string& key) {
  std::vector<double> r;
  for (const ResultRow* row : panel.rows) r.push_back(read_exact(row->input(key))->linear());
  std::sort(r.begin(), r.end());
  r.erase(std::unique(r.begin(), r.end()), r.end());
  return r;
}

/// lambda is a share of the angle: on one scale from 0 to 1 the panels of several d can be compared.
ValueAxis colour_axis(const std::string& label, const std::vector<PlotNumber>& values,
                      std::optional<Scale> asked) {
  const bool share = label == "angle_ratio" && asked != Scale::log;
  ValueAxis r = value_axis(values, share ? Scale::linear : asked, colour_decades);
  if (share && r.axis.lo >= 0) {
    r.axis.lo = 0;
    r.axis.hi = std::max(r.axis.hi, 1.0);
  }
  return r;
}

std::size_t index_of(const std::vector<double>& centres, double v) {
  return static_cast<std::size_t>(std::lower_bound(centres.begin(), centres.end(), v) - centres.begin());
}

}  // namespace

std::vector<CurvePoint> simplex_boundary(const Axis& rho, const Axis& gamma) {
  // gamma = 1/(1-rho) rises: the window cuts it to one piece, even steps in gamma follow its bend.
  const double from = std::max(gamma.lo, 1 / (1 - std::max(0.0, rho.lo)));
  const double to = rho.hi < 1 ? std::min(gamma.hi, 1 / (1 - rho.hi)) : gamma.hi;
  std::vector<CurvePoint> r;
  constexpr int steps = 200;
  for (int i = 0; i <= steps && from < to; ++i) {
    const double g = from + (to - from) * i / steps;
    r.push_back({1 - 1 / g, g, g, g});
  }
  return r;
}

std::optional<Figure> heat_map(const Panel& panel, const std::string& label, const std::string& x,
                               const std::string& y, const PlotOptions& options) {
  const std::vector<double> xs = centres(panel, x), ys = centres(panel, y);
  if (xs.size() < 2 || ys.size() < 2 || panel.rows.size() != xs.size() * ys.size()) return std::nullopt;
  std::map<std::pair<std::size_t, std::size_t>, const ResultRow*> grid;
  std::vector<PlotNumber> values;
  for (const ResultRow* row : panel.rows) {
    const auto at = [&](const std::vector<double>& centres, const std::string& key) {
      return index_of(centres, read_exact(row->input(key))->linear());
    };
    if (!grid.try_emplace({at(xs, x), at(ys, y)}, row).second) return std::nullopt;
    const Reading* reading = row->reading(label);
    if (const auto v = reading ? read_decimal(reading->value) : std::nullopt) values.push_back(*v);
  }
  if (values.empty()) return std::nullopt;
  Figure f;
  f.name = figure_name(label, panel);
  const std::vector<std::string> size{"n", "d"};
  f.title = fmt::format("{}, {}", describe(label), inputs_markup(*panel.rows[0], size));
  f.caption = caption(panel);
  const ValueAxis colour = colour_axis(label, values, options.scale);
  f.colour = colour.axis;
  f.colour->label = describe(label);
  add_sentence(f.caption, colour.note);
  const std::vector<double> x_edges = edges(xs), y_edges = edges(ys);
  bool unknown = false;
  for (const auto& [at, row] : grid) {
    Cell cell{x_edges[at.first], x_edges[at.first + 1], y_edges[at.second], y_edges[at.second + 1], {}};
    const Reading* reading = row->reading(label);
    if (reading && !reading->value.empty())
      if (const auto placed = place(*reading, colour.axis)) cell.value = placed->at;
    unknown = unknown || !cell.value;
    f.cells.push_back(cell);
  }
  if (unknown) add_sentence(f.caption, "Grey: undefined, or not one digit is certain.");
  f.x = {symbol(x), Scale::linear, x_edges.front(), x_edges.back()};
  f.y = {symbol(y), Scale::linear, y_edges.front(), y_edges.back()};
  if (x == "rho" && y == "gamma") {
    Curve boundary{Curve::Role::boundary, "γ = 1/(1−ρ)", 0, {simplex_boundary(f.x, f.y)}};
    if (!boundary.pieces[0].empty()) f.curves.push_back(std::move(boundary));
    if (panel.rows[0]->input("geometry") == "gaussian")
      add_sentence(f.caption, "The curve is the boundary of the simplex, for these tokens a guide.");
  }
  return f;
}

}  // namespace critscale::cli
