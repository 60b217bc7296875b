// The checker's table of limits against its own formulas, exactly, at more fractions than the degrees
// of the rational functions require; and the prover's texts against the checker's.
#include <catch2/catch.hpp>

#include "critscale/checker/layers.hpp"
#include "critscale/checker/pieces.hpp"
#include "critscale/model/real.hpp"
#include "critscale/number/expression.hpp"
#include "proof/claims.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

// After multiplying out, no limit has degree above 8 in any of rho, r, alpha, sqrt q, 1/d.
constexpr long points = 9;

Rational evaluate(const std::string& text, const std::map<std::string, Rational>& at) {
  return Expression(text).evaluate_exactly([&](const std::string& name) { return at.at(name); });
}

}  // namespace

TEST_CASE("limits of the simplex are those of the checker's formulas") {
  for (const char* phase : simplex_phases) {
    for (const char* quantity : simplex_quantities) {
      const std::string q = quantity, p = phase;
      TailRequest request = simplex_request("", quantity, phase);
      const std::string text = checker::limit_text("simplex", p, q);
      CHECK(text == derived_limit(request.claim));
      if (q == "log_partition") continue;
      for (long i = 1; i <= points; ++i) {
        for (long j = 0; j < points; ++j) {
          for (long l = 1; l <= points; ++l) {
            const Rational rho(i, 11), alpha(j, 3), root_q(l, 2), d = 5 + i;
            checker::SimplexMasses<Rational> m;
            m.a = p == "subcritical" ? Rational(0) : p == "critical" ? Rational(1, 2) : Rational(1);
            m.M = 1 - m.a;
            m.rho = rho;
            m.delta = 1 - rho;
            m.alpha = alpha;
            m.root_q = root_q;
            m.sigma = 1 / (1 + alpha * root_q);
            m.residual = 1 - m.sigma;
            m.freedom = 1 - 1 / d;
            REQUIRE(checker::simplex_quantity(m, q) ==
                    evaluate(text, {{"rho", rho}, {"alpha", alpha}, {"q", root_q * root_q}, {"d", d}}));
          }
        }
      }
    }
  }
}

TEST_CASE("limits of three bands are those of the checker's formulas") {
  for (const char* phase : band_phases) {
    for (const char* quantity : band_quantities) {
      const std::string q = quantity, p = phase;
      TailRequest request = band_request(quantity, phase);
      const std::string text = checker::limit_text("bands", p, q);
      CHECK(text == derived_limit(request.claim));
      if (q == "log_partition") continue;
      for (long i = 1; i <= points; ++i) {
        for (long j = 0; j < points; ++j) {
          for (long l = 1; l <= points; ++l) {
            for (long k = 1; k <= points; ++k) {
              const Rational rho(i, 11), alpha(j, 3), root_q(l, 2), d = 5 + i,
                                                                    r = rho + (1 - rho) * Rational(k, 11);
              checker::BandMasses<Rational> m;
              m.a = p == "self" ? 1 : 0;
              m.M1 = p == "near" ? 1 : 0;
              m.M2 = p == "far" ? 1 : 0;
              m.r = r;
              m.rho = rho;
              m.depth = 1 - r;
              m.drop = r - rho;
              m.delta = 1 - rho;
              m.sigma = 1 / (1 + alpha * root_q);
              m.residual = 1 - m.sigma;
              m.sigma = 1 / (1 + alpha * root_q);
              m.residual = 1 - m.sigma;
              REQUIRE(checker::band_quantity(m, q) ==
                      evaluate(text,
                               {{"rho", rho}, {"r", r}, {"alpha", alpha}, {"q", root_q * root_q}, {"d", d}}));
            }
          }
        }
      }
    }
  }
}
