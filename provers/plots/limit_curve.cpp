// Limits at the gammas of a panel and on both sides of the threshold.
#include "plots/limit_curve.hpp"

#include <algorithm>

#include "critscale/asymptotics/limit.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"
#include "critscale/text/print.hpp"

namespace critscale::cli {

namespace {

/// Limits change slowly with gamma inside a phase: more points would not be seen.
constexpr std::size_t most_points = 60;

std::vector<Rational> gammas(const Panel& panel, const std::vector<Rational>& thresholds) {
  std::vector<Rational> all;
  for (const ResultRow* row : panel.rows) all.push_back(parse_rational(row->input("gamma")));
  const auto ascending = [](std::vector<Rational>& v) {
    std::sort(v.begin(), v.end());
    v.erase(std::unique(v.begin(), v.end()), v.end());
  };
  ascending(all);
  std::vector<Rational> r{all.back()};
  for (std::size_t i = 0; i < all.size(); i += (all.size() + most_points - 1) / most_points)
    r.push_back(all[i]);
  const Rational near(1, 1000000000);
  for (const Rational& t : thresholds)
    for (const Rational& g : {Rational(t * (1 - near)), t, Rational(t * (1 + near))})
      if (g >= all.front() && g <= all.back()) r.push_back(g);
  ascending(r);
  return r;
}

/// "inner_products[1]" as a quantity and a band.
std::pair<Quantity, std::size_t> quantity_of(const std::string& label) {
  const auto [name, band] = parse_subscripted(label);
  return {quantity_by_name(name), band.value_or(0)};
}

}  // namespace

LimitCurve simplex_limit(const Panel& panel, const std::string& label,
                         const std::vector<std::string>& series) {
  LimitCurve r;
  if (std::any_of(series.begin(), series.end(), [](const std::string& key) { return key != "n"; })) return r;
  const ResultRow& first = *panel.rows[0];
  if (first.input("geometry") != "simplex") return r;
  for (const ResultRow* row : panel.rows)
    if (row->input("d") != row->input("n")) return r;
  try {
    const auto [quantity, band] = quantity_of(label);
    LimitConfiguration c;
    c.profile = simplex_profile(parse_rational(first.input("rho")));
    c.alpha = parse_rational(first.input("alpha"));
    c.q = parse_rational(first.input("q"));
    const std::vector<Rational> breaks = thresholds(c.profile);
    Phase before = Phase::subcritical;
    for (const Rational& gamma : gammas(panel, breaks)) {
      c.gamma = gamma;
      const std::vector<Quantity> one{quantity};
      const LimitResult result = limits(c, one, 1);
      const QuantityLimits& q = result.quantities.at(0);
      if (q.undefined || band >= q.values.size()) return LimitCurve{};
      if (!q.values[band].limit) {
        r.diverges = true;
        r.pieces.emplace_back();
        continue;
      }
      if (r.pieces.empty() || before != result.phase) r.pieces.emplace_back();
      before = result.phase;
      const auto text = print_value(q.values[band].limit->value(128), 17);
      if (text) r.pieces.back().emplace_back(static_cast<double>(gamma), *read_decimal(*text));
    }
    std::erase_if(r.pieces, [](const auto& piece) { return piece.empty(); });
    return r;
  } catch (const Error&) {
    // A label that is no quantity of [layer], or a limit that asymptotics/ does not reach.
    return LimitCurve{};
  }
}

}  // namespace critscale::cli
