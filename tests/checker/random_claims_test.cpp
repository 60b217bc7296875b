// Random claims of every kind that are false at one small explicit configuration, near what is attained
// there: none is accepted, whatever tree it brings. The values are those of explicit_layer.hpp. `test_proof
// "[.long]"` makes 100,000 of them.
#include "checker/random_claims.hpp"
#include "critscale/checker/detail/claims.hpp"
#include "critscale/proof/class_claim.hpp"
#include "critscale/text/detail/expression.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

struct Whole {
  long inside, clusters;  ///< tokens a cluster, clusters
  Rational r, rho, gamma, alpha, root_q;
  long d_over_n;
  long n() const { return inside * clusters; }
  ExplicitLayer layer() const {
    const std::size_t size = static_cast<std::size_t>(n());
    std::vector<Vector> G(size, Vector(size));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        G[i][j] = i == j ? 1 : real(static_cast<long>(i) / inside == static_cast<long>(j) / inside ? r : rho);
    return {vectors_of(G, size * static_cast<std::size_t>(d_over_n)), Vector(size, real(root_q)),
            real(gamma) * std::log(static_cast<Real>(n())), real(alpha)};
  }
};

/// A quantity of row 0; the sums over bands by their members.
Real value(const ExplicitLayer& layer, const Whole& w, const std::string& name, std::size_t band) {
  if (name == "log_partition") return layer.log_Z[0];
  if (name == "self_weight") return layer.A[0][0];
  if (name == "angle_ratio") return layer.angle_ratio();
  if (name == "jacobian_norm") return layer.jacobian_norm();
  const std::size_t first = band == 0 ? 1 : static_cast<std::size_t>(w.inside),
                    last = static_cast<std::size_t>(band == 0 && w.clusters > 1 && w.inside > 1 ? w.inside
                                                                                                : w.n());
  if (name == "inner_products") return layer.inner_product(0, first);
  Real sum = 0;
  for (std::size_t j = first; j < last; ++j) sum += layer.A[0][j];
  return sum;
}

