// Certificates of claims written as in a case file.
#pragma once

#include <catch2/catch.hpp>

#include "critscale/checker/verify.hpp"
#include "inputs/case_file.hpp"
#include "scratch.hpp"
#include "theorems/certificate.hpp"
#include "theorems/theorems.hpp"

namespace critscale::test {

/// What becomes of the claims of one [[claim]] table.
inline std::vector<cli::Verdict> verdicts_of(const std::string& claim) {
  const std::string folder = scratch("claim"), path = folder + "/claim.toml";
  write_file(path, "[[claim]]\n" + claim);
  std::vector<cli::Verdict> verdicts;
  for (const cli::Specification& s : cli::read_case_file(path).claims)
    for (const cli::Job& job : cli::jobs_of(s)) verdicts.push_back(job.run({}));
  return verdicts;
}

/// The certificate of the first claim of a table, which must be proved.
inline nlohmann::json certificate_of(const std::string& claim) {
  const cli::Verdict v = verdicts_of(claim).at(0);
  INFO(v.detail);
  REQUIRE(v.outcome == ProofOutcome::proved);
  return cli::certificate(v.kind, v.theorem, v.claim, v.evidence);
}

/// Statement and digest made to fit again.
inline nlohmann::json forged(nlohmann::json c) {
  try {
    c["statement"] = checker::statement(c["kind"], c["theorem"], c["claim"]);
  } catch (const std::exception&) {
    // A claim without meaning has no statement; the old one stays.
  }
  c["digest"] = checker::digest(c);
  return c;
}

}  // namespace critscale::test
