// The checker accepts what the prover proves and rejects everything else, with a reason.
#include <catch2/catch.hpp>

#include "critscale/checker/verify.hpp"
#include "proof/case_claims.hpp"
#include "proof/claims.hpp"
#include "theorems/certificate.hpp"
#include "theorems/claim_reader.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

json tail_certificate(TailRequest request) {
  const TailResult result = decide(request);
  REQUIRE(result.outcome == ProofOutcome::proved);
  const auto problem = make_tail_problem(result.claim);
  return cli::certificate("tail", result.claim.theorem, cli::to_json(result.claim),
                          cli::to_json(result.evidence, problem->coordinates(), result.witness));
}

bool accepted(const json& c) { return checker::verify(c.dump()).accepted; }
std::string reason(const json& c) {
  const checker::Verdict v = checker::verify(c.dump());
  CHECK_FALSE(v.accepted);
  CHECK_FALSE(v.reason.empty());
  return v.reason;
}

json critical() { return tail_certificate(simplex_request("2.1", "inner_products[0]", "critical")); }

}  // namespace

TEST_CASE("the checker accepts proofs of every quantity on the simplex") {
  for (const char* phase : simplex_phases) {
    for (const char* quantity : simplex_quantities) {
      const std::string q = quantity;
      const char* theorem = q == "jacobian_norm"                             ? "2.4"
                            : q == "inner_products[0]" || q == "angle_ratio" ? "2.1"
                                                                             : "partition";
      TailRequest request = simplex_request(theorem, quantity, phase);
      request.claim.box["rho"] = {R("1/5"), R("2/5")};
      const checker::Verdict v = checker::verify(tail_certificate(request).dump());
      INFO(quantity << " " << phase << ": " << v.reason);
      CHECK(v.accepted);
      CHECK(v.statement.find("for all real n >= 1000") == std::string::npos);
      CHECK(v.statement.find("all real n >= 1000") != std::string::npos);
    }
  }
}

TEST_CASE("an edit that does not mend the digest is rejected") {
  const json good = critical();
  REQUIRE(accepted(good));
  for (const char* member : {"claim", "evidence", "statement", "theorem", "kind", "tool"}) {
    json bad = good;
    if (bad[member].is_string())
      bad[member] = bad[member].get<std::string>() + " ";
    else
      bad[member]["extra"] = 1;
    CHECK(reason(bad).find("digest") != std::string::npos);
  }
}

TEST_CASE("a statement that says something else than the claim is rejected") {
  json bad = critical();
  bad["statement"] = bad["statement"].get<std::string>() + " So it is.";
  bad["digest"] = checker::digest(bad);
  CHECK(reason(bad) == "the statement is not the one of the claim");
}

TEST_CASE("stronger claims are rejected even when statement and digest are forged") {
  const json good = critical();
  const auto with = [&](const std::function<void(json&)>& change) {
    json bad = good;
    change(bad["claim"]);
    return forged(bad);
  };
  CHECK_FALSE(accepted(with([](json& c) { c["C"] = "1"; })));
  CHECK_FALSE(accepted(with([](json& c) { c["k"] = "11/10"; })));
  CHECK_FALSE(accepted(with([](json& c) { c["p"] = -1; })));
  CHECK_FALSE(accepted(with([](json& c) { c["N"] = "1"; })));
  CHECK_FALSE(accepted(with([](json& c) { c["limit"] = "rho"; })));
  CHECK_FALSE(accepted(with([](json& c) { c["limit"] = "1"; })));
  CHECK_FALSE(accepted(with([](json& c) { c["quantity"] = "angle_ratio"; })));
  CHECK_FALSE(accepted(with([](json& c) { c["quantity"] = "jacobian_norm"; })));
  CHECK_FALSE(accepted(with([](json& c) { c["phase"] = "supercritical"; })));
  CHECK_FALSE(accepted(with([](json& c) { c["box"]["rho"] = {"1/1000", "9/10"}; })));
  CHECK_FALSE(accepted(with([](json& c) { c["box"]["rho"] = {"0", "9/10"}; })));
  CHECK_FALSE(accepted(with([](json& c) { c["box"]["gamma_ratio"] = {"9/10", "1"}; })));
  CHECK_FALSE(accepted(with([](json& c) { c["geometry"] = "bands"; })));
  CHECK_FALSE(accepted(with([](json& c) { c["C"] = 2.5; })));
  CHECK_FALSE(accepted(with([](json& c) { c.erase("N"); })));
  CHECK_FALSE(accepted(with([](json& c) { c["more"] = "1"; })));
}

