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

/// What the paper states of the class in the limit, against the bound that the inequalities give for N =
/// 10^2000.
std::string agreement(ClassClaim claim, const JobContext& context) {
  if (claim.theorem == "C.2") return "the wording of Theorem C.2 was not available";
  claim.N = parse_rational("10^2000");
  const ClassResult far = decide_class(claim, false, context.limits);
  if (!far.proved) return "not compared: no bound was found for N = 10^2000";
  const Rational& bound = far.claim.bound;
  std::string stated;
  bool agrees = false;
  if (claim.quantity == "inner_products-rho1") {
    stated = "growth by some eps > 0";
    agrees = bound > 0;
  } else if (claim.quantity == "jacobian_norm/(1-1/d)") {
    stated = "at least (1/q2)(1-1/d) + o(1)";
    agrees = bound * claim.box.at("q").hi > Rational(98, 100);
  } else if (claim.theorem == "2.5") {
    // Ours is (1-rho1)^2 (gamma ln n)^2/(q1 d) + o(1).
    const Rational depth = 1 - claim.box.at("rho1").lo;
    stated = fmt::format("at most 4 (gamma ln n)^2/(q1 d) + o(1); here at most {} in place of 4",
                         to_string(Rational(depth * depth)));
    agrees = depth * depth <= 4 && bound < Rational(1, 1000);
  } else {
    stated = "ATT(y_i) = y_i + o(1), angles kept";
    agrees = bound < Rational(1, 1000);
  }
  return fmt::format("{}: the paper states {}; the bound for N = 10^2000 is {}",
                     agrees ? "agrees" : "differs", stated, to_string(bound));
}

Verdict run_class(const ClassClaim& claim, bool bound_given, const JobContext& context) {
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
  v.paper = agreement(result.claim, context);
  v.detail = result.detail;
  return v;
}

}  // namespace

std::vector<Job> class_jobs(const Specification& claim, const ClassClaim& what) {
  const bool bound_given = claim.find("bound") != nullptr;
  std::vector<Job> jobs;
  for (const std::string& N : list_of(claim, "N", {})) {
    ClassClaim c = what;
    c.N = parse_rational(N);
    c.relation = class_relation(c.quantity);
    if (bound_given) c.bound = number_of(claim, "bound");
    jobs.push_back(
        {job_id(claim, fmt::format("{}-N-{}", c.quantity.substr(0, c.quantity.find_first_of("-/")), N)),
         [c, bound_given](const JobContext& context) { return run_class(c, bound_given, context); }});
  }
  if (jobs.empty()) throw InputError("the key N is missing");
  return jobs;
}

std::vector<Job> near_simplex_jobs(const Specification& claim, const std::string& theorem,
                                   const std::vector<std::string>& below,
                                   const std::vector<std::string>& above) {
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
    for (Job& job : class_jobs(claim, c)) jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace critscale::cli
