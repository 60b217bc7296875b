// Random false claims, as in random_claims_test.cpp, of the kinds that need configurations of their own:
// tokens in few dimensions, many layers, boundaries. `test_proof "[.long]"` makes 10,000.
#include "checker/random_claims.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

/// A bound of the Jacobian norm that some tokens in two or three dimensions exceed.
int false_in_few_dimensions(Random& random) {
  const std::size_t d = static_cast<std::size_t>(pick(random, 2, 3)),
                    n = static_cast<std::size_t>(pick(random, 4, d == 2 ? 5 : 7));
  const Real common = real(fraction(random, 22, 38, 40));
  std::vector<Vector> y;
  for (std::size_t i = 0; i < n; ++i) {
    const Real step = real(fraction(random, -8, 8, 40)) + static_cast<Real>(i),
               turn = 6.2831853L / static_cast<Real>(n);
    Vector v{std::sqrt(common)};
    if (d == 2)
      v.push_back(std::sqrt(1 - common) * (2 * static_cast<Real>(i) / static_cast<Real>(n - 1) - 1));
    else
      v.push_back(std::sqrt(1 - common) * std::cos(turn * step)),
          v.push_back(std::sqrt(1 - common) * std::sin(turn * step));
    const Real size = std::sqrt(dot(v, v));
    for (Real& c : v) c /= size;
    y.push_back(v);
  }
  Real least = 1, most = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      least = std::min(least, dot(y[i], y[j])), most = std::max(most, dot(y[i], y[j]));
  const long grid = 1L << 20;
  const Rational rho1(static_cast<long>(std::floor(least * static_cast<Real>(grid))), grid),
      rho2(static_cast<long>(std::ceil(most * static_cast<Real>(grid))), grid);
  if (rho1 <= 0 || rho2 >= 1) return 0;
  const Rational g = fraction(random, 0, 39, 40), gamma = g / (1 - rho1), q1(1, 2);
  Vector norm;
  for (std::size_t i = 0; i < n; ++i) norm.push_back(std::sqrt(random() % 4 == 0 ? Real(2) : real(q1)));
  const Real log_n = std::log(static_cast<Real>(n)), b = real(g) * log_n;
  const ExplicitLayer layer(y, norm, real(gamma) * log_n, 0);
  const Real v = layer.jacobian_norm() - b * b / (real(q1) * static_cast<Real>(d));
  if (v < 1e-12L) return 0;
  const Rational ratio(static_cast<long>(n), static_cast<long>(d));
  json claim{{"class",
              {{"name", "near-simplex"},
               {"box",
                {{"rho1", point_range(rho1)},
                 {"spread", {random() % 3 == 0 ? "0" : text_of(rho2 - rho1), text_of(rho2 - rho1)}},
                 {"gamma*(1-rho1)", point_range(g)},
                 {"alpha", {"0", "0"}},
                 {"q", {text_of(q1), "2"}},
                 {"n/d", {"0", text_of(random() % 3 == 0 ? Rational(ratio + 1) : ratio)}}}}}},
             {"quantity", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)"},
             {"relation", "<="},
             {"bound", text_of(near(v * 0.999L))},
             {"N", std::to_string(n)}};
  const json witness{
      {"rho1", text_of(rho1)}, {"rho2", text_of(rho2)}, {"gamma", text_of(gamma)}, {"alpha", "0"}};
  const auto evidence = [&] {
    return evidence_of({"rho1", "spread", "gamma*(1-rho1)", "alpha", "x"}, witness, random);
  };
  INFO(claim.dump());
  REQUIRE_FALSE(accepted("class", "2.5", claim, evidence()));
  const Rational k = std::min(Rational(2 - 2 * g), Rational(1 - gamma * (rho2 - rho1)));
  claim["k"] = "min(2-2*gamma*(1-rho1),1-gamma*(rho2-rho1))", claim["p"] = 0;
  claim["bound"] = text_of(near(v * std::exp(real(k) * log_n) * 0.999L));
  REQUIRE_FALSE(accepted("class", "2.5", claim, evidence()));
  return 1;
}

/// A constant of many layers that explicit vectors, layer after layer, exceed.
int false_layers(Random& random) {
  const std::size_t n = static_cast<std::size_t>(pick(random, 2, 6));
  const Rational rho = fraction(random, 1, 39, 40);
  const bool drift = random() % 2 == 0;
  const Rational g = drift ? fraction(random, 41, 320, 40) : fraction(random, 0, 39, 40),
                 gamma = g / (1 - rho), alpha = drift ? fraction(random, 0, 40, 20) : Rational(0);
  const long layers = pick(random, 1, 12);
  const Real after =
      inner_products_of_layers(n, real(rho), real(gamma), real(alpha), static_cast<int>(layers)).back();
  const Real log_n = std::log(static_cast<Real>(n)),
             scale = std::exp(real(drift ? g - 1 : 2 - 2 * g) * log_n);
  const Real C = 0.999L * scale * (drift ? (after - real(rho)) / static_cast<Real>(layers) : 1 - after);
  if (!(C > 1e-12L * scale)) return 0;
  if (drift && static_cast<Real>(layers) > scale / (real(gamma) * C * log_n)) return 0;
  json claim{{"bound", drift ? "drift" : "collapse"},
             {"rho", point_range(rho)},
             {"N", std::to_string(n)},
             {"C", text_of(near(C))}};
  if (random() % 3 == 0) claim["rho"] = {text_of(rho / 2), text_of((1 + rho) / 2)};
  if (drift) claim["gamma_ratio"] = text_of(random() % 2 == 0 ? g : Rational((1 + g) / 2));
  INFO(claim.dump());
  REQUIRE_FALSE(accepted("layers", "layers", claim, {{"method", "evaluation"}}));
  return 1;
}

