// False claims: at exact points |Q - L| n^k (ln n)^-p is known from the library's evaluators, so a claim with
// a slightly smaller C that speaks of that point is false, and the checker must reject it whatever tree it is
// given. Formulas and narrowing of the checker are thereby tested on their own, without a prover's tree.
#include <catch2/catch.hpp>
#include <random>

#include "critscale/checker/detail/claims.hpp"
#include "critscale/checker/verify.hpp"
#include "critscale/proof/class_claim.hpp"
#include "proof/case_claims.hpp"
#include "proof/claims.hpp"
#include "proof/evaluators.hpp"
#include "theorems/certificate.hpp"
#include "theorems/claim_reader.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

struct Counts {
  int points = 0, close = 0;
};

/// A point of a claim at a small N, and the claim from that N on: of that point alone where it is thin.
std::optional<std::pair<TailClaim, ExactPoint>> at_point(const TailClaim& wide, const TailProblem& problem,
                                                         const Rational& root_q, bool thin,
                                                         std::mt19937_64& random) {
  std::vector<Rational> unit(problem.sample_size());
  // The ends often: there the suprema are.
  for (Rational& u : unit)
    u = Rational(static_cast<long>(random() % 2 == 0 ? random() % 17 : 16 * (random() % 2)), 16);
  unit[0] = 1;
  const auto sampled = problem.sample(unit);
  if (!sampled) return std::nullopt;
  const long lengths[] = {2, 3, 5, 17, 100, 5000};
  TailClaim claim = wide;
  claim.N = lengths[random() % std::size(lengths)];
  ExactPoint point{PowerProduct(claim.N), {}};
  for (const auto& [name, v] : sampled->parameters) point.parameters[name] = v;
  point.parameters["q"] = root_q * root_q;
  if (point.parameters.count("n/d") && point.parameters["n/d"] == 0)
    point.parameters["n/d"] = Rational(1, 1000);
  if (thin)
    for (const char* name : {"theta", "r", "rho", "alpha", "q"})
      if (claim.box.count(name)) claim.box[name] = {point.parameters.at(name), point.parameters.at(name)};
  if (!thin) return std::pair(claim, point);
  if (claim.geometry == "simplex") {
    const Rational ratio = point.parameters.at("gamma") * (1 - point.parameters.at("rho"));
    claim.box["gamma_ratio"] = {ratio, ratio};
  } else {
    // Both gaps; where two bands tie one of them is 0 and not in the box.
    Rational lo = sampled->box[1].lo, hi = sampled->box[2].lo;
    if (lo > hi) std::swap(lo, hi);
    claim.box["gap"] = {lo == 0 ? hi : lo, hi};
  }
  return std::pair(claim, point);
}

/// Whether the checker accepts the claim with this tree of one node.
bool accepts(const TailClaim& claim, const std::vector<std::string>& coordinates, const Witness& witness,
             const char* tree) {
  const std::string theorem = checker::theorem_of(claim.geometry, claim.quantity);
  const Bisection evidence{true, tree, 1};
  return checker::verify(cli::certificate("tail", theorem, cli::to_json(claim),
                                          cli::to_json(evidence, coordinates, witness))
                             .dump())
      .accepted;
}

/// Claims at points of one wide claim: false by a thousandth, and often true (they speak of all n >= N).
Counts check(TailClaim wide, int tries, std::mt19937_64& random) {
  Counts counts;
  wide.k = natural_rate(wide);
  wide.p = natural_log_power(wide);
  wide.limit = derived_limit(wide);
  const auto problem = make_tail_problem(wide);
  for (int i = 0; i < tries; ++i) {
    const Rational root_q = std::array{Rational(5, 7), Rational(1), Rational(7, 5)}[random() % 3];
    const bool thin = i % 3 != 0;
    auto chosen = at_point(wide, *problem, root_q, thin, random);
    if (!chosen) continue;
    auto& [claim, point] = *chosen;
    claim.k = natural_rate(claim);
    const bool constant = claim.k.find("gamma") == std::string::npos;
    const Ball k(constant ? parse_rational(claim.k) : exact_rate(claim, point), 256);
    // The largest value at some n: near the supremum, which is often beyond N.
    claim.C = 0;
    for (const long factor : {1, 2, 3, 5, 8, 13, 20, 30, 100, 1000}) {
      point.n = PowerProduct(Rational(claim.N * factor));
      const Ball t = log(point.n, 256),
                 size = abs(evaluated(claim, point, 256) - exact_limit(*problem, point, root_q, 256)) *
                        exp(k * t) / pow(t, Integer(claim.p));
      claim.C = std::max(claim.C, Rational(size.lower().to_rational() * Rational(999, 1000)));
    }
    INFO(claim.quantity << " " << claim.phase << ", N = " << to_string(claim.N) << ", k = " << claim.k);
    for (const auto& [name, v] : point.parameters) UNSCOPED_INFO(name << " = " << to_string(v));
    if (claim.C == 0) continue;
    counts.points += thin ? 1 : 0;
    Witness witness;
    for (const auto& [name, v] : point.parameters)
      if (name != "n/d") witness.emplace_back(name, v);
    REQUIRE_FALSE(accepts(claim, problem->coordinates(), witness, "."));
    REQUIRE_FALSE(accepts(claim, problem->coordinates(), witness, "x"));
    claim.C *= 4;
    if (thin && accepts(claim, problem->coordinates(), witness, ".")) ++counts.close;
  }
  return counts;
}

}  // namespace