/// |Q - L| n^k at the configuration is above C by a thousandth: false, for whatever box contains it.
int false_tail(Random& random) {
  // Sizes whose logarithms are commensurable: theta is a fraction.
  static const std::array<std::array<long, 3>, 8> sizes{
      {{2, 2, 2}, {3, 3, 2}, {2, 4, 3}, {4, 2, 3}, {2, 2, 2}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}}};
  const auto& size = sizes[random() % sizes.size()];
  const bool simplex = size[0] == 1;
  Whole w{size[0], simplex ? pick(random, 2, 7) : size[1], {}, {}, {}, {}, {}, pick(random, 1, 3)};
  w.rho = fraction(random, 1, 39, 40);
  w.r = simplex ? w.rho : Rational(w.rho + (1 - w.rho) * fraction(random, 1, 39, 40));
  w.alpha = random() % 2 == 0 ? Rational(0) : fraction(random, 1, 40, 20);
  w.root_q = fraction(random, 5, 20, 10);
  const Rational theta = simplex        ? Rational(0)
                         : size[2] == 2 ? Rational(1, 2)
                                        : Rational(size[0] == 2 ? 1 : 2, 3);
  std::vector<std::string> names{"log_partition",     "self_weight", "band_masses[0]",
                                 "inner_products[0]", "angle_ratio", "jacobian_norm"};
  if (!simplex) names.insert(names.end(), {"band_masses[1]", "inner_products[1]"});
  const std::string quantity = names[random() % names.size()];

  std::string phase, k;
  Rational rate;
  json box{
      {"alpha", point_range(w.alpha)}, {"q", point_range(w.root_q * w.root_q)}, {"rho", point_range(w.rho)}};
  if (simplex) {
    const long which = pick(random, 0, 2);
    const Rational g = which == 0   ? fraction(random, 0, 39, 40)
                       : which == 1 ? Rational(1)
                                    : fraction(random, 41, 200, 40);
    w.gamma = g / (1 - w.rho);
    phase = which == 0 ? "subcritical" : which == 1 ? "critical" : "supercritical";
    k = which == 0 ? "1-gamma*(1-rho)" : which == 1 ? "1" : "gamma*(1-rho)-1";
    rate = which == 1 ? Rational(1) : abs(Rational(1 - g));
    box["gamma_ratio"] = point_range(g);
  } else {
    w.gamma = fraction(random, 0, 400, 40);
    const Rational self = w.gamma, near_band = theta + w.gamma * w.r, far = 1 + w.gamma * w.rho;
    const Rational most = std::max({self, near_band, far});
    const Rational first = most == far    ? far - near_band
                           : most == self ? self - near_band
                                          : near_band - far,
                   second = most == far    ? far - self
                            : most == self ? self - far
                                           : near_band - self;
    if (first <= 0 || second <= 0) return 0;
    phase = most == far ? "far" : most == self ? "self" : "near";
    rate = fraction(random, -80, 40, 20);
    k = text_of(rate);
    box["gap"] = {text_of(std::min(first, second)), text_of(std::max(first, second))};
    box["theta"] = point_range(theta), box["r"] = point_range(w.r);
  }
  const std::string geometry = simplex ? "simplex" : "bands",
                    limit = checker::limit_text(geometry, phase, quantity);
  const auto [name, index] = parse_subscripted(quantity);
  const Real log_n = std::log(static_cast<Real>(w.n()));
  Real L;
  if (name == "log_partition") {
    const Rational slope = phase == "subcritical" || phase == "far" ? 1 + w.gamma * w.rho
                           : phase == "near"                        ? theta + w.gamma * w.r
                                                                    : w.gamma;
    L = real(slope) * log_n + (phase == "critical" ? std::log(Real(2)) : 0);
  } else {
    L = real(Expression(limit).evaluate_exactly([&](const std::string& symbol) -> Rational {
      return symbol == "rho"     ? w.rho
             : symbol == "r"     ? w.r
             : symbol == "alpha" ? w.alpha
             : symbol == "q"     ? Rational(w.root_q * w.root_q)
                                 : Rational(w.n() * w.d_over_n);
    }));
  }
  const Real distance = std::abs(value(w.layer(), w, name, index ? *index : 0) - L);
  if (distance < 1e-13L) return 0;
  // Wider boxes contain the point as well.
  if (random() % 3 == 0) box["q"] = {text_of(w.root_q * w.root_q / 2), text_of(w.root_q * w.root_q * 2)};
  if (random() % 3 == 0) box["alpha"] = {"0", text_of(w.alpha + 1)};
  Real factor = 1;
  std::string factor_text;
  const bool jacobian = name == "jacobian_norm", turning = name == "angle_ratio" || name == "inner_products";
  if (phase == "subcritical" && turning && random() % 2 == 0)
    factor_text = "1/rho", factor = real(w.rho);
  else if (!simplex && jacobian && random() % 2 == 0)
    factor_text = "(1+gamma)^2", factor = 1 / ((1 + real(w.gamma)) * (1 + real(w.gamma)));
  // The whole domain.
  if (random() % 6 == 0) {
    if (simplex) box["rho"] = {"0", "1"};
    if (phase == "subcritical") box["gamma_ratio"] = {"0", "1"};
    if (phase == "supercritical") box["gamma_ratio"] = {"1", jacobian ? "5" : "infinity"};
    if (!jacobian) box["alpha"] = box["q"] = {"0", "infinity"};
    if (!simplex && !jacobian) box["gap"][1] = "infinity";
  }
  json claim{{"geometry", geometry},
             {"phase", phase},
             {"quantity", quantity},
             {"box", box},
             {"N", std::to_string(w.n())},
             {"limit", limit},
             {"k", k},
             {"p", 0},
             {"C", text_of(near(distance * std::exp(real(rate) * log_n) * factor * 0.999L))}};
  if (!factor_text.empty()) claim["factor"] = factor_text;
  std::vector<std::string> coordinates{"x", "gamma_ratio", "rho"};
  json witness{{"rho", text_of(w.rho)},
               {"gamma", text_of(w.gamma)},
               {"alpha", text_of(w.alpha)},
               {"q", text_of(w.root_q * w.root_q)}};
  if (!simplex) {
    coordinates = {"x", "gap1", "gap2", "theta", "r", "rho"};
    witness["theta"] = text_of(theta), witness["r"] = text_of(w.r);
  }
  if (name == "jacobian_norm")
    coordinates.insert(coordinates.end(), {"alpha", "q", "n/d"});
  else
    coordinates.emplace_back("s");
  INFO(claim.dump());
  REQUIRE_FALSE(accepted("tail", checker::theorem_of(geometry, quantity), claim,
                         evidence_of(coordinates, witness, random)));
  return 1;
}