/// A boundary that is proved, and gammas at which two bands have the same mass, by explicit vectors.
struct Boundary {
  json certificate;
  Rational rho, r;  ///< r = rho on the simplex
  std::vector<long> lengths;
  std::map<long, Real> found = {};

  bool is(const char* between) const { return certificate["claim"].value("between", "") == between; }
  /// The more heavily the nearer band weighs, the larger.
  Real nearer_less_farther(long n, Real gamma) const {
    const std::size_t size = static_cast<std::size_t>(n),
                      cluster = r == rho ? 1 : static_cast<std::size_t>(std::lround(std::sqrt(n)));
    Vector inner;
    for (std::size_t j = 1; j < size; ++j) inner.push_back(real(j < cluster ? r : rho));
    const Vector A = row_of(inner, gamma * std::log(static_cast<Real>(n))).A[0];
    Real near_mass = 0, far_mass = 0;
    for (std::size_t j = 1; j < size; ++j) (j < cluster ? near_mass : far_mass) += A[j];
    return is("far-near") ? near_mass - far_mass : A[0] - (is("near-self") ? near_mass : far_mass);
  }
  Real transition(long n) {
    if (const auto known = found.find(n); known != found.end()) return known->second;
    Real lo = 0, hi = 100;
    for (int i = 0; i < 70; ++i) {
      const Real middle = (lo + hi) / 2;
      (nearer_less_farther(n, middle) < 0 ? lo : hi) = middle;
    }
    return found[n] = lo;
  }
};

/// A boundary with a constant, a threshold or a transition that is not its own.
int false_boundary(Random& random) {
  static const std::string bands =
      "id = 'b'\ntheorem = 'boundary'\ntheta = '1/2'\nr = '4/5'\nrho = '1/5'\nmu = '1/5'\nN = '16'\nn = "
      "'16'\n";
  static const std::vector<cli::Verdict> both = verdicts_of(bands);
  static std::vector<Boundary> all = [] {
    std::vector<Boundary> list;
    for (const char* rho : {"1/10", "1/3", "9/10"})
      list.push_back({certificate_of(fmt::format(
                          "id = 'b'\ntheorem = 'boundary'\nrho = '{}'\nmu = '1/2'\nN = '4'\nn = '4'\n", rho)),
                      parse_rational(rho),
                      parse_rational(rho),
                      {4, 5, 6, 8}});
    for (const cli::Verdict& v : both) {
      REQUIRE(v.outcome == ProofOutcome::proved);
      list.push_back({cli::certificate(v.kind, v.theorem, v.claim, v.evidence),
                      Rational(1, 5),
                      Rational(4, 5),
                      {16, 25, 36}});
    }
    return list;
  }();
  Boundary& b = all[random() % all.size()];
  json claim = b.certificate["claim"];
  const long N = b.lengths[0], n = b.lengths[random() % b.lengths.size()];
  const Rational threshold = parse_rational(claim["thresholds"][0].get<std::string>()),
                 k = parse_rational(claim["k"].get<std::string>());
  const Real log_N = std::log(static_cast<Real>(N)), at = b.transition(n),
             more = 1e-9L * at * static_cast<Real>(pick(random, 1, 1000000));
  REQUIRE(accepted("boundary", "boundary", claim, b.certificate["evidence"]));
  switch (random() % 3) {
    case 0:
      claim["C"] = text_of(near(std::abs(b.transition(N) - real(threshold)) * log_N *
                                std::exp(real(k) * log_N) * real(fraction(random, 1, 999, 1000))));
      break;
    case 1:
      claim["thresholds"] = {
          text_of(threshold + fraction(random, 1, 1000, 1000000) * (random() % 2 == 0 ? 1 : -1))};
      break;
    default: {
      const bool above = random() % 2 == 0;
      claim["transitions"] = {{{"n", std::to_string(n)},
                               {"lo", above ? text_of(near(at + more)) : "0"},
                               {"hi", above ? "100" : text_of(near(at - more))}}};
    }
  }
  INFO(claim.dump());
  REQUIRE_FALSE(accepted("boundary", "boundary", claim, b.certificate["evidence"]));
  return 1;
}

long check(long claims) {
  Random random(17);
  long made = 0;
  for (long i = 0; made < claims && i < 40 * claims; ++i) {
    const auto kind = i % 4 == 3 ? false_boundary : i % 2 == 1 ? false_layers : false_in_few_dimensions;
    made += kind(random);
  }
  return made;
}

}  // namespace

TEST_CASE("random false claims about few dimensions, layers and boundaries are rejected") {
  REQUIRE(check(300) >= 300);
}

TEST_CASE("10,000 random false claims about few dimensions, layers and boundaries are rejected", "[.long]") {
  REQUIRE(check(10000) >= 10000);
}