TEST_CASE("tail claims of the simplex that are false at a point are rejected") {
  std::mt19937_64 random(1);
  for (const char* phase : simplex_phases)
    for (const char* quantity : simplex_quantities) {
      TailRequest r = simplex_request("", quantity, phase);
      r.claim.box["q"] = {Rational(25, 49), Rational(49, 25)};
      const Counts c = check(r.claim, 18, random);
      INFO(quantity << " " << phase << ": " << c.close << " of " << c.points << " accepted at 4 C");
      CHECK(c.points > 8);
      CHECK(4 * c.close >= c.points);
    }
}

TEST_CASE("tail claims of three bands that are false at a point are rejected") {
  std::mt19937_64 random(2);
  for (const std::string phase : {"far", "far-near", "near", "near-self", "self"})
    for (const char* quantity : band_quantities) {
      TailRequest r = band_request(quantity, phase);
      if (checker::limit_text("bands", phase, quantity).empty()) continue;
      r.claim.box["alpha"] = {0, 2};
      r.claim.box["q"] = {Rational(25, 49), Rational(49, 25)};
      const Counts c = check(r.claim, 12, random);
      INFO(quantity << " " << phase << ": " << c.close << " of " << c.points << " accepted at 4 C");
      CHECK(c.points > 2);
      CHECK(4 * c.close >= c.points);
    }
}

TEST_CASE("at one class the checker's bounds are the prover's, and no better") {
  std::mt19937_64 random(3);
  const auto draw = [&](long lo, long hi) {
    const Rational at(lo + static_cast<long>(random() % static_cast<unsigned long>(hi - lo + 1)), 40);
    return RationalBox{at, at};
  };
  const std::pair<const char*, const char*> quantities[] = {
      {"2.3", "inner_products-rho1"},
      {"2.3", "attention_displacement"},
      {"2.3", "inner_product_change"},
      {"2.5", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)"},
      {"2.5", "jacobian_norm/(1-1/d)"},
      {"C.2", "far_mass"},
      {"C.2", "near_mass"},
      {"C.2", "self_weight"}};
  const long lengths[] = {8, 30, 1000, 1000000};
  for (const auto& [theorem, quantity] : quantities)
    for (int i = 0; i < 30; ++i) {
      ClassClaim c;
      c.quantity = quantity;
      c.relation = class_relation(quantity);
      c.N = lengths[random() % std::size(lengths)];
      const bool bands = c.quantity.ends_with("_mass") || c.quantity == "self_weight";
      c.name = bands ? "interval-bands" : "near-simplex";
      std::vector<std::string> names{"theta", "gap", "x"};
      Box box{draw(1, 39), draw(1, 200), {1, 1}};
      if (!bands) {
        names = {"rho1", "spread", class_ratio(quantity), "alpha", "x"};
        const bool below = names[2] == "gamma*(1-rho1)";
        box = {draw(1, 20), draw(0, 19), below ? draw(0, 39) : draw(41, 200), draw(0, 80), {1, 1}};
        if (std::string(theorem) == "2.5") box[3] = {0, 0};
      }
      nlohmann::json ranges = nlohmann::json::object();
      for (std::size_t k = 0; k + 1 < box.size(); ++k) c.box[names[k]] = box[k];
      if (!bands) c.box["q"] = draw(1, 80);
      for (const auto& [name, range] : c.box) ranges[name] = {to_string(range.lo), to_string(range.hi)};
      nlohmann::json description{{"name", c.name}, {"box", ranges}};
      if (bands) description["phase"] = c.quantity.substr(0, c.quantity.find('_'));
      const bool upper = c.relation == "<=";
      if (bands) c.phase = c.quantity.substr(0, c.quantity.find('_'));
      const auto witness = class_witness(c);
      if (!witness) continue;
      // The bounds are worst at n = N.
      const Rational largest = class_bound(c, box).upper().to_rational(),
                     b = upper ? largest : Rational(-largest), step = abs(b) / 1000000;
      INFO(quantity << " with N = " << to_string(c.N) << ", " << ranges.dump());
      // What the inequalities give, a little less or more.
      for (const bool stronger : {false, true}) {
        const Rational bound = stronger == upper ? Rational(b - step) : Rational(b + step);
        const nlohmann::json claim{{"class", description},
                                   {"quantity", quantity},
                                   {"relation", c.relation},
                                   {"bound", to_string(bound)},
                                   {"N", to_string(c.N)}};
        const checker::Verdict v = checker::verify(
            cli::certificate("class", theorem, claim, cli::to_json(Bisection{true, ".", 1}, names, *witness))
                .dump());
        INFO((stronger ? "stronger: " : "weaker: ") << v.reason);
        REQUIRE(v.accepted == (!stronger || b == 0));
      }
    }
}
