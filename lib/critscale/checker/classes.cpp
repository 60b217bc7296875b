// Class claims: finite-n inequalities that hold for every configuration of a class
// (theory §3.2, §4; provers/THEORY-proofs.md §8).
#include <fmt/format.h>

#include "critscale/checker/pieces.hpp"

namespace critscale::checker {
namespace {

Interval at(const Rational& v) { return Interval(v, bits); }

/// n^-e at n = N, for e >= 0.
Interval power(const Rational& N, const Interval& e) { return exp(-(e * log(at(N)))); }

/// The worst case over all n >= N and all configurations, on a box of class parameters; to be
/// compared with the bound in the sense of the relation.
Interval near_simplex(const std::string& quantity, const Rational& N, const Box& box) {
  const Interval rho1 = interval(box[0]), g = interval(box[2]), q = interval(box[4]);
  const Interval rho2 = rho1 + interval(box[1]), s = interval(box[3]) * sqrt(q);
  if (quantity == "inner_products-rho1") {
    // Others outweigh the token at least N^(1-g) (1 - 1/N) times.
    const Interval others = exp((1 - g) * log(at(N))) * (1 - 1 / at(N)), rest = 1 - 1 / (1 + others);
    const Interval kappa = (1 - rho2) * rest * (1 - sqr(1 - 1 / (1 + s)));
    return rho1 * (1 / (1 - kappa) - 1);
  }
  if (quantity == "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)") {
    const Interval others = exp((1 - g) * log(at(N))) * (1 - 1 / at(N)), own = 1 / (1 + others);
    const Interval slope = g / (1 - rho1) * log(at(N)) / sqrt(at(N));
    const Interval keys = min(own, at(Rational(1, 4))) * sqr(1 + slope * (1 - rho1) * sqrt(2 * (1 + rho1)));
    return (keys + sqr(own) + 2 * (own * g * log(at(N)) / sqrt(at(N)))) / q;
  }
  const Interval others = power(N, g - 1);
  if (quantity == "jacobian_norm/(1-1/d)") return 1 / (q * sqr(1 + others));
  const Interval moved = (1 - 1 / (1 + others)) * sqrt(2 * (1 - rho1));
  if (quantity == "attention_displacement") return moved;
  const Interval turned = moved / (1 + s);
  return 4 * turned / (2 - turned);
}

struct Row {
  const char *theorem, *quantity, *relation, *ratio;
};
constexpr Row rows[] = {
    {"2.3", "inner_products-rho1", ">=", "gamma*(1-rho1)"},
    {"2.3", "attention_displacement", "<=", "gamma*(1-rho2)"},
    {"2.3", "inner_product_change", "<=", "gamma*(1-rho2)"},
    {"2.5", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", "<=", "gamma*(1-rho1)"},
    {"2.5", "jacobian_norm/(1-1/d)", ">=", "gamma*(1-rho2)"},
};

void check_near_simplex(const std::string& theorem, const json& claim, const json& evidence) {
  const json& description = member(claim, "class");
  require_keys(description, {"name", "box"}, "the class");
  const json& box = member(description, "box");
  const std::string quantity = text(claim, "quantity"), relation = text(claim, "relation");
  for (const Row& row : rows) {
    if (theorem != row.theorem || quantity != row.quantity) continue;
    if (relation != row.relation) throw Rejected("the relation does not fit the quantity");
    require_keys(box, {"rho1", "spread", row.ratio, "alpha", "q"}, "the box");
    const RationalBox rho1 = range(box, "rho1"), spread = range(box, "spread"), g = range(box, row.ratio),
                      alpha = range(box, "alpha"), q = range(box, "q");
    const Rational N = number(claim, "N"), bound = number(claim, "bound");
    const bool below = std::string(row.ratio) == "gamma*(1-rho1)";
    if (!(rho1.lo > 0 && spread.lo >= 0 && rho1.hi + spread.hi < 1 && alpha.lo >= 0 && q.lo > 0 && N >= 8))
      throw Rejected("the class needs 0 < rho1 <= rho2 < 1, alpha >= 0, q1 > 0 and N >= 8");
    if (below ? !(g.lo >= 0 && g.hi < 1) : !(g.lo > 1))
      throw Rejected("gamma is not on one side of its threshold");
    if (theorem == "2.5" && !(alpha.lo == 0 && alpha.hi == 0)) throw Rejected("theorem 2.5 has alpha = 0");
    const bool upper = relation == "<=";
    check_tree(
        evidence, {"rho1", "spread", row.ratio, "alpha", "q"}, {rho1, spread, g, alpha, q},
        [&](const Box& leaf) -> std::optional<Interval> {
          const Interval worst = near_simplex(quantity, N, leaf);
          return upper ? worst : -worst;
        },
        upper ? bound : Rational(-bound));
    return;
  }
  throw Rejected(fmt::format("theorem {} does not speak of {} on this class", theorem, quantity));
}

void check_interval_bands(const std::string& theorem, const json& claim, const json& evidence) {
  const json& description = member(claim, "class");
  require_keys(description, {"name", "phase", "box"}, "the class");
  const std::string phase = text(description, "phase"), quantity = text(claim, "quantity");
  const json& box = member(description, "box");
  require_keys(box, {"theta", "gap"}, "the box");
  const bool far = phase == "far", near = phase == "near", self = phase == "self";
  if (theorem != "C.2" || text(claim, "relation") != ">=" ||
      quantity != (far    ? "far_mass"
                   : near ? "near_mass"
                   : self ? "self_weight"
                          : ""))
    throw Rejected("the claim is not about the mass of the band that dominates");
  const RationalBox theta = range(box, "theta"), gap = range(box, "gap");
  const Rational N = number(claim, "N");
  if (!(theta.lo > 0 && theta.hi < 1 && gap.lo > 0 && N >= 2))
    throw Rejected("the class is not one of interval bands");
  check_tree(
      evidence, {"theta", "gap"}, {theta, gap},
      [&](const Box& leaf) -> std::optional<Interval> {
        // Both other bands have at most n^-gap of the mass, over the share of keys not in the own cluster.
        const Interval h = interval(leaf[0]);
        const Interval missing = self ? at(Rational(0)) : power(N, near ? h : 1 - h);
        return -(1 / (1 + 2 * power(N, interval(leaf[1])) / (1 - missing)));
      },
      -number(claim, "bound"));
}

}  // namespace

void check_class(const std::string& theorem, const json& claim, const json& evidence) {
  require_keys(claim, {"class", "quantity", "relation", "bound", "N"}, "the claim");
  const std::string name = text(member(claim, "class"), "name");
  if (name == "near-simplex") return check_near_simplex(theorem, claim, evidence);
  if (name == "interval-bands") return check_interval_bands(theorem, claim, evidence);
  throw Rejected(fmt::format("unknown class {}", in_quotes(name)));
}

}  // namespace critscale::checker
