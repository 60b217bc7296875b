// Class claims of any theorem. Uses claim_reader.hpp.
#include <fmt/format.h>

#include "theorems/claim_reader.hpp"
#include "theorems/trivial.hpp"

namespace critscale::cli {
namespace {

nlohmann::json claim_json(const ClassClaim& claim) {
  nlohmann::json box = nlohmann::json::object();
  for (const auto& [name, range] : claim.box) box[name] = {to_string(range.lo), to_string(range.hi)};
  nlohmann::json description{{"name", claim.name}, {"box", box}};
  if (!claim.phase.empty()) description["phase"] = claim.phase;
  nlohmann::json all{{"class", description},
                     {"quantity", claim.quantity},
                     {"relation", claim.relation},
                     {"bound", to_string(claim.bound)},
                     {"N", to_string(claim.N)}};
  if (claim.k != "0" || claim.p != 0) all["k"] = claim.k, all["p"] = claim.p;
  return all;
}

/// What the paper states of the class in the limit, against the bound that the inequalities give for N =
/// 10^2000.
std::string agreement(ClassClaim claim, const JobContext& context) {
  if (claim.theorem == "C.2") return "the wording of Theorem C.2 was not available";
  const bool vanishing = claim.quantity.starts_with("jacobian_norm-");
  // Ours is (1-rho1)^2 (gamma ln n)^2/(q1 d) + o(1).
  const Rational depth = 1 - claim.box.at("rho1").lo;
  const std::string stated =
      claim.quantity.starts_with("inner_products") ? "growth by some eps > 0"
      : vanishing ? fmt::format("at most 4 (gamma ln n)^2/(q1 d) + o(1); here at most {} in place of 4",
                                to_string(Rational(depth * depth)))
      : claim.theorem == "2.5" ? "at least (1/q2)(1-1/d) + o(1)"
                               : "ATT(y_i) = y_i + o(1), angles kept";
  // A rate, positive at every point of the class, is the o(1) of the paper.
  if (claim.k == class_rate(claim.quantity) && claim.k != "0")
    return fmt::format("agrees: the paper states {}; here the o(1) is O(n^-k)", stated);
  claim.N = parse_rational("10^2000");
  const ClassResult far = decide_class(claim, false, context.limits);
  if (!far.proved) return "not compared: no bound was found for N = 10^2000";
  const Rational& bound = far.claim.bound;
  const bool agrees = claim.quantity.starts_with("inner_products") ? bound > 0
                      : claim.quantity == "jacobian_norm/(1-1/d)"
                          ? bound * claim.box.at("q").hi > Rational(98, 100)
                          : depth * depth <= 4 && bound < Rational(1, 1000);
  return fmt::format("{}: the paper states {}; the bound for N = 10^2000 is {}",
                     agrees ? "agrees" : "differs", stated, to_string(bound));
}

Verdict run_class(const ClassClaim& claim, bool bound_given, const JobContext& context) {
  const ClassResult result = decide_class(claim, bound_given, context.limits);
  Verdict v;
  v.outcome = result.proved    ? ProofOutcome::proved
              : result.refuted ? ProofOutcome::refuted
                               : ProofOutcome::undecided;
  v.kind = "class";
  v.theorem = claim.theorem;
  v.quantity = claim.quantity;
  v.claim = claim_json(result.claim);
  v.evidence = cli::to_json(result.evidence, result.coordinates, result.witness);
  if (result.proved)
    v.constants = fmt::format("{} {}{}{}, N = {}", result.claim.relation, to_string(result.claim.bound),
                              claim.k == "0" ? "" : fmt::format(" n^-({})", claim.k),
                              claim.p == 0 ? "" : fmt::format(" (ln n)^{}", claim.p), to_string(claim.N));
  v.paper = agreement(result.claim, context);
  v.detail = result.detail;
  if (const std::string reason = trivial_reason(result.claim); result.proved && !reason.empty())
    v.outcome = ProofOutcome::trivial, v.detail = reason;
  return v;
}

}  // namespace

std::vector<Job> class_jobs(const Specification& claim, const ClassClaim& what) {
  const bool bound_given = claim.find("bound") != nullptr;
  std::vector<Job> jobs;
  // `natural` is the rate that the quantity has; a distance from a limit has it without being asked.
  const Text* k = claim.find_single("k");
  const std::string natural = class_rate(what.quantity);
  const bool distance = what.quantity.ends_with("-1") || what.quantity.ends_with("-1/q2") ||
                        what.quantity.ends_with("/(1-kappa)");
  const std::string rate = k && k->text != "natural" ? k->text : k || distance ? natural : "0";
  for (const std::string& N : list_of(claim, "N", {})) {
    ClassClaim c = what;
    c.N = parse_rational(N);
    c.relation = class_relation(c.quantity);
    c.k = rate;
    c.p = static_cast<long>(numerator(number_of(claim, "p", Rational(0))));
    if (bound_given) c.bound = number_of(claim, "bound");
    jobs.push_back(
        {job_id(claim,
                fmt::format("{}-N-{}",
                            rate == "0" ? c.quantity.substr(0, c.quantity.find_first_of("-/"))
                                        : c.quantity.substr(0, c.quantity.find_first_of("-/")) + "-rate",
                            N)),
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
  if (claim.find("tokens_per_dimension")) c.box["n/d"] = {0, number_of(claim, "tokens_per_dimension")};
  std::vector<Job> jobs;
  for (const std::string& quantity : list_of(claim, "quantity", is_below ? below : above)) {
    c.quantity = quantity;
    for (Job& job : class_jobs(claim, c)) jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace critscale::cli
