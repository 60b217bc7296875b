// Class claims on rows with interval bands for Coq, by provers/formal/RowCertificates.v: the dominating mass
// is at least 1/(1 + keys n^-m) and short of 1 by at most keys n^-m, m the smaller gap; keys is bounded for
// all n >= N and every theta. Uses coq_class.hpp.
#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_class.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

/// A phase of a row: the dominating band, its two gaps, and its theorem.
struct RowPhase {
  const char *quantity, *value, *first, *second, *keys, *theorem;
};

const std::map<std::string, RowPhase> row_phases = {
    {"far",
     {"far_mass", "mass d n (gamma * ln (INR n)) x i (fun j => (negb (near j) && negb (Nat.eqb j i))%bool)",
      "1 - theta - gamma * (u_near - l_far)", "1 - gamma * (1 - l_far)", "far_keys", "row_far_mass"}},
    {"near",
     {"near_mass", "mass d n (gamma * ln (INR n)) x i near", "gamma * (l_near - u_far) - (1 - theta)",
      "theta - gamma * (1 - l_near)", "near_keys", "row_near_mass"}},
    {"self",
     {"self_weight", "weight d n (gamma * ln (INR n)) x i i", "gamma * (1 - u_near) - theta",
      "gamma * (1 - u_far) - 1", "self_keys", "row_self_weight"}}};

}  // namespace

std::string row_class_file(const ClassSource& claim) {
  const std::string name = claim.source.claim.at("class").at("phase").get<std::string>();
  const auto found = row_phases.find(name);
  if (found == row_phases.end()) throw InputError(fmt::format("the Coq library has no phase {}", name));
  const RowPhase& phase = found->second;
  const bool has_rate = claim.rate != "0";
  if (!claim.at_least || claim.quantity != phase.quantity + std::string(has_rate ? "-1" : ""))
    throw InputError(fmt::format("the Coq library has no bound of {}", claim.quantity));
  if (has_rate && claim.rate != "gap")
    throw InputError(fmt::format("k is {}, the Coq library has gap", claim.rate));
  const ClassRange theta = claim.box("theta"), gap = claim.box("gap");
  if (theta.lo <= 0 || theta.hi >= 1) throw InputError("theta is not within (0, 1)");
  if (gap.lo < 0) throw InputError("a gap is negative");

  const std::string smaller = fmt::format("(Rmin ({}) ({}))", phase.first, phase.second), N = term(claim.N);
  const auto function = [&](const std::string& L, const std::string& m, const std::string& t) {
    const std::string keys = fmt::format("{} {} {}", phase.keys, L, t);
    return has_rate ? keys : fmt::format("share_bound {} {} ({})", L, m, keys);
  };
  // L has no upper end; interval halves it all the same.
  const Theorem bound = claim.bound_lemma(
      has_rate ? "L t" : "L t m",
      fmt::format("ln {} <= L -> {} -> {}", N, within("t", theta), has_rate ? "" : within("m", gap) + " -> "),
      function("L", "m", "t"), std::string(has_rate ? "" : "share_bound, ") + phase.keys);
  const std::string theorem = fmt::format(
      "({} {} theta gamma l_near u_near l_far u_far d n K i near x ltac:(lra) HN ltac:(lra) Hg HK HR _ "
      "(Rmin_l _ _) (Rmin_r _ _))",
      phase.theorem, N);
  std::string proof =
      "  intros d n K i near theta gamma l_near u_near l_far u_far x HN Bt Hg HK G1 G2 HR.\n"
      "  assert (HL : ln " +
      N + " <= ln (INR n)) by (apply Powers.ln_le; lra).\n";
  if (has_rate)
    proof += fmt::format(
        "  rewrite <- power_Rpower. apply (rate_at_least ({})).\n  - left. apply power_pos.\n"
        "  - apply (proj2 {}).\n  - apply Rle_trans with {}; [apply {}; lra|lra].\n",
        function("(ln (INR n))", smaller, "theta"), theorem, term(Rational(-claim.bound)),
        claim.bound_name());
  else
    proof += fmt::format(
        "  apply Rle_trans with ({}).\n"
        "  - apply {}; [lra|lra|]. split; [apply Rmin_glb; lra|]. apply Rle_trans with (1 := Rmin_l _ _); "
        "lra.\n"
        "  - apply (proj1 {}).\n",
        function("(ln (INR n))", smaller, "theta"), claim.bound_name(), theorem);
  const Theorem main{
      identifier(claim.source.id),
      fmt::format(
          ":\n  forall (d n K i : nat) (near : nat -> bool) (theta gamma l_near u_near l_far u_far : R) (x : "
          "tokens),\n  {} <= INR n -> {} -> 0 <= gamma -> INR K = Rpower (INR n) theta ->\n  {} ->\n  {} ->\n"
          "  row_bands d n K i near l_near u_near l_far u_far x ->\n  {}.",
          N, within("theta", theta), within(phase.first, gap), within(phase.second, gap),
          claim.relation(phase.value + std::string(has_rate ? " - 1" : ""), smaller)),
      proof, false};
  return file_text(claim.source, claim.options, "Sums Layer Powers ClassCertificates RowCertificates",
                   {bound, main});
}

}  // namespace critscale::coq
