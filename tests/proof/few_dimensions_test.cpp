// Theorem 2.5 below the threshold with fewer dimensions than tokens: bounds for d >= n/t against explicit
// vectors, the corners of a cube leant on a common direction, of which there are many in few dimensions.
#include <fmt/format.h>

#include "checker/explicit_layer.hpp"
#include "critscale/proof/class_claim.hpp"
#include "proof/case_claims.hpp"
#include "proof/claims.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

/// sqrt(a) e + sqrt(1-a) c for all corners c of the cube in R^m, |c| = 1: 2^m tokens in R^(m+1) whose inner
/// products lie in [2a-1, 1 - 2 (1-a)/m].
std::vector<Vector> leaning_cube(std::size_t m, Real a) {
  std::vector<Vector> y;
  for (std::size_t corner = 0; corner < std::size_t{1} << m; ++corner) {
    y.push_back({std::sqrt(a)});
    for (std::size_t k = 0; k < m; ++k)
      y.back().push_back((corner >> k & 1 ? 1 : -1) * std::sqrt((1 - a) / static_cast<Real>(m)));
  }
  return y;
}

std::string claim_text(std::size_t m, const char* gamma_ratio, const char* more) {
  // a = 7/10: rho1 = 2/5, rho2 = 1 - 3/(5 m).
  return fmt::format(
      "id = \"t\"\ntheorem = \"2.5\"\nrho1 = \"2/5\"\nspread = \"{}/{}\"\nq = \"1\"\ngamma_ratio1 = "
      "\"{}\"\nN = "
      "\"{}\"\n{}",
      3 * (m - 1), 5 * m, gamma_ratio, std::size_t{1} << m, more);
}

}  // namespace

TEST_CASE("the Jacobian norm of tokens in few dimensions is within what is proved for d >= n/t") {
  for (const std::size_t m : {3UL, 4UL, 5UL})
    for (const char* g : {"0", "3/10", "3/5", "9/10"}) {
      const std::size_t n = std::size_t{1} << m, d = m + 1;
      const Real ratio = R(g).convert_to<Real>(), log_n = std::log(static_cast<Real>(n));
      const ExplicitLayer layer(leaning_cube(m, 0.7L), Vector(n, 1), ratio / 0.6L * log_n, 0);
      const Real beyond = layer.jacobian_norm() - ratio * log_n * ratio * log_n / static_cast<Real>(d);
      const auto certificate =
          certificate_of(claim_text(m, g, fmt::format("tokens_per_dimension = \"{}/{}\"\n", n, d).c_str()));
      const Real bound = R(certificate["claim"]["bound"].get<std::string>().c_str()).convert_to<Real>();
      INFO("n = " << n << ", d = " << d << ", gamma (1-rho1) = " << g << ": " << static_cast<double>(beyond)
                  << " <= " << static_cast<double>(bound));
      CHECK(beyond <= bound);
      CHECK(checker::verify(certificate.dump()).accepted);
      CHECK(certificate["statement"].get<std::string>().find(fmt::format(
                "every d with n/d <= {}", to_string(Rational(static_cast<long>(n), static_cast<long>(d))))) !=
            std::string::npos);
      // Not with the constant of d >= n, which is smaller.
      if (std::string_view(g) == "0") continue;
      const auto many = certificate_of(claim_text(m, g, ""));
      auto forgery = certificate;
      forgery["claim"]["bound"] = many["claim"]["bound"];
      CHECK_FALSE(checker::verify(forged(forgery).dump()).accepted);
    }
}

TEST_CASE("few dimensions are refused where a claim does not speak of them") {
  CHECK_THROWS_WITH(verdicts_of(claim_text(4, "1/2", "tokens_per_dimension = \"1/2\"\n")),
                    Catch::Contains("at least 1"));
  const std::string above =
      "id = \"t\"\ntheorem = \"2.5\"\nrho1 = \"2/5\"\nspread = \"0\"\ngamma_ratio2 = \"2\"\nN = \"10\"\n"
      "tokens_per_dimension = \"2\"\n";
  CHECK_THROWS_WITH(verdicts_of(above), Catch::Contains("does not depend on n/d"));
  auto forgery = certificate_of(
      "id = \"t\"\ntheorem = \"2.5\"\nrho1 = \"2/5\"\nspread = \"0\"\n"
      "gamma_ratio2 = \"2\"\nN = \"10\"\n");
  forgery["claim"]["class"]["box"]["n/d"] = {"0", "2"};
  CHECK_FALSE(checker::verify(forged(forgery).dump()).accepted);
}
