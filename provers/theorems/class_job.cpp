// Class claims of any theorem. Uses claim_reader.hpp.
#include <fmt/format.h>

#include "theorems/claim_reader.hpp"

namespace critscale::cli {
namespace {

nlohmann::json to_json(const ClassClaim& claim) {
  nlohmann::json box = nlohmann::json::object();
  for (const auto& [name, range] : claim.box) box[name] = {to_string(range.lo), to_string(range.hi)};
  nlohmann::json description{{"name", claim.name}, {"box", box}};
  if (!claim.phase.empty()) description["phase"] = claim.phase;
  return {{"class", description},
          {"quantity", claim.quantity},
          {"relation", claim.relation},
          {"bound", to_string(claim.bound)},
          {"N", to_string(claim.N)}};
}

Verdict run_class(const ClassClaim& claim, bool bound_given, const std::string& paper,
                  const JobContext& context) {
  const ClassResult result = decide_class(claim, bound_given, context.limits);
  Verdict v;
  v.outcome = result.proved ? Outcome::proved : result.refuted ? Outcome::refuted : Outcome::undecided;
  v.kind = "class";
  v.theorem = claim.theorem;
  v.quantity = claim.quantity;
  v.claim = to_json(result.claim);
  v.evidence = cli::to_json(result.evidence, result.coordinates);
  if (result.proved)
    v.constants = fmt::format("{} {}, N = {}", result.claim.relation, to_string(result.claim.bound),
                              to_string(claim.N));
  v.paper = paper;
  v.detail = result.detail;
  return v;
}

}  // namespace

std::vector<Job> class_jobs(const Specification& claim, const ClassClaim& what, const std::string& paper) {
  const bool bound_given = claim.find("bound") != nullptr;
  std::vector<Job> jobs;
  for (const std::string& N : list_of(claim, "N", {})) {
    ClassClaim c = what;
    c.N = parse_rational(N);
    c.relation = class_relation(c.quantity);
    if (bound_given) c.bound = number_of(claim, "bound");
    jobs.push_back(
        {job_id(claim, fmt::format("{}-N-{}", c.quantity.substr(0, c.quantity.find_first_of("-/")), N)),
         [c, bound_given, paper](const JobContext& context) {
           return run_class(c, bound_given, paper, context);
         }});
  }
  if (jobs.empty()) throw InputError("the key N is missing");
  return jobs;
}

std::vector<Job> near_simplex_jobs(const Specification& claim, const std::string& theorem,
                                   const std::vector<std::string>& below,
                                   const std::vector<std::string>& above, const std::string& paper_below,
                                   const std::string& paper_above) {
  const bool is_below = claim.find("gamma_ratio1") != nullptr,
             is_above = claim.find("gamma_ratio2") != nullptr;
  if (is_below == is_above)
    throw InputError("one of gamma_ratio1 = gamma (1 - rho1) and gamma_ratio2 = gamma (1 - rho2) is needed");
  ClassClaim c;
  c.theorem = theorem;
  c.name = "near-simplex";
  c.box["rho1"] = box_of(claim, "rho1");
  c.box["spread"] = box_of(claim, "spread");
  c.box["alpha"] = box_of(claim, "alpha", RationalBox{0, 0});
  c.box["q"] = box_of(claim, "q", RationalBox{1, 1});
  c.box[is_below ? "gamma*(1-rho1)" : "gamma*(1-rho2)"] =
      box_of(claim, is_below ? "gamma_ratio1" : "gamma_ratio2");
  std::vector<Job> jobs;
  for (const std::string& quantity : list_of(claim, "quantity", is_below ? below : above)) {
    c.quantity = quantity;
    for (Job& job : class_jobs(claim, c, is_below ? paper_below : paper_above))
      jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace critscale::cli
