// Class claims: finite-n inequalities that hold for every configuration of a class (theory §3.2, §4;
// provers/THEORY-proofs.md §8).
#include <fmt/format.h>

#include "critscale/checker/pieces.hpp"

namespace critscale::checker {
namespace {

struct Row {
  const char *theorem, *quantity, *relation;
  bool below;  // of its threshold: the coordinate is gamma*(1-rho1), else gamma*(1-rho2)
};
constexpr Row rows[] = {{"2.3", "inner_products-rho1", ">=", true},
                        {"2.3", "attention_displacement", "<=", false},
                        {"2.3", "inner_product_change", "<=", false},
                        {"2.5", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", "<=", true},
                        {"2.5", "jacobian_norm/(1-1/d)", ">=", false}};

/// The worst case over all n >= N and all configurations, on a box of class parameters; to be compared with
/// the bound in the sense of the relation.
Interval near_simplex(const std::string& quantity, const Interval& N, const Box& box) {
  const Interval rho1 = interval(box[0]), rho2 = rho1 + interval(box[1]), g = interval(box[2]),
                 q = interval(box[4]), s = interval(box[3]) * sqrt(q);
  // How many times the others outweigh the token: at least so many below the threshold, at most above.
  const Interval others = exp((1 - g) * log(N)), least = others * (1 - 1 / N), own = 1 / (1 + least);
  if (quantity == rows[0].quantity) {
    const Interval kappa = (1 - rho2) * (1 - own) * (1 - sqr(1 - 1 / (1 + s)));
    return rho1 * (1 / (1 - kappa) - 1);
  }
  if (quantity == rows[3].quantity) {
    const Interval slope = g * log(N) / sqrt(N), keys = min(own, Interval(Rational(1, 4), bits));
    return (keys * sqr(1 + slope * sqrt(2 * (1 + rho1))) + sqr(own) + 2 * (own * slope)) / q;
  }
  if (quantity == rows[4].quantity) return 1 / (q * sqr(1 + others));
  const Interval moved = (1 - 1 / (1 + others)) * sqrt(2 * (1 - rho1)), turned = moved / (1 + s);
  return quantity == rows[1].quantity ? moved : 4 * turned / (2 - turned);
}

void check_near_simplex(const Row& row, const json& claim, const json& evidence) {
  const json& box = member(member(claim, "class"), "box");
  require_keys(member(claim, "class"), {"name", "box"}, "the class");
  const std::vector<std::string> names{"rho1", "spread", row.below ? "gamma*(1-rho1)" : "gamma*(1-rho2)",
                                       "alpha", "q"};
  require_keys(box, names, "the box");
  Box whole;
  for (const std::string& name : names) whole.push_back(range(box, name));
  const Rational N = number(claim, "N"), bound = number(claim, "bound");
  if (!(whole[0].lo > 0 && whole[1].lo >= 0 && whole[0].hi + whole[1].hi < 1 && whole[3].lo >= 0 &&
        whole[4].lo > 0 && N >= 8))
    throw Rejected("the class needs 0 < rho1 <= rho2 < 1, alpha >= 0, q1 > 0 and N >= 8");
  if (row.below ? !(whole[2].lo >= 0 && whole[2].hi < 1) : !(whole[2].lo > 1))
    throw Rejected("gamma is not on one side of its threshold");
  if (std::string(row.theorem) == "2.5" && !(whole[3] == RationalBox{0, 0}))
    throw Rejected("theorem 2.5 has alpha = 0");
  const bool upper = std::string(row.relation) == "<=";
  const auto worst = [&](const Box& leaf) -> std::optional<Interval> {
    const Interval v = near_simplex(row.quantity, Interval(N, bits), leaf);
    return upper ? v : -v;
  };
  check_tree(evidence, names, whole, worst, upper ? bound : Rational(-bound));
}

void check_interval_bands(const json& claim, const json& evidence) {
  const json& description = member(claim, "class");
  require_keys(description, {"name", "phase", "box"}, "the class");
  require_keys(member(description, "box"), {"theta", "gap"}, "the box");
  const std::string phase = text(description, "phase");
  if (phase != "far" && phase != "near" && phase != "self")
    throw Rejected("the phase is not far, near or self");
  if (text(claim, "relation") != ">=" ||
      text(claim, "quantity") != (phase == "self" ? "self_weight" : phase + "_mass"))
    throw Rejected("the claim is not about the mass of the band that dominates");
  const Box whole{range(description.at("box"), "theta"), range(description.at("box"), "gap")};
  const Rational N = number(claim, "N");
  if (!(whole[0].lo > 0 && whole[0].hi < 1 && whole[1].lo > 0 && N >= 2))
    throw Rejected("the class is not one of interval bands");
  const auto worst = [&](const Box& leaf) -> std::optional<Interval> {
    // Both other bands have at most n^-gap of the mass, over the share of keys not in the own cluster.
    const Interval h = interval(leaf[0]), t = log(Interval(N, bits)), ratio = exp(-(interval(leaf[1]) * t));
    if (phase == "self") return -(1 / (1 + 2 * ratio));
    return -(1 / (1 + 2 * ratio / (1 - exp(-((phase == "near" ? h : 1 - h) * t)))));
  };
  check_tree(evidence, {"theta", "gap"}, whole, worst, -number(claim, "bound"));
}

}  // namespace

void check_class(const std::string& theorem, const json& claim, const json& evidence) {
  require_keys(claim, {"class", "quantity", "relation", "bound", "N"}, "the claim");
  const std::string name = text(member(claim, "class"), "name"), quantity = text(claim, "quantity");
  if (theorem == "C.2" && name == "interval-bands") return check_interval_bands(claim, evidence);
  for (const Row& row : rows)
    if (theorem == row.theorem && name == "near-simplex" && quantity == row.quantity &&
        text(claim, "relation") == row.relation)
      return check_near_simplex(row, claim, evidence);
  throw Rejected(
      fmt::format("theorem {} does not speak of {} so on the class {}", theorem, quantity, in_quotes(name)));
}

}  // namespace critscale::checker
