// Value claims and boundary claims on the simplex for Coq: exact parameters, closed forms of
// provers/formal/Simplex.v and Boundary.v, one call of `interval`. Uses coq_export.hpp
// and coq_size.hpp.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_export.hpp"
#include "critscale/proof/detail/coq_size.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

/// The quantity of a value claim: its term, the theorem with its closed form, and which tokens it speaks of.
struct Quantity {
  std::string term, rewrite, tokens;
};

Quantity quantity(const std::string& name, const std::string& beta, const std::string& alpha,
                  const std::string& q, const std::string& rho) {
  const std::string layer = fmt::format("d n {}", beta);
  const std::string plain = fmt::format("d n {} {} {} x", q, rho, beta);
  const std::string full = fmt::format("d n {} {} {} {} x", q, rho, beta, alpha);
  const std::string i = " (i : nat)", ij = " (i j : nat)";
  if (name == "log_partition")
    return {fmt::format("ln (partition {} x i)", layer), "simplex_log_partition " + plain, i};
  if (name == "self_weight")
    return {fmt::format("weight {} x i i", layer), "simplex_self_weight " + plain, i};
  if (name == "band_weights[0]")
    return {fmt::format("weight {} x i j", layer), "simplex_other_weight " + plain, ij};
  if (name == "band_masses[0]")
    return {fmt::format("mass {} x i (fun j => negb (Nat.eqb j i))", layer), "simplex_other_mass " + plain,
            i};
  if (name == "participation")
    return {fmt::format("participation {} x i", layer), "simplex_participation " + plain, i};
  if (name == "entropy") return {fmt::format("entropy {} x i", layer), "simplex_entropy " + plain, i};
  if (name == "output_norm2")
    return {fmt::format("output_norm2 {} {} x i", layer, alpha), "simplex_output_norm2 " + full, i};
  if (name == "inner_products[0]")
    return {fmt::format("output_inner {} {} x i j", layer, alpha), "simplex_output_inner " + full, ij};
  if (name == "angle_ratio")
    return {fmt::format("angle_ratio {} {} x", layer, alpha), "simplex_angle_ratio " + full, ""};
  if (name == "jacobian_norm")
    return {fmt::format("jacobian_norm {} {} x", layer, alpha), "simplex_jacobian_norm " + full, ""};
  throw InputError(fmt::format("the Coq library has no value of {}", name));
}

std::string hypotheses(const std::string& tokens) {
  if (tokens.empty()) return "";
  return tokens.find('j') != std::string::npos ? "(i < n)%nat -> (j < n)%nat -> i <> j ->\n  "
                                               : "(i < n)%nat ->\n  ";
}

std::string introduced(const std::string& tokens) {
  if (tokens.empty()) return "";
  return tokens.find('j') != std::string::npos ? " Hi Hj Hij" : " Hi";
}

}  // namespace

std::string simplex_value_file(const Source& source, const Options& options) {
  const nlohmann::json& inputs = source.claim.at("inputs");
  for (const char* key : {"beta", "analytic"})
    if (inputs.contains(key)) throw InputError(fmt::format("values with {} are not exported", key));
  const Rational rho_value = parse_rational(text_member(inputs, "rho")),
                 alpha_value = parse_rational(text_member(inputs, "alpha"));
  if (rho_value <= 0 || rho_value >= 1) throw InputError("rho is not within (0, 1)");
  const std::string rho = term(rho_value), alpha = term(alpha_value),
                    q = term(parse_rational(text_member(inputs, "q")));
  const std::string gamma = term(parse_rational(text_member(inputs, "gamma")));
  const std::string beta = fmt::format("({} * ln (INR n))", gamma),
                    label = text_member(source.claim, "quantity");
  const Quantity what = quantity(label, beta, alpha, q, rho);
  const SizeTerm n = size_term(text_member(inputs, "n"));
  const bool eta = label == "jacobian_norm";
  std::string tokens = what.tokens, d_claim, d_name, d_proof;
  bool tower = false;
  if (eta) {
    const SizeTerm d = size_term(text_member(inputs, "d"));
    tower = d.value.starts_with("Rpower");
    d_claim = fmt::format("INR d = {} -> ", d.value);
    d_name = " HD";
    d_proof = fmt::format(
        "  assert (Hd : (0 < d)%nat) by (apply INR_lt; simpl; assert (3 <= INR d) by (rewrite HD; {}); "
        "lra).\n",
        d.at_least_3);
  }
  const std::string names = tokens.empty() ? "" : tokens.find('j') != std::string::npos ? " i j" : " i";
  const DecimalRange range = decimal_range(text_member(source.claim, "lo"), text_member(source.claim, "hi"));
  const std::string statement = fmt::format(
      ":\n  forall (d n : nat) (x : tokens){}, INR n = {} -> {}simplex d n {} {} x ->\n  {}{} <=\n    {} <= "
      "{}.",
      tokens, n.value, d_claim, q, rho, hypotheses(tokens), range.lo, what.term, range.hi);
  std::string proof = fmt::format("  intros d n x{} HN{} HS{}.\n", names, d_name, introduced(tokens));
  proof += fmt::format(
      "  assert (Hn : (2 <= n)%nat) by (apply (size_from 2); [lra|]; assert (3 <= INR n) by (rewrite HN; "
      "{}); lra).\n",
      n.at_least_3);
  proof += fmt::format("  pose proof (beta_nonneg n {} Hn ltac:(lra)) as Hb.\n", gamma) + d_proof;
  proof += fmt::format("  rewrite ({}); auto; try lra.\n", what.rewrite);
  proof +=
      "  unfold simplex_eta, simplex_T, simplex_V, contraction, shared, own. rewrite ?(other_weight_from n _ "
      "_ Hn).\n"
      "  unfold other_mass, self_mass. rewrite ?(odds_power n _ _ Hn). unfold power.\n";
  proof += insert_size(n);
  if (eta) proof += tower ? "  rewrite ?(inverse_of_power d _ _ HD).\n" : "  rewrite ?HD.\n";
  if (range.power && label == "participation")
    throw InputError("values of participation beyond 10^1000 are not exported");
  if (range.power) proof += "  take_power.\n";
  proof += point_strategies;
  return file_text(source, options, "Sums Layer Simplex Powers Tails Certificate Points",
                   {{identifier(source.id), statement, proof, false}});
}

