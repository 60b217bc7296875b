// Proved claims hold at random exact points, evaluated by the library's evaluators. The default run
// takes few points; `test_proof "[.long]"` takes 100,000.
#include <catch2/catch.hpp>
#include <random>

#include "proof/claims.hpp"
#include "proof/evaluators.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

/// A sampled point of a proved claim never violates it: n from N to 10^1000, corners over-represented.
void check_points(const TailResult& result, int points, unsigned seed) {
  const TailClaim& claim = result.claim;
  const auto problem = make_tail_problem(claim);
  std::mt19937_64 random(seed);
  const Ball C(claim.C, 128);
  int checked = 0;
  for (int i = 0; checked < points && i < 100 * points; ++i) {
    std::vector<Rational> unit;
    for (std::size_t c = 0; c < problem->sample_size(); ++c) {
      const auto kind = random() % 4;
      unit.push_back(kind == 0   ? Rational(0)
                     : kind == 1 ? Rational(1)
                                 : Rational(static_cast<long>(random() % 257), 256));
    }
    unit[0] = 1;
    const auto point = problem->sample(unit);
    if (!point) continue;
    ++checked;
    const auto kind = random() % 4;
    const PowerProduct n =
        kind == 0   ? PowerProduct(1000)
        : kind == 1 ? PowerProduct(1000 + static_cast<long>(random() % 9000))
                    : PowerProduct::power(10, 3 + static_cast<long>(random() % (kind == 2 ? 20 : 998)));
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
    // Enough bits for |Q - L| of order n^-k, with k up to the largest sampled gap.
    const double size = k.convert_to<double>() * log(n, 64).upper().to_rational().convert_to<double>() / 0.69;
    const Bits bits = 192 + static_cast<Bits>(size);
    const Ball difference = abs(evaluated(claim, exact, bits) - exact_limit(*problem, exact, root, bits));
    const Ball bound = C * exp(-(Ball(k, 128) * tau)) * pow(tau, Integer(claim.p));
    INFO(claim.quantity << " " << claim.phase << " at n = " << n.to_string() << ", " << point->text());
    REQUIRE(possibly(less_equal(difference, bound)));
    REQUIRE(certainly(less_equal(difference, bound * 2)));
  }
  REQUIRE(checked == points);
}

void check_simplex(int points) {
  for (const char* phase : simplex_phases) {
    for (const char* quantity : simplex_quantities) {
      TailRequest request = simplex_request("", quantity, phase);
      const TailResult result = decide(request);
      REQUIRE(result.outcome == Outcome::proved);
      check_points(result, points, 5);
    }
  }
}

}  // namespace

TEST_CASE("proved claims on the simplex hold at random points") { check_simplex(40); }

TEST_CASE("proved claims on the simplex hold at 100,000 random points", "[.long]") {
  check_simplex(100000 / 18 + 1);
}
