// The formulas of the proofs against the evaluators of model/, point by point.
#include <catch2/catch.hpp>
#include <random>

#include "critscale/text/print.hpp"
#include "proof/claims.hpp"
#include "proof/evaluators.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

void compare_at_random_points(TailRequest request, int points) {
  TailClaim& claim = request.claim;
  claim.k = natural_rate(claim);
  claim.p = natural_log_power(claim);
  const auto problem = make_tail_problem(claim);
  std::mt19937_64 random(11);
  int compared = 0;
  for (int i = 0; compared < points && i < 40 * points; ++i) {
    std::vector<Rational> unit;
    for (std::size_t c = 0; c < problem->sample_size(); ++c)
      unit.emplace_back(1 + static_cast<long>(random() % 15), 16);
    auto point = problem->sample(unit);
    if (!point) continue;
    ++compared;
    // Small n often: there the terms in (ln n)^2/d are seen.
    const auto power = random();
    ExactPoint exact{
        PowerProduct::power(10, power % 2 == 0 ? 3 : 6 * (1 + static_cast<long>(power / 2 % 20))), {}};
    for (const auto& [name, v] : point->parameters) exact.parameters[name] = v;
    // A square q keeps every limit a fraction.
    exact.parameters["q"] = Rational(49, 36);
    const std::size_t layer = claim.geometry == "simplex" ? 3 : 6;
    const Rational alpha = exact.parameters["alpha"], s = alpha * Rational(7, 6);
    if (claim.quantity == "jacobian_norm")
      point->box[layer + 1] = {Rational(49, 36), Rational(49, 36)};
    else
      point->box[layer] = {s, s};

    const Bits bits = 2048;
    const Ball tau = log(exact.n, 256);
    const auto d = problem->difference(point->box, {tau, tau});
    REQUIRE(d);
    const Ball value = evaluated(claim, exact, bits),
               limit = exact_limit(*problem, exact, Rational(7, 6), bits);
    const Ball scale = exp(Ball(exact_rate(claim, exact), bits) * log(exact.n, bits)) /
                       pow(log(exact.n, bits), Integer(claim.p));
    const Ball scaled = (value - limit) * scale;
    INFO(claim.quantity << " " << claim.phase << " at n = " << exact.n.to_string() << ", " << point->text());
    INFO("difference " << print(d->scaled, 15).lo << " evaluators " << print(scaled, 15).lo);
    REQUIRE(overlaps(d->scaled, scaled));
    // The mean value behind log1p is known only roughly, and some band differences cancel.
    if (claim.geometry == "simplex" && claim.quantity != "log_partition")
      REQUIRE(d->scaled.accurate_bits() > 3);
    REQUIRE(scaled.accurate_bits() > 30);
    if (claim.quantity != "log_partition") REQUIRE(overlaps(d->value, value));
  }
  REQUIRE(compared == points);
}

}  // namespace

TEST_CASE("tail formulas on the simplex agree with the evaluators") {
  for (const char* phase : simplex_phases)
    for (const char* quantity : simplex_quantities)
      compare_at_random_points(simplex_request("", quantity, phase), 12);
}

TEST_CASE("tail formulas on three bands agree with the evaluators") {
  for (const char* phase : band_phases) {
    for (const char* quantity : band_quantities) {
      TailRequest request = band_request(quantity, phase);
      request.claim.box["alpha"] = {0, 2};
      compare_at_random_points(request, 8);
    }
  }
}

TEST_CASE("tail formulas hold where gamma is very large") {
  // 1 - r = 10^-8: gamma reaches 10^9 within the range of the gaps.
  TailRequest request = band_request("self_weight", "self");
  request.claim.box["r"] = {R("99999999/100000000"), R("99999999/100000000")};
  request.claim.box["rho"] = {R("99999997/100000000"), R("99999997/100000000")};
  compare_at_random_points(request, 8);
}