std::string simplex_boundary_file(const Source& source, const Options& options) {
  const nlohmann::json& claim = source.claim;
  const Rational rho_value = parse_rational(text_member(claim, "rho")),
                 N = parse_rational(text_member(claim, "N"));
  if (rho_value <= 0 || rho_value >= 1) throw InputError("rho is not within (0, 1)");
  if (N < 3) throw InputError("N is below 3");
  if (text_member(claim, "k") != "1") throw InputError("k is not 1");
  const std::string rho = term(rho_value), name = identifier(source.id);
  const std::string threshold = term(parse_rational(claim.at("thresholds").at(0).get<std::string>()));
  const std::string C = term(Rational(parse_rational(text_member(claim, "C")) * options.constant_factor));
  const std::string equal_masses =
      "weight d n (gamma * ln (INR n)) x i i = mass d n (gamma * ln (INR n)) x i (fun j => negb (Nat.eqb j "
      "i))";
  std::vector<Theorem> theorems{
      {name,
       fmt::format(":\n  forall (d n : nat) (q gamma : R) (x : tokens) (i : nat),\n  {0} <= INR n -> 0 < q "
                   "-> 0 <= gamma -> "
                   "simplex d n q {1} x -> (i < n)%nat ->\n  let A := weight d n (gamma * ln (INR n)) x in\n"
                   "  (gamma < {2} -> 0 < A i i <= 2 * Rpower (INR n) (- (1 - gamma * (1 - {1})))) /\\\n"
                   "  (gamma = {2} -> Rabs (A i i - / 2) <= 1 / (2 * INR n)) /\\\n"
                   "  ({2} < gamma -> 0 < 1 - A i i <= Rpower (INR n) (- (gamma * (1 - {1}) - 1))) /\\\n"
                   "  ({3} ->\n    Rabs (gamma - {2}) <= {4} * (Rpower (INR n) (- (1)) / ln (INR n))).",
                   term(N), rho, threshold, equal_masses, C),
       fmt::format("  intros d n q gamma x i HN Hq Hg HS Hi.\n"
                   "  apply (boundary_simplex {} {} {} {} d n q gamma x i); auto; lra.\n",
                   term(N), C, threshold, rho),
       false}};
  std::size_t k = 0;
  for (const nlohmann::json& transition : claim.at("transitions")) {
    const SizeTerm n = size_term(text_member(transition, "n"));
    const DecimalRange range = decimal_range(text_member(transition, "lo"), text_member(transition, "hi"));
    theorems.push_back({fmt::format("{}_at_{}", name, ++k),
                        fmt::format(":\n  forall (d n : nat) (q gamma : R) (x : tokens) (i : nat),\n  INR n "
                                    "= {} -> 0 < q -> simplex d n q {} x -> "
                                    "(i < n)%nat ->\n  {} ->\n  {} <= gamma <= {}.",
                                    n.value, rho, equal_masses, range.lo, range.hi),
                        fmt::format("  intros d n q gamma x i HN Hq HS Hi E.\n"
                                    "  assert (Hn : (3 <= n)%nat) by (apply INR_le; change (INR 3) with (1 + "
                                    "1 + 1); assert (3 <= INR n) by (rewrite HN; {}); lra).\n"
                                    "  apply (equal_masses d n q {} gamma x i Hn Hq ltac:(lra) HS Hi) in E. "
                                    "rewrite E, (transition_form n _ Hn).\n{}{}",
                                    n.at_least_3, rho, insert_size(n), point_strategies),
                        false});
  }
  return file_text(source, options, "Sums Layer Simplex Powers Tails Uniform Boundary Certificate Points",
                   theorems);
}

}  // namespace critscale::coq
