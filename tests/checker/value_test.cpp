// The checker's own evaluation against the evaluators of the library, for every quantity: values that the one
// finds lie in what the other accepts, and not in what lies beside.
#include <catch2/catch.hpp>

#include "critscale/checker/verify.hpp"
#include "proof/case_claims.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

void check_all(const std::string& claim, int expected) {
  int proved = 0;
  for (const cli::Verdict& v : verdicts_of("id = 'v'\nkind = 'value'\n" + claim)) {
    INFO(claim << v.quantity << ": " << v.detail);
    REQUIRE(v.outcome == ProofOutcome::proved);
    CHECK(checker::verify(cli::certificate("value", v.theorem, v.claim, v.evidence).dump()).accepted);
    ++proved;
    // Nor at one end alone, however close: only more precision tells.
    if (v.claim["lo"] == v.claim["hi"]) continue;
    for (const char* end : {"lo", "hi"}) {
      auto beside = v.claim;
      beside["lo"] = beside["hi"] = v.claim[end];
      INFO(end << " = " << v.claim[end]);
      CHECK_FALSE(checker::verify(cli::certificate("value", v.theorem, beside, v.evidence).dump()).accepted);
    }
  }
  CHECK(proved == expected);
}

}  // namespace

TEST_CASE("the checker confirms values on simplices") {
  const char* const all =
      "rho = ['0', '1/3', '9/10']\ngamma_ratio = ['0', '1', '3/2']\nalpha = ['0', '1/3']\nq = '2'\n"
      "n = ['3', '10^(10^15)']\n";
  check_all(all, 3 * 3 * 2 * 2 * 10);
  check_all(
      "rho = '1/3'\nbeta = ['0', '1/10', '3*(log n)^2 + 1/2', '(log n)^(1/2) + 3', '2*log n - 1/7']\n"
      "n = ['2', '10^100']\nd = ['n', '3*n', 'n^2']\ndigits = 50\n",
      5 * 2 * 3 * 10);
  check_all("rho = '1'\ngamma = '1'\nn = '8'\nd = ['1', '8']\n", 2 * 9);
}

TEST_CASE("the checker confirms values on bands of one to four levels") {
  check_all("band = [{ r = '1/3', size = 'n' }]\ngamma = '1'\nn = '10^6'\nalpha = '1'\n", 10);
  check_all(
      "band = [{ r = '4/5', size = 'n^(1/2)' }, { r = '1/5', size = 'n' }]\n"
      "gamma = ['0', '1/2', '5/2']\nalpha = ['0', '2']\nn = ['4', '10^2', "
      "'10^(10^15)']\n",
      3 * 2 * 3 * 13);
  check_all(
      "band = [{ r = '1', size = '2' }, { r = '4/5', size = '2*10^3' }, { r = '0', size = 'n' }]\n"
      "gamma = ['1/2', '3/2']\nn = ['6000', '10^30']\n"
      "quantities = ['self_weight', 'inner_products', 'angle_ratio', 'jacobian_norm', 'entropy']\n",
      2 * 2 * 7);
  check_all(
      "band = [{ r = '9/10', size = '2' }, { r = '1/2', size = '4' }, { r = '1/2', size = '8' },"
      " { r = '1/10', size = '16' }]\nbeta = ['1', '3']\nalpha = '1/2'\nn = '16'\n",
      2 * 19);
}

TEST_CASE("values that are given are proved, refuted with an enclosure, or refused") {
  const std::string at =
      "id = 'v'\nkind = 'value'\nrho = '1/3'\ngamma = '3/2'\nn = '10^6'\nquantities = 'self_weight'\n";
  CHECK(verdicts_of(at + "lo = '1/2'\nhi = '50001/100000'\n").at(0).outcome == ProofOutcome::proved);
  const cli::Verdict refuted = verdicts_of(at + "lo = '0'\nhi = '1/2'\n").at(0);
  CHECK(refuted.outcome == ProofOutcome::refuted);
  CHECK(refuted.detail.find("rho = 1/3, n = 10^6, gamma = 3/2") != std::string::npos);
  CHECK(refuted.detail.find("self_weight lies in [0.5000002") != std::string::npos);
  CHECK_THROWS_AS(verdicts_of(at + "lo = '1'\nhi = '0'\n"), InputError);
  CHECK_THROWS_AS(verdicts_of(at + "lo = '1'\n"), InputError);
  // The checker's exponents end at 2^62.
  const std::string far = "id = 'v'\nkind = 'value'\nrho = '1/3'\ngamma = '3/2'\nn = '10^(10^19)'\n";
  CHECK_THROWS_WITH(verdicts_of(far), Catch::Contains("2^62"));
}