/// A bound that an explicit configuration of the class violates by a thousandth.
int false_class(Random& random) {
  const std::size_t n = static_cast<std::size_t>(pick(random, 2, 7));
  const Rational rho1 = fraction(random, 1, 30, 40), spread = (1 - rho1) * fraction(random, 0, 39, 40);
  const std::array<std::pair<const char*, const char*>, 7> quantities{
      {{"2.3", "inner_products-rho1"},
       {"2.3", "inner_products-rho1/(1-kappa)"},
       {"2.3", "attention_displacement"},
       {"2.3", "inner_product_change"},
       {"2.5", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)"},
       {"2.5", "jacobian_norm/(1-1/d)"},
       {"2.5", "jacobian_norm/(1-1/d)-1/q2"}}};
  const auto& chosen = quantities[random() % quantities.size()];
  const std::string theorem = chosen.first, name = chosen.second, ratio = class_ratio(name);
  const bool below = ratio == "gamma*(1-rho1)", upper = class_relation(name) == "<=";
  const Rational g = below ? fraction(random, 0, 39, 40) : fraction(random, 41, 160, 40),
                 gamma = g / (1 - (below ? rho1 : Rational(rho1 + spread))),
                 alpha = theorem == "2.5" || random() % 2 == 0 ? Rational(0) : fraction(random, 1, 40, 20);
  std::vector<Vector> G(n, Vector(n));
  std::vector<long> cluster;
  for (std::size_t i = 0; i < n; ++i) cluster.push_back(pick(random, 0, 2));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      G[i][j] = i == j ? 1 : real(cluster[i] == cluster[j] ? Rational(rho1 + spread) : rho1);
  const Rational q1(1, 2), q2 = 2;
  Vector norm;
  for (std::size_t i = 0; i < n; ++i) norm.push_back(std::sqrt(real(random() % 2 == 0 ? q1 : q2)));
  const std::size_t d = n * static_cast<std::size_t>(pick(random, 1, 2));
  const Real log_n = std::log(static_cast<Real>(n)), rho1_real = real(rho1);
  const ExplicitLayer layer(vectors_of(G, d), norm, real(gamma) * log_n, real(alpha));
  Real v = upper ? -1e30L : 1e30L;
  const auto take = [&](Real x) { v = upper ? std::max(v, x) : std::min(v, x); };
  if (name.starts_with("jacobian_norm")) {
    const Real eta = layer.jacobian_norm(), size = static_cast<Real>(d);
    if (below)
      take(eta - (real(g) * log_n) * (real(g) * log_n) / (real(q1) * size));
    else
      take(eta / (1 - 1 / size) - (name.ends_with("q2") ? 1 / real(q2) : 0));
  } else {
    const Real s = real(alpha) * std::sqrt(real(q2)),
               kappa = (1 - rho1_real - real(spread)) * (2 * s + 1) / ((1 + s) * (1 + s));
    for (std::size_t i = 0; i < n; ++i) {
      if (name == "attention_displacement") take(layer.displacement(i));
      for (std::size_t j = 0; j < i && name != "attention_displacement"; ++j) {
        const Real inner = layer.inner_product(i, j);
        take(name == "inner_product_change"
                 ? std::abs(inner - G[i][j])
                 : inner - (name.ends_with("kappa)") ? rho1_real / (1 - kappa) : rho1_real));
      }
    }
  }
  if (std::abs(v) < 1e-12L) return 0;
  const Rational bound = near(v + (upper ? -1 : 1) * std::abs(v) / 1000);
  json box{{"rho1", point_range(rho1)},
           {"spread", point_range(spread)},
           {ratio, point_range(g)},
           {"alpha", point_range(alpha)},
           {"q", {text_of(q1), text_of(q2)}}};
  if (random() % 3 == 0) box["spread"] = {"0", text_of(spread)};
  json claim{{"class", {{"name", "near-simplex"}, {"box", box}}},
             {"quantity", name},
             {"relation", class_relation(name)},
             {"bound", text_of(bound)},
             {"N", std::to_string(n)}};
  const json witness{{"rho1", text_of(rho1)},
                     {"rho2", text_of(rho1 + spread)},
                     {"gamma", text_of(gamma)},
                     {"alpha", text_of(alpha)}};
  INFO(claim.dump());
  REQUIRE_FALSE(accepted("class", theorem, claim,
                         evidence_of({"rho1", "spread", ratio, "alpha", "x"}, witness, random)));
  // The same with a rate: the value at N is bound N^-k.
  if (class_rate(name) == "1-gamma*(1-rho1)" || class_rate(name) == "gamma*(1-rho2)-1") {
    claim["k"] = class_rate(name), claim["p"] = 0;
    claim["bound"] = text_of(near(real(bound) * std::exp(log_n * real(abs(Rational(1 - g))))));
    REQUIRE_FALSE(accepted("class", theorem, claim,
                           evidence_of({"rho1", "spread", ratio, "alpha", "x"}, witness, random)));
  }
  return 1;
}

