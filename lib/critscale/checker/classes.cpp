// Class claims: finite-n inequalities that hold for every configuration of a class ([interval-bands],
// [near-simplex]; [classes]). Uses pieces.hpp.
#include "critscale/checker/pieces.hpp"

namespace critscale::checker {
namespace {

struct Row {
  const char *theorem, *name, *quantity, *relation, *gamma;  // the coordinate of gamma, or the phase
};
constexpr Row rows[] = {
    {"2.3", "near-simplex", "inner_products-rho1", ">=", "gamma*(1-rho1)"},
    {"2.3", "near-simplex", "attention_displacement", "<=", "gamma*(1-rho2)"},
    {"2.3", "near-simplex", "inner_product_change", "<=", "gamma*(1-rho2)"},
    {"2.5", "near-simplex", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", "<=", "gamma*(1-rho1)"},
    {"2.5", "near-simplex", "jacobian_norm/(1-1/d)", ">=", "gamma*(1-rho2)"},
    {"C.2", "interval-bands", "far_mass", ">=", "far"},
    {"C.2", "interval-bands", "near_mass", ">=", "near"},
    {"C.2", "interval-bands", "self_weight", ">=", "self"}};

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
  const Interval moved = 1 / (1 + 1 / others) * sqrt(2 * (1 - rho1)), turned = moved / (1 + s);
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
  const json &description = claim.at("class"), &box = member(description, "box");
  const std::string name = text(description, "name"), quantity = text(claim, "quantity"),
                    relation = text(claim, "relation");
  const Row* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) {
    return theorem == r.theorem && name == r.name && quantity == r.quantity && relation == r.relation;
  });
  require(row != std::end(rows), fmt::format("theorem {} does not speak of {} so on the class {}", theorem,
                                             quantity, in_quotes(name)));

  const bool bands = name == "interval-bands", below = row->gamma == std::string("gamma*(1-rho1)");
  std::vector<std::string> members{"name", "box"}, coordinates{"rho1", "spread", row->gamma, "alpha", "q"};
  if (bands) members.push_back("phase"), coordinates = {"theta", "gap"};
  require_keys(description, members, "the class");
  require_keys(box, coordinates, "the box");
  require(!bands || text(description, "phase") == row->gamma, "another band dominates in that phase");
  Box whole;
  for (const std::string& coordinate : coordinates) whole.push_back(range(box, coordinate));
  const Rational N = number(claim, "N"), bound = number(claim, "bound");
  if (bands) {
    require(whole[0].lo > 0 && whole[0].hi < 1 && whole[1].lo > 0 && N >= 2,
            "interval bands need 0 < theta < 1, positive gaps and N >= 2");
  } else {
    require(whole[0].lo > 0 && whole[1].lo >= 0 && whole[0].hi + whole[1].hi < 1 && whole[3].lo >= 0 &&
                whole[4].lo > 0 && N >= 8,
            "the class needs 0 < rho1 <= rho2 < 1, alpha >= 0, q1 > 0 and N >= 8");
    require(below ? whole[2].lo >= 0 && whole[2].hi < 1 : whole[2].lo > 1,
            "gamma is not on one side of its threshold");
    require(theorem != "2.5" || whole[3] == RationalBox{0, 0}, "theorem 2.5 has alpha = 0");
  }
  const auto worst = [&](const Box& leaf) -> std::optional<Interval> {
    const Interval n(N, bits),
        v = bands ? dominant_mass(row->gamma, n, leaf) : near_simplex(quantity, n, leaf);
    return relation == "<=" ? v : -v;
  };
  check_tree(evidence, coordinates, whole, worst, relation == "<=" ? bound : Rational(-bound));
}

}  // namespace critscale::checker
