// Curves with their certified bands, limits and thresholds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "critscale/asymptotics/envelope.hpp"
#include "critscale/asymptotics/profile.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"
#include "plots/limit_curve.hpp"
#include "plots/plan.hpp"

namespace critscale::cli {

namespace {

/// The axis of the exact input x over all rows.
Axis input_axis(const Panel& panel, const std::string& key) {
  std::vector<PlotNumber> values;
  for (const ResultRow* row : panel.rows) values.push_back(*read_exact(row->input(key)));
  Scale scale = Scale::linear;
  if (key == "n" || key == "d") {
    const bool huge =
        std::any_of(values.begin(), values.end(), [](const PlotNumber& v) { return v.log10 > 1000; });
    scale = huge ? Scale::log_log : Scale::log;
  }
  Axis axis{symbol(key), scale, INFINITY, -INFINITY};
  for (const PlotNumber& v : values) {
    axis.lo = std::min(axis.lo, position(scale, v));
    axis.hi = std::max(axis.hi, position(scale, v));
  }
  return axis;
}

/// The points of one curve by ascending x, broken where there is no number.
std::vector<std::vector<CurvePoint>> pieces(Rows rows, const std::string& label, const std::string& x,
                                            const Axis& x_axis, const Axis& y_axis) {
  const auto at = [&](const ResultRow* row) { return position(x_axis.scale, *read_exact(row->input(x))); };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const ResultRow* a, const ResultRow* b) { return at(a) < at(b); });
  std::vector<std::vector<CurvePoint>> r(1);
  for (const ResultRow* row : rows) {
    const Reading* reading = row->reading(label);
    const auto placed = reading ? place(*reading, y_axis) : std::nullopt;
    if (placed)
      r.back().push_back({at(row), placed->at, placed->lo, placed->hi});
    else if (!r.back().empty())
      r.emplace_back();
  }
  if (r.back().empty()) r.pop_back();
  return r;
}

std::string band_index(const std::string& label) {
  return label.substr(label.find('[') + 1, label.size() - label.find('[') - 2);
}

/// What tells a curve from the others: the case's id where schedules are compared, else the inputs.
std::string curve_label(const Panel& one, const std::string& label, bool several_labels,
                        const std::vector<std::string>& series) {
  const ResultRow& row = *one.rows[0];
  const bool named = one.file->kind == ResultKind::schedule && !row.id.empty();
  const std::string r = named ? plain(row.id) : inputs_markup(row, series);
  if (!several_labels) return r;
  const std::size_t k = std::stoul(band_index(label));
  return fmt::format("{}{}to {}", r, r.empty() ? "" : ", ",
                     k < row.thresholds.size() ? plain(row.thresholds[k]) : "");
}

/// The exact thresholds: across the figure where it shows gamma, upright where gamma is the axis x.
void add_thresholds(Figure& f, const Panel& panel, const std::string& x, bool shows_gamma) {
  const auto add = [&](double at, const std::string& label, bool upright) {
    const Axis& across = upright ? f.x : f.y;
    if (!(at >= across.lo && at <= across.hi)) return;
    if (upright)
      f.curves.push_back({Curve::Role::boundary, label, 0, {{{at, f.y.lo, 0, 0}, {at, f.y.hi, 0, 0}}}});
    else
      f.curves.push_back({Curve::Role::boundary, label, 0, {{{f.x.lo, at, 0, 0}, {f.x.hi, at, 0, 0}}}});
  };
  std::vector<std::string> seen;
  if (shows_gamma)
    for (const ResultRow* row : panel.rows)
      for (const std::string& t : row->thresholds) {
        if (std::find(seen.begin(), seen.end(), t) != seen.end()) continue;
        seen.push_back(t);
        add(read_exact(t)->linear(), fmt::format("boundary γ = {}", plain(t)), false);
      }
  const std::string rho(panel.rows[0]->input("rho"));
  const bool one_rho = std::all_of(panel.rows.begin(), panel.rows.end(),
                                   [&](const ResultRow* r) { return r->input("rho") == rho; });
  if (x != "gamma" || !one_rho || !read_exact(rho)) return;
  for (const Rational& t : thresholds(simplex_profile(parse_rational(rho))))
    add(static_cast<double>(t), fmt::format("γ = 1/(1−ρ) = {}", to_string(t)), true);
}

/// Every number that the figure must have room for.
std::vector<PlotNumber> numbers(const Panel& panel, const std::vector<std::string>& labels,
                                const LimitCurve& limit, bool shows_gamma) {
  std::vector<PlotNumber> r;
  for (const ResultRow* row : panel.rows) {
    for (const std::string& label : labels)
      if (const Reading* reading = row->reading(label)) collect(*reading, r);
    if (shows_gamma)
      for (const std::string& t : row->thresholds) r.push_back(*read_exact(t));
  }
  if (r.empty()) throw InputError(fmt::format("{}: {} has no finite number", panel.file->path, labels[0]));
  for (const auto& piece : limit.pieces)
    for (const auto& [gamma, value] : piece) r.push_back(value);
  return r;
}

Curve limit_curve(const LimitCurve& limit, const Axis& y) {
  Curve c{Curve::Role::limit, "limit n → ∞", 0, {}};
  for (const auto& piece : limit.pieces) {
    c.pieces.emplace_back();
    for (const auto& [gamma, value] : piece) {
      const double at = y.clipped(position(y.scale, value));
      c.pieces.back().push_back({gamma, at, at, at});
    }
  }
  return c;
}

/// Room above and below, in which nothing is clipped.
void widen(Axis& axis) {
  const double room = 0.04 * (axis.hi - axis.lo);
  axis.lo -= room;
  axis.hi += room;
}

}  // namespace

Figure curves(const Panel& panel, const std::vector<std::string>& labels, const std::string& x,
              const std::vector<std::string>& series, const PlotOptions& options) {
  // Transitions are numbered by threshold, quantities by band.
  const bool of_boundary = panel.file->kind == ResultKind::boundary;
  const std::string subject = of_boundary ? labels[0].substr(0, labels[0].find('[')) : labels[0];
  const bool shows_gamma = subject == "gamma_effective" || subject == "transitions";
  Figure f;
  f.name = figure_name(subject, panel);
  f.title = fmt::format("{} against {}", describe(subject), symbol(x));
  f.x = input_axis(panel, x);
  if (!(f.x.lo < f.x.hi)) throw InputError(fmt::format("{}: {} does not vary", panel.file->path, x));
  const LimitCurve limit =
      x == "gamma" && labels.size() == 1 ? simplex_limit(panel, labels[0], series) : LimitCurve{};
  const ValueAxis y = value_axis(numbers(panel, labels, limit, shows_gamma), options.scale, curve_decades);
  f.y = y.axis;
  f.y.label = describe(subject);
  for (const Panel& one : split(panel, series))
    for (const std::string& label : labels)
      f.curves.push_back({Curve::Role::series, curve_label(one, label, labels.size() > 1, series),
                          f.curves.size(), pieces(one.rows, label, x, f.x, f.y)});
  if (!limit.pieces.empty()) f.curves.push_back(limit_curve(limit, f.y));
  f.caption = caption(panel);
  add_sentence(f.caption,
               "Points are certified, lines join them; bands are the enclosures [lo, hi], often thinner than "
               "the line.");
  if (limit.diverges) add_sentence(f.caption, "Where no limit is drawn it is infinite.");
  add_sentence(f.caption, y.note);
  widen(f.y);
  add_thresholds(f, panel, x, shows_gamma);
  return f;
}

}  // namespace critscale::cli
