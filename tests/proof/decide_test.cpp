// Claims are proved with tight constants, refuted with counterexamples, or left undecided.
#include <catch2/catch.hpp>

#include "critscale/proof/class_claim.hpp"
#include "proof/claims.hpp"

using namespace critscale;
using namespace critscale::test;

TEST_CASE("constants are found within twice the sampled supremum on the simplex") {
  for (const char* phase : simplex_phases) {
    for (const char* quantity : simplex_quantities) {
      TailRequest request = simplex_request("", quantity, phase);
      request.claim.box["rho"] = {R("1/5"), R("2/5")};
      const TailResult result = decide(request);
      INFO(quantity << " " << phase << ": " << result.detail);
      REQUIRE(result.outcome == ProofOutcome::proved);
      CHECK(result.tightness >= 1);
      CHECK(result.tightness <= 2);
      // Printed for the reader of the log: C beside the largest value found.
      WARN(quantity << " " << phase << ": C = " << to_string(result.claim.C) << ", largest sampled "
                    << result.sampled << ", " << result.evidence.leaves << " leaves");
    }
  }
}

TEST_CASE("a constant below the supremum is refuted with exact parameters and n") {
  TailRequest request = simplex_request("2.1", "inner_products[0]", "critical");
  request.constant_given = true;
  request.claim.C = R("3/2");
  const TailResult result = decide(request);
  REQUIRE(result.outcome == ProofOutcome::refuted);
  CHECK(result.detail.find("at n = 1") != std::string::npos);
  CHECK(result.detail.find("rho = ") != std::string::npos);
  CHECK(result.detail.find("above C = 3/2") != std::string::npos);
}

TEST_CASE("a rate that is too fast is refuted") {
  TailRequest request = simplex_request("2.1", "inner_products[0]", "critical");
  request.rate_given = request.constant_given = true;
  request.claim.k = "11/10";
  request.claim.C = 1000;
  CHECK(decide(request).outcome == ProofOutcome::refuted);
}

TEST_CASE("a true claim with a given constant is proved, and the same claim is undecided without leaves") {
  TailRequest request = simplex_request("2.1", "inner_products[0]", "critical");
  request.constant_given = true;
  request.claim.C = 4;
  CHECK(decide(request).outcome == ProofOutcome::proved);
  request.claim.C = R("17/10");
  request.limits.leaves = 0;
  const TailResult result = decide(request);
  CHECK(result.outcome == ProofOutcome::undecided);
  CHECK(result.detail.find("limit") != std::string::npos);
}

TEST_CASE("another limit is refuted, another way of writing the limit is not") {
  TailRequest request = simplex_request("2.1", "inner_products[0]", "critical");
  request.claim.box["alpha"] = {0, 0};
  request.claim.box["q"] = {1, 1};
  request.limit_given = true;
  request.claim.limit = "3*rho/(1+3*rho)";
  const TailResult refuted = decide(request);
  CHECK(refuted.outcome == ProofOutcome::refuted);
  CHECK(refuted.detail.find("the limit is") != std::string::npos);
  request.claim.limit = "1-(1-rho)/(1+3*rho)";
  const TailResult proved = decide(request);
  CHECK(proved.outcome == ProofOutcome::proved);
  CHECK(proved.claim.limit == derived_limit(proved.claim));
}

TEST_CASE("claims without meaning are refused") {
  TailRequest request = simplex_request("2.1", "inner_products[0]", "subcritical");
  request.claim.box["gamma_ratio"] = {R("1/2"), R("3/2")};
  CHECK_THROWS_AS(decide(request), InputError);
  request = simplex_request("2.1", "inner_products[1]", "subcritical");
  CHECK_THROWS_AS(decide(request), InputError);
  request = simplex_request("2.1", "inner_products[0]", "subcritical");
  request.claim.box["rho"] = {0, 0};
  CHECK_THROWS_AS(decide(request), InputError);
  request.claim.box["rho"] = {R("1/2"), R("1/2")};
  request.claim.N = 1;
  CHECK_THROWS_AS(decide(request), InputError);
}

TEST_CASE("the tree does not depend on how often it is found, and covers the box") {
  const TailRequest request = simplex_request("2.1", "inner_products[0]", "critical");
  const TailResult a = decide(request), b = decide(request);
  CHECK(a.evidence.tree == b.evidence.tree);
  // A binary tree in preorder has one leaf more than it has splits.
  long open = 1;
  for (const char c : a.evidence.tree) {
    REQUIRE(open > 0);
    open += c == '.' || c == 'x' ? -1 : 1;
  }
  CHECK(open == 0);
}

TEST_CASE("power_log encloses its values over ranges") {
  const LogRange tau{Ball(R("7"), 64), Ball(R("30"), 64)};
  for (const long j : {-2L, 0L, 1L, 3L}) {
    for (const char* lo : {"-1/10", "0", "1/20", "1/10", "2"}) {
      const Rational k0 = R(lo), k1 = k0 + R("1/7");
      const Ball range = power_log({k0, k1}, j, tau);
      for (long i = 0; i <= 8; ++i) {
        for (long m = 0; m <= 8; ++m) {
          const Rational kappa = k0 + Rational(i, 8) * (k1 - k0), t = 7 + Rational(23 * m, 8);
          const Ball value = pow(Ball(t, 128), Integer(j)) * exp(-Ball(Rational(kappa * t), 128));
          INFO("j = " << j << ", kappa = " << to_string(kappa) << ", tau = " << to_string(t));
          CHECK(overlaps(range, value));
          CHECK(certainly(less_equal(value, Ball::exactly(range.upper(), 64) + Ball(R("1e-9"), 64))));
        }
      }
    }
  }
  const LogRange unbounded{Ball(7), std::nullopt};
  CHECK(power_log({R("1/10"), R("1/5")}, 2, unbounded).is_finite());
  CHECK_FALSE(power_log({0, R("1/5")}, 1, unbounded).is_finite());
  CHECK_FALSE(power_log({R("-1/5"), R("1/5")}, 0, unbounded).is_finite());
}
