// Claims about the formulas continued to sizes that are no whole numbers, where C_i is no covariance: what
// once was accepted on the ground of facts about real configurations ([band-tails]). And claims that speak of
// nothing.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "critscale/checker/verify.hpp"
#include "proof/case_claims.hpp"
#include "proof/evaluators.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

TEST_CASE("false certificates of the continued Jacobian norm are rejected, whatever tree they bring") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CRITSCALE_SOURCE_DIR "/tests/checker/false")) {
    json c = json::parse(std::ifstream(entry.path()));
    const json& box = c["claim"]["box"];
    const auto lower = [&](const char* name) { return parse_rational(box[name][0].get<std::string>()); };
    // The point where both gaps are at an end of their range, and the value there: the claim is false.
    ExactPoint at{PowerProduct(2), {}};
    for (const char* name : {"theta", "r", "rho", "alpha", "q"}) at.parameters[name] = lower(name);
    at.parameters["gamma"] = (lower("gap") + lower("theta")) / (1 - lower("r"));
    at.parameters["n/d"] = 1;
    TailClaim claim;
    claim.geometry = "bands", claim.phase = "self", claim.quantity = "jacobian_norm";
    const Ball distance = abs(evaluated(claim, at, 256) - Ball(Rational(1, 2), 256));  // L = 1 - 1/d, d = 2
    const Rational scale =
        pow(PowerProduct(2), parse_rational(c["claim"]["k"].get<std::string>())).to_rational();
    INFO(entry.path().string());
    CHECK(certainly(
        greater(distance * Ball(scale, 256), Ball(parse_rational(c["claim"]["C"].get<std::string>()), 256))));

    json& witness = c["evidence"]["witness"];
    for (const auto& [name, v] : at.parameters)
      if (name != "n/d") witness[name] = to_string(v);
    const std::string given = c["evidence"]["tree"];
    for (const std::string& tree : {given, std::string("."), std::string("x")}) {
      c["evidence"]["tree"] = tree;
      c["evidence"]["leaves"] =
          std::count_if(tree.begin(), tree.end(), [](char x) { return x == '.' || x == 'x'; });
      const checker::Verdict v = checker::verify(forged(c).dump());
      CHECK_FALSE(v.accepted);
      INFO(v.reason);
      CHECK((v.reason.find("does not hold on leaf") != std::string::npos ||
             v.reason.find("may hold points") != std::string::npos ||
             v.reason.find("within the budget") != std::string::npos));
    }
    ++files;
  }
  REQUIRE(files == 4);
}

TEST_CASE("the prover refutes what it once proved of the continued Jacobian norm, and finds its value") {
  const cli::Verdict v = verdicts_of(
                             "id = 'f'\ntheorem = 'C.2'\nphase = 'self'\nquantity = 'jacobian_norm'\ntheta = "
                             "'3/100'\nr = '9/10'\n"
                             "rho = '1/10'\ngap = { box = ['181/50', '637/20'] }\nN = '2'\nk = '-2'\np = "
                             "0\nC = '124006/61393307'\n")
                             .at(0);
  INFO(v.detail);
  CHECK(v.outcome == ProofOutcome::refuted);
  const cli::Verdict value =
      verdicts_of(
          "id = 'v'\nkind = 'value'\nband = [{ r = '9/10', size = 'n^(3/100)' }, { r = '1/10', size = 'n' "
          "}]\n"
          "gamma = '73/2'\nn = '2'\nd = '2'\nanalytic = true\nquantities = ['jacobian_norm']\n")
          .at(0);
  INFO(value.detail);
  CHECK(value.outcome == ProofOutcome::proved);
  CHECK(value.constants.find("[0.50811598") == 0);
}

TEST_CASE("claims that speak of nothing are refused by name, thin ones are not") {
  for (const char* phase : {"near", "far"})
    CHECK_THROWS_WITH(
        verdicts_of(std::string("id = 'e'\ntheorem = 'C.2'\nclass = 'interval-bands'\nphase = '") + phase +
                    "'\ntheta = { box = ['1/4', '3/4'] }\ngap = { box = ['30', '40'] }\nN = '2'\n"),
        Catch::Contains("no configuration has exponent gaps"));
  // gamma (r - rho) - (1 - theta) and theta - gamma (1 - r) both above 69/100: few theta, r and rho allow
  // that.
  const std::string thin =
      "id = 't'\ntheorem = 'C.2'\nphase = 'near'\nquantity = 'self_weight'\ntheta = { box = ['1/4', '3/4'] "
      "}\n"
      "r = { box = ['7/10', '19/20'] }\nrho = { box = ['1/10', '1/2'] }\nN = '1000'\n";
  const cli::Verdict v = verdicts_of(thin + "gap = { box = ['69/100', '40'] }\n").at(0);
  INFO(v.detail);
  REQUIRE(v.outcome == ProofOutcome::proved);
  CHECK(checker::verify(cli::certificate(v.kind, v.theorem, v.claim, v.evidence).dump()).accepted);
  CHECK_THROWS_WITH(verdicts_of(thin + "gap = { box = ['7/10', '40'] }\n"), Catch::Contains("no gamma"));
}

TEST_CASE("certificates with enormous numbers or trees are refused at once, by name") {
  json c = certificate_of(
      "id = 't'\ntheorem = '2.1'\nquantity = 'angle_ratio'\nrho = '1/3'\ngamma_ratio = '1/2'\nN = '1000'\n");
  const std::string digits(40000, '3');
  for (const char* place :
       {"/claim/box/rho/0", "/claim/box/alpha/1", "/claim/C", "/claim/N", "/evidence/witness/rho"}) {
    json bad = c;
    bad[json::json_pointer(place)] = std::string("1/") + digits;
    if (std::string(place).ends_with("1")) bad[json::json_pointer(place)] = digits;
    CHECK_THAT(checker::verify(forged(bad).dump()).reason, Catch::Contains("bits"));
  }
  c["evidence"]["tree"] = std::string(2000001, '0');
  CHECK_THAT(checker::verify(forged(c).dump()).reason, Catch::Contains("the limit is 2000000"));
}
