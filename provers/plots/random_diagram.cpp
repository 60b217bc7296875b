// The phase diagram of random keys in (kappa, g): the lines, the published scalings, and finite rows.
// [phase-lines] Uses panel.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "plots/plan.hpp"

namespace critscale::cli {

namespace {

/// kappa as log10, from the input or, at a given m and n, from what was computed.
std::optional<double> log_kappa(const ResultRow& row) {
  const auto exact = read_exact(row.input("kappa"));
  const Reading* computed = row.reading("kappa");
  const auto kappa = exact ? exact : computed ? read_decimal(computed->value) : std::nullopt;
  if (!kappa || kappa->sign <= 0) return std::nullopt;
  return kappa->log10;
}

/// Points (log10 kappa, log10 of the label) by ascending kappa.
std::vector<CurvePoint> points(const Rows& rows, const std::string& label) {
  const Axis logarithmic{"", Scale::log, 0, 1};
  std::vector<CurvePoint> r;
  for (const ResultRow* row : rows) {
    const auto x = log_kappa(*row);
    const Reading* y = row->reading(label);
    if (!x || !y) continue;
    std::vector<PlotNumber> ends;
    collect(*y, ends);
    double lo = INFINITY, hi = -INFINITY;
    for (const PlotNumber& end : ends) {
      lo = std::min(lo, position(logarithmic.scale, end));
      hi = std::max(hi, position(logarithmic.scale, end));
    }
    if (std::isfinite(lo) && std::isfinite(hi)) r.push_back({*x, (lo + hi) / 2, lo, hi});
  }
  std::sort(r.begin(), r.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; });
  const auto same = [](const CurvePoint& a, const CurvePoint& b) { return a.x == b.x; };
  r.erase(std::unique(r.begin(), r.end(), same), r.end());
  return r;
}

/// A published scaling as log10 g of log10 kappa, where it lies in the window.
Curve scaling(const Figure& f, const std::string& label, double (*log_g)(double)) {
  constexpr int steps = 400;
  Curve c{Curve::Role::boundary, label, 0, {{}}};
  for (int i = 0; i <= steps; ++i) {
    const double x = f.x.lo + (f.x.hi - f.x.lo) * i / steps, y = log_g(x);
    if (y >= f.y.lo && y <= f.y.hi)
      c.pieces.back().push_back({x, y, y, y});
    else if (!c.pieces.back().empty())
      c.pieces.emplace_back();
  }
  if (c.pieces.back().empty()) c.pieces.pop_back();
  return c;
}

Figure diagram(const Panel& panel) {
  Figure f;
  f.name = "diagram" + panel.name;
  f.title = "random keys: where a row sharpens";
  f.x = {"κ = m/ln n", Scale::log, INFINITY, -INFINITY};
  f.y = {"g = γ (1 − ρ)", Scale::log, 0, 0};
  const auto add = [&](const std::string& label, std::vector<CurvePoint> all, bool joined) {
    if (all.empty()) return;
    for (const CurvePoint& p : all) {
      f.x.lo = std::min(f.x.lo, p.x);
      f.x.hi = std::max(f.x.hi, p.x);
      f.y.lo = std::min(f.y.lo, p.y);
      f.y.hi = std::max(f.y.hi, p.y);
    }
    Curve c{Curve::Role::series, label, f.curves.size(), {}};
    if (joined)
      c.pieces.push_back(std::move(all));
    else
      for (const CurvePoint& p : all) c.pieces.push_back({p});
    f.curves.push_back(std::move(c));
  };
  add("g_{self}", points(panel.rows, "g_self"), true);
  add("g_{cond}", points(panel.rows, "g_cond"), true);
  static const std::array<std::string, 1> by_length{"n"};
  for (const Panel& one : split(panel, by_length))
    add(fmt::format("E A_{{ii}} = 1/2, n = {}", plain(one.rows[0]->input("n"))),
        points(one.rows, "transition_self"), false);
  const double room = 0.03 * (f.y.hi - f.y.lo) + 0.02;
  f.y.lo -= room;
  f.y.hi += room;
  f.curves.push_back(scaling(f, "log n: g = 1", [](double) { return 0.0; }));
  f.curves.push_back(scaling(f, "√(log n): g = √(2κ)", [](double x) { return (std::log10(2.0) + x) / 2; }));
  if (panel.rows[0]->input("keys") == "sphere")
    f.curves.push_back(scaling(f, "n^{2/m}: g = κ e^{2/κ − 1}",
                               [](double x) { return x + (2 / std::pow(10.0, x) - 1) / std::log(10.0); }));
  f.caption = caption(panel);
  add_sentence(
      f.caption,
      "Points are certified, lines join them; dotted are the published scalings, each an edge of the "
      "diagram.");
  return f;
}

}  // namespace

std::vector<Figure> random_diagrams(const ResultFile& file) {
  Panel whole{&file, "", "", {}};
  for (const ResultRow& row : file.rows)
    if (log_kappa(row) && row.reading("g_cond")) whole.rows.push_back(&row);
  static const std::array<std::string, 1> by_law{"keys"};
  std::vector<Panel> laws = split(whole, by_law);
  if (laws.size() == 1) laws[0].name.clear();
  std::vector<Figure> r;
  for (const Panel& law : laws) {
    const auto differs = [&](const ResultRow* row) { return log_kappa(*row) != log_kappa(*law.rows[0]); };
    if (std::any_of(law.rows.begin(), law.rows.end(), differs)) r.push_back(diagram(law));
  }
  return r;
}

}  // namespace critscale::cli
