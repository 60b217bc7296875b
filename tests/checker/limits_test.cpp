// The checker's table of limits against its own formulas, exactly, at more fractions than the degrees
// of the rational functions require; and the prover's texts against the checker's.
#include <catch2/catch.hpp>

#include "critscale/checker/detail/claims.hpp"
#include "critscale/checker/detail/layer.hpp"
#include "critscale/layer/real.hpp"
#include "critscale/text/detail/expression.hpp"
#include "proof/claims.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

// After multiplying out, no limit has degree above 8 in any of rho, r, alpha, sqrt q, 1/d.
constexpr long points = 9;

Rational evaluate(const std::string& text, const std::map<std::string, Rational>& at) {
  return Expression(text).evaluate_exactly([&](const std::string& name) { return at.at(name); });
}

/// The layer for n -> infinity: the weights are 0 or 1, no cluster is comparable with a larger one.
checker::Layer<Rational> limit_layer(const std::vector<Rational>& weight, const std::vector<Rational>& r,
                                     const Rational& unit, const Rational& alpha, const Rational& root_q,
                                     const Rational& d) {
  checker::LayerInputs<Rational> in;
  in.weight = weight;
  in.ratio.resize(r.size(), std::vector<Rational>(r.size()));
  in.r = r;
  for (const Rational& x : r) in.depth.emplace_back((1 - x) / unit);
  in.unit = unit;
  in.sigma = 1 / (1 + alpha * root_q);
  in.residual = 1 - in.sigma;
  in.alpha = alpha;
  in.root_q = root_q;
  in.freedom = 1 - 1 / d;
  return checker::Layer<Rational>(std::move(in));
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
      const auto [name, index] = parse_subscripted(q);
      const std::size_t band = index ? *index + 1 : 0;
      for (long i = 1; i <= points; ++i) {
        for (long j = 0; j < points; ++j) {
          for (long l = 1; l <= points; ++l) {
            const Rational rho(i, 11), alpha(j, 3), root_q(l, 2), d = 5 + i;
            const auto layer =
                limit_layer({p == "subcritical" ? 0 : 1, p == "supercritical" ? 0 : 1}, {1, rho},
                            j % 2 == 0 ? Rational(1) : Rational(1 - rho), alpha, root_q, d);
            REQUIRE(layer.quantity(name, band) ==
                    evaluate(text, {{"rho", rho}, {"alpha", alpha}, {"q", root_q * root_q}, {"d", d}}));
          }
        }
      }
    }
  }
}

TEST_CASE("limits of three bands are those of the checker's formulas") {
  for (const std::string p : {"far", "far-near", "near", "near-self", "self"}) {
    for (const char* quantity : band_quantities) {
      const std::string q = quantity;
      TailRequest request = band_request(quantity, p);
      const std::string text = checker::limit_text("bands", p, q);
      if (text.empty()) {
        CHECK(q == "log_partition");
        CHECK_THROWS_AS(derived_limit(request.claim), InputError);
        continue;
      }
      // Different texts for the same function are allowed; the comparison below is exact.
      if (q == "log_partition") continue;
      const auto [name, index] = parse_subscripted(q);
      const std::size_t band = index ? *index + 1 : 0;
      const bool far = p == "far" || p == "far-near", self = p == "self" || p == "near-self";
      const bool near = p == "near" || p == "far-near" || p == "near-self";
      for (long i = 1; i <= points; ++i) {
        for (long j = 0; j < points; ++j) {
          for (long l = 1; l <= points; ++l) {
            for (long k = 1; k <= points; ++k) {
              const Rational rho(i, 11), alpha(j, 3), root_q(l, 2), d = 5 + i,
                                                                    r = rho + (1 - rho) * Rational(k, 11);
              const auto layer =
                  limit_layer({self ? 1 : 0, near ? 1 : 0, far ? 1 : 0}, {1, r, rho}, 1, alpha, root_q, d);
              REQUIRE(layer.quantity(name, band) ==
                      evaluate(text,
                               {{"rho", rho}, {"r", r}, {"alpha", alpha}, {"q", root_q * root_q}, {"d", d}}));
            }
          }
        }
      }
    }
  }
}
