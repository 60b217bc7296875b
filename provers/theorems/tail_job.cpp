// Tail claims of any theorem. Uses claim_reader.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "critscale/proof/detail/symbolic_limit.hpp"
#include "theorems/claim_reader.hpp"
#include "theorems/trivial.hpp"

namespace critscale::cli {
namespace {

/// Whether the limit, derived symbolically, is the one that the paper states (for alpha = 0), as functions of
/// the parameters; the difference where it is not.
std::string agreement(const TailClaim& claim, const std::string& paper) {
  if (paper.empty()) return "not stated by the paper";
  const LimitComparison found = compare_limit(claim, paper, true);
  if (found.equal) return fmt::format("agrees with the paper at alpha = 0 ({})", paper);
  return fmt::format("differs from the paper, which states {}: the derived limit is {}, more by {}", paper,
                     found.derived, found.difference);
}

Verdict run_tail(TailRequest request, const PaperLimit& paper, const JobContext& context) {
  request.limits = context.limits;
  const TailResult result = decide(request, context.leaves);
  const std::unique_ptr<TailProblem> problem = make_tail_problem(result.claim);
  Verdict v;
  v.outcome = result.outcome;
  v.kind = "tail";
  v.theorem = result.claim.theorem;
  v.quantity = result.claim.quantity;
  v.claim = to_json(result.claim);
  v.evidence = to_json(result.evidence, problem->coordinates(), result.witness);
  if (result.outcome == ProofOutcome::proved)
    v.constants = fmt::format("C = {}{}, k = {}, p = {}", to_string(result.claim.C),
                              result.claim.factor.empty() ? "" : " times " + result.claim.factor,
                              result.claim.k, result.claim.p);
  v.sampled = result.sampled;
  v.ratio = result.tightness;
  v.detail = result.detail;
  v.paper = agreement(result.claim, paper(result.claim));
  if (const std::string reason = trivial_reason(*problem, result.claim);
      v.outcome == ProofOutcome::proved && !reason.empty())
    v.outcome = ProofOutcome::trivial, v.detail = reason;
  return v;
}

/// What tail claims of both geometries read from the table.
TailRequest common_request(const Specification& claim, const std::string& theorem) {
  TailRequest request;
  TailClaim& c = request.claim;
  c.theorem = theorem;
  c.N = number_of(claim, "N");
  read_range(claim, "alpha", c, RationalBox{0, 0});
  read_range(claim, "q", c, RationalBox{1, 1});
  if (const Text* t = claim.find_single("factor")) {
    c.factor = t->text;
    if (std::find(std::begin(tail_factors), std::end(tail_factors), c.factor) == std::end(tail_factors))
      throw InputError(fmt::format("{}: factor {} is not {}", t->where, in_quotes(c.factor),
                                   fmt::join(tail_factors, " or ")));
  }
  if (const Text* t = claim.find_single("limit")) request.limit_given = true, c.limit = t->text;
  if (const Text* t = claim.find_single("k")) {
    request.rate_given = true;
    c.k = t->text;
    c.p = static_cast<long>(numerator(number_of(claim, "p", Rational(0))));
  } else if (claim.find("p")) {
    throw InputError("p is given without k");
  }
  if (claim.find("C")) request.constant_given = true, c.C = number_of(claim, "C");
  return request;
}

std::vector<Job> jobs(const Specification& claim, const TailRequest& base,
                      const std::vector<std::string>& quantities, const PaperLimit& paper) {
  std::vector<Job> result;
  for (const std::string& quantity : list_of(claim, "quantity", quantities)) {
    TailRequest request = base;
    request.claim.quantity = quantity;
    if (std::find(quantities.begin(), quantities.end(), quantity) == quantities.end())
      throw InputError(fmt::format("theorem {} has no claim about {}; allowed: {}", request.claim.theorem,
                                   in_quotes(quantity), fmt::join(quantities, ", ")));
    // Anything without meaning is refused before any work.
    TailClaim probe = request.claim;
    if (!request.rate_given) probe.k = natural_rate(probe);
    make_tail_problem(probe);
    result.push_back({job_id(claim, quantity), [request, paper](const JobContext& context) {
                        return run_tail(request, paper, context);
                      }});
  }
  return result;
}

}  // namespace

std::vector<Job> simplex_tail_jobs(const Specification& claim, const std::string& theorem,
                                   const std::vector<std::string>& quantities, const PaperLimit& paper) {
  TailRequest request = common_request(claim, theorem);
  TailClaim& c = request.claim;
  c.geometry = "simplex";
  read_range(claim, "rho", c);
  read_range(claim, "gamma_ratio", c);
  const RationalBox& g = c.box["gamma_ratio"];
  c.phase = g.hi <= 1 && g.lo < 1 ? "subcritical" : g.lo >= 1 && g.hi > 1 ? "supercritical" : "critical";
  return jobs(claim, request, quantities, paper);
}

std::vector<Job> band_tail_jobs(const Specification& claim, const std::string& theorem,
                                const std::vector<std::string>& quantities, const PaperLimit& paper) {
  TailRequest request = common_request(claim, theorem);
  TailClaim& c = request.claim;
  c.geometry = "bands";
  for (const char* key : {"theta", "r", "rho", "gap"}) read_range(claim, key, c);
  const Text* phase = claim.find_single("phase");
  if (!phase) throw InputError("the key phase is missing: far, near or self");
  c.phase = phase->text;
  return jobs(claim, request, quantities, paper);
}

}  // namespace critscale::cli