/// A value beside the true one.
int false_value(Random& random) {
  Whole w{pick(random, 2, 3),
          pick(random, 2, 3),
          {},
          {},
          fraction(random, 0, 160, 40),
          fraction(random, 0, 40, 20),
          fraction(random, 5, 20, 10),
          pick(random, 1, 2)};
  w.rho = fraction(random, 1, 38, 40), w.r = w.rho + (1 - w.rho) * fraction(random, 1, 39, 40);
  const char* const names[] = {"log_partition",     "self_weight",       "band_masses[0]", "band_masses[1]",
                               "inner_products[0]", "inner_products[1]", "angle_ratio",    "jacobian_norm"};
  const std::string quantity = names[random() % std::size(names)];
  const auto [name, index] = parse_subscripted(quantity);
  const Real v = value(w.layer(), w, name, index ? *index : 0), step = std::abs(v) * 1e-9L;
  if (std::abs(v) < 1e-12L) return 0;  // a true 0 that rounding hides
  const bool above = random() % 2 == 0;
  const Rational inner = near(v + (above ? step : -step));
  const json claim{{"inputs",
                    {{"geometry", "bands"},
                     {"n", std::to_string(w.n())},
                     {"gamma", text_of(w.gamma)},
                     {"alpha", text_of(w.alpha)},
                     {"q", text_of(w.root_q * w.root_q)},
                     {"d", std::to_string(w.n() * w.d_over_n)},
                     {"band[0].r", text_of(w.r)},
                     {"band[0].size", std::to_string(w.inside)},
                     {"band[1].r", text_of(w.rho)},
                     {"band[1].size", std::to_string(w.n())}}},
                   {"quantity", quantity},
                   {"lo", above ? text_of(inner) : "-1000"},
                   {"hi", above ? "1000" : text_of(inner)}};
  INFO(claim.dump());
  REQUIRE_FALSE(accepted("value", "C.2", claim, {{"method", "evaluation"}}));
  return 1;
}

long check(long claims, unsigned seed) {
  Random random(seed);
  long made = 0;
  for (long i = 0; made < claims && i < 4 * claims; ++i)
    made += i % 4 == 3 ? false_value(random) : i % 4 == 2 ? false_class(random) : false_tail(random);
  return made;
}

}  // namespace

TEST_CASE("random claims that explicit vectors contradict are rejected") { REQUIRE(check(600, 11) >= 600); }

TEST_CASE("100,000 random claims that explicit vectors contradict are rejected", "[.long]") {
  for (unsigned part = 0; part < 20; ++part) DYNAMIC_SECTION("part " << part) {
      REQUIRE(check(5000, 100 + part) >= 5000);
    }
}
