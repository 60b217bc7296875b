// Proved claims hold at random exact points, evaluated by the library's evaluators. The default run takes few
// points; `test_proof "[.long]"` takes 100,000.
#include <catch2/catch.hpp>
#include <random>

#include "proof/claims.hpp"
#include "proof/evaluators.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

/// Random numbers of [0, 1]; the two ends, where boxes have their corners and gaps their thresholds, come
/// often.
std::vector<Rational> random_unit(std::size_t size, std::mt19937_64& random) {
  std::vector<Rational> unit;
  for (std::size_t c = 0; c < size; ++c) {
    const auto kind = random() % 8;
    unit.push_back(kind < 2    ? Rational(0)
                   : kind < 4  ? Rational(1)
                   : kind == 4 ? Rational(1, 1000000)  // just inside
                               : Rational(static_cast<long>(random() % 257), 256));
  }
  return unit;
}

/// From N = 1000 to 10^1000, N itself and small n often.
PowerProduct random_length(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return PowerProduct(1000);
    case 1:
      return PowerProduct(1000 + static_cast<long>(random() % 9000));
    case 2:
      return PowerProduct::power(10, 3 + static_cast<long>(random() % 20));
    default:
      return PowerProduct::power(10, 3 + static_cast<long>(random() % 998));
  }
}

/// A sampled point of a proved claim never violates it. Returns how many points were found.
int check_points(const TailResult& result, int points, unsigned seed) {
  const TailClaim& claim = result.claim;
  const auto problem = make_tail_problem(claim);
  std::mt19937_64 random(seed);
  const Ball C(claim.C, 128);
  int checked = 0;
  for (int i = 0; checked < points && i < 100 * points; ++i) {
    std::vector<Rational> unit = random_unit(problem->sample_size(), random);
    unit[0] = 1;
    const auto point = problem->sample(unit);
    if (!point) continue;
    ++checked;
    const PowerProduct n = random_length(random);
    ExactPoint exact{n, {}};
    for (const auto& [name, v] : point->parameters) exact.parameters[name] = v;
    if (exact.parameters.count("n/d") && exact.parameters["n/d"] == 0)
      exact.parameters["n/d"] = Rational(1, 1000000);
    // sqrt q must be a fraction for the exact limit: 1/sqrt 2 and sqrt 2 are replaced by near squares.
    const Rational root = exact.parameters["q"] < 1   ? Rational(5, 7)
                          : exact.parameters["q"] > 1 ? Rational(7, 5)
                                                      : 1;
    exact.parameters["q"] = root * root;

    const Rational k = exact_rate(claim, exact);
    const Ball tau = log(n, 128);
    const Ball bound = C * exp(-(Ball(k, 128) * tau)) * pow(tau, Integer(claim.p));
    INFO(claim.quantity << " " << claim.phase << " at n = " << n.to_string() << ", " << point->text());
    // Enough bits for |Q - L| of order n^-k, with k up to the largest sampled gap.
    const double size = k.convert_to<double>() * log(n, 64).upper().to_rational().convert_to<double>() / 0.69;
    Truth holds = Truth::unknown;
    for (Bits bits = 192 + static_cast<Bits>(size); holds == Truth::unknown && bits < 1000000; bits *= 2)
      holds =
          less_equal(abs(evaluated(claim, exact, bits) - exact_limit(*problem, exact, root, bits)), bound);
    if (holds != Truth::yes) FAIL("violated, or not decided");
  }
  return checked;
}

/// Every claim, or of three bands those that are proved soon.
long check_all(int points, bool every) {
  long checked = 0;
  const auto check = [&](const TailRequest& request) {
    const TailResult result = decide(request);
    INFO(request.claim.quantity << " " << request.claim.phase << ": " << result.detail);
    REQUIRE(result.outcome == ProofOutcome::proved);
    const int found = check_points(result, points, 5);
    CHECK(found == points);
    checked += found;
  };
  for (const char* phase : simplex_phases)
    for (const char* quantity : simplex_quantities) check(simplex_request("", quantity, phase));
  for (const char* phase : band_phases)
    for (const char* quantity : band_quantities)
      if (every || std::string(quantity) == "self_weight" || std::string(quantity) == "jacobian_norm")
        check(band_request(quantity, phase));
  return checked;
}

}  // namespace

TEST_CASE("proved tail claims hold at random points") { check_all(10, false); }

TEST_CASE("proved tail claims hold at 100,000 random points", "[.long]") {
  const long checked = check_all(100000 / 42 + 1, true);
  REQUIRE(checked >= 100000);
  WARN(checked << " points");
}