TEST_CASE("theorems and kinds cannot be swapped") {
  const json good = critical();
  for (const char* theorem : {"2.3", "2.4", "2.5", "C.2", "partition", "boundary"}) {
    json bad = good;
    bad["theorem"] = theorem;
    CHECK_FALSE(accepted(forged(bad)));
  }
  json bad = good;
  bad["kind"] = "value";
  CHECK_THROWS(checker::statement("value", "2.1", bad["claim"]));
  bad["digest"] = checker::digest(bad);
  CHECK_FALSE(accepted(bad));
}

TEST_CASE("evidence that is incomplete is rejected") {
  json good = critical();
  std::string tree = good["evidence"]["tree"];
  REQUIRE(tree.size() > 10);
  const auto with = [&](const std::string& changed) {
    json bad = good;
    bad["evidence"]["tree"] = changed;
    return forged(bad);
  };
  for (std::size_t i = 0; i < tree.size(); i += 7) {
    std::string dropped = tree;
    dropped.erase(i, 1);
    CHECK_FALSE(accepted(with(dropped)));
    if (tree[i] == '.') {
      std::string empty = tree;
      empty[i] = 'x';
      CHECK_FALSE(accepted(with(empty)));
    }
  }
  CHECK_FALSE(accepted(with(tree + ".")));
  CHECK_FALSE(accepted(with("")));
  CHECK_FALSE(accepted(with("9..")));
  CHECK_FALSE(accepted(with("?")));
  json bad = good;
  bad["evidence"]["leaves"] = bad["evidence"]["leaves"].get<long>() + 1;
  CHECK_FALSE(accepted(forged(bad)));
  bad = good;
  bad["evidence"]["coordinates"][1] = "rho";
  CHECK_FALSE(accepted(forged(bad)));
}

TEST_CASE("truncated and malformed files are rejected") {
  const std::string text = critical().dump(1);
  for (std::size_t length = 0; length < text.size(); length += 97)
    CHECK_FALSE(checker::verify(text.substr(0, length)).accepted);
  CHECK_FALSE(checker::verify("[]").accepted);
  CHECK_FALSE(checker::verify("null").accepted);
  CHECK_FALSE(checker::verify(std::string("{\"schema\": 1, ") + text.substr(1)).accepted);
  CHECK_FALSE(checker::verify(std::string(100000, '[')).accepted);
  CHECK(reason(json::parse("{\"schema\": 1}")).find("is missing") != std::string::npos);
  CHECK(checker::verify("{\"a\": {\"b\": 1, \"b\": 2}}").reason.find("'b' occurs twice") !=
        std::string::npos);
}

TEST_CASE("values nested too deep are rejected, brackets in text are not counted") {
  json c = critical();
  c["tool"]["x"] = std::string(100000, '[') + "\"\\\"" + std::string(100000, '{');
  CHECK(accepted(forged(c)));
  for (const char* place : {"claim", "evidence", "tool"}) {
    c = critical();
    c[place]["x"] = "HERE";
    for (const std::size_t depth : {200u, 5000u, 200000u, 3000000u}) {
      std::string text = c.dump();
      text.replace(text.find("\"HERE\""), 6, std::string(depth, '[') + std::string(depth, ']'));
      CHECK(checker::verify(text).reason.find("nested deeper than 200") != std::string::npos);
    }
  }
}
