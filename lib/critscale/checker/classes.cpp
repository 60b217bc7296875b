// Class claims: finite-n inequalities that hold for every configuration of a class (theory §3.2, §4;
// provers/THEORY-proofs.md §8). Uses pieces.hpp.
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

/// The same for the mass of the band that dominates: both other bands have at most n^-gap of the mass, over
/// the share of keys not in the own cluster.
Interval dominant_mass(const std::string& phase, const Interval& N, const Box& box) {
  const Interval h = interval(box[0]), t = log(N), ratio = exp(-(interval(box[1]) * t));
  if (phase == "self") return 1 / (1 + 2 * ratio);
  return 1 / (1 + 2 * ratio / (1 - exp(-((phase == "near" ? h : 1 - h) * t))));
}

}  // namespace

void check_class(const std::string& theorem, const json& claim, const json& evidence) {
  require_keys(claim, {"class", "quantity", "relation", "bound", "N"}, "the claim");
  const json& description = claim.at("class");
  const std::string name = text(description, "name"), quantity = text(claim, "quantity"),
                    relation = text(claim, "relation");
  const Rational N = number(claim, "N"), bound = number(claim, "bound");
  const json& box = member(description, "box");
  const auto check = [&](const std::vector<std::string>& names, const Box& whole, const auto& worst) {
    const bool upper = relation == "<=";
    const auto f = [&](const Box& leaf) -> std::optional<Interval> {
      return upper ? worst(leaf) : -worst(leaf);
    };
    check_tree(evidence, names, whole, f, upper ? bound : Rational(-bound));
  };

  if (theorem == "C.2" && name == "interval-bands") {
    require_keys(description, {"name", "phase", "box"}, "the class");
    require_keys(box, {"theta", "gap"}, "the box");
    const std::string phase = text(description, "phase");
    require(phase == "far" || phase == "near" || phase == "self", "the phase is not far, near or self");
    require(relation == ">=" && quantity == (phase == "self" ? "self_weight" : phase + "_mass"),
            "the claim is not about the mass of the band that dominates");
    const Box whole{range(box, "theta"), range(box, "gap")};
    require(whole[0].lo > 0 && whole[0].hi < 1 && whole[1].lo > 0 && N >= 2,
            "the class is not one of interval bands");
    return check({"theta", "gap"}, whole,
                 [&](const Box& leaf) { return dominant_mass(phase, Interval(N, bits), leaf); });
  }
  for (const Row& row : rows) {
    if (theorem != row.theorem || name != "near-simplex" || quantity != row.quantity ||
        relation != row.relation)
      continue;
    require_keys(description, {"name", "box"}, "the class");
    const std::vector<std::string> names{"rho1", "spread", row.below ? "gamma*(1-rho1)" : "gamma*(1-rho2)",
                                         "alpha", "q"};
    require_keys(box, names, "the box");
    Box whole;
    for (const std::string& coordinate : names) whole.push_back(range(box, coordinate));
    require(whole[0].lo > 0 && whole[1].lo >= 0 && whole[0].hi + whole[1].hi < 1 && whole[3].lo >= 0 &&
                whole[4].lo > 0 && N >= 8,
            "the class needs 0 < rho1 <= rho2 < 1, alpha >= 0, q1 > 0 and N >= 8");
    require(row.below ? whole[2].lo >= 0 && whole[2].hi < 1 : whole[2].lo > 1,
            "gamma is not on one side of its threshold");
    require(theorem != "2.5" || whole[3] == RationalBox{0, 0}, "theorem 2.5 has alpha = 0");
    return check(names, whole,
                 [&](const Box& leaf) { return near_simplex(quantity, Interval(N, bits), leaf); });
  }
  throw Rejected(
      fmt::format("theorem {} does not speak of {} so on the class {}", theorem, quantity, in_quotes(name)));
}

}  // namespace critscale::checker
