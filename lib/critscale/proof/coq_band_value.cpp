// Value claims and boundary claims on three bands for Coq: exact parameters, sizes n and K that are powers of
// one base, closed forms of provers/formal/ThreeBandsScaled.v and ThreeBandsBoundary.v, and a few calls of
// `interval`. Uses coq_export.hpp and coq_size.hpp.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/proof/detail/coq_export.hpp"
#include "critscale/proof/detail/coq_size.hpp"
#include "critscale/proof/detail/coq_text.hpp"

namespace critscale::coq {
namespace {

/// A quantity of a value claim: its term ({L} the layer, {a} alpha), the theorem with its closed form, and
/// which tokens it speaks of: none, i, or i and j in one cluster or in two.
struct BandQuantity {
  const char *term, *theorem;
  enum Tokens { none, one, near, far } tokens;
  bool residual;  ///< the theorem has alpha
};

const std::map<std::string, BandQuantity> band_quantities = {
    {"log_partition", {"ln (partition {L} x i)", "scaled_log_partition", BandQuantity::one, false}},
    {"self_weight", {"weight {L} x i i", "scaled_self_weight", BandQuantity::one, false}},
    {"band_weights[0]", {"weight {L} x i j", "scaled_near_weight", BandQuantity::near, false}},
    {"band_weights[1]", {"weight {L} x i j", "scaled_far_weight", BandQuantity::far, false}},
    {"band_masses[0]",
     {"mass {L} x i (fun j => (Nat.eqb (i / K) (j / K) && negb (Nat.eqb i j))%bool)", "scaled_near_mass",
      BandQuantity::one, false}},
    {"band_masses[1]",
     {"mass {L} x i (fun j => negb (Nat.eqb (i / K) (j / K)))", "scaled_far_mass", BandQuantity::one, false}},
    {"participation", {"participation {L} x i", "scaled_participation", BandQuantity::one, false}},
    {"entropy", {"entropy {L} x i", "scaled_entropy", BandQuantity::one, false}},
    {"output_norm2", {"output_norm2 {L} {a} x i", "scaled_output_norm2", BandQuantity::one, true}},
    {"inner_products[0]",
     {"output_inner {L} {a} x i j", "scaled_output_inner_near", BandQuantity::near, true}},
    {"inner_products[1]", {"output_inner {L} {a} x i j", "scaled_output_inner_far", BandQuantity::far, true}},
    {"angle_ratio", {"angle_ratio {L} {a} x", "scaled_angle_ratio", BandQuantity::none, true}}};

std::string filled(std::string text, const std::map<std::string, std::string>& names) {
  for (const auto& [name, value] : names)
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  return text;
}

struct ThreeBands {
  Rational r, rho, theta, gamma;
  PowerSize n, K;

  /// n^e0 is the size of Z_i/exp beta.
  Rational dominating() const {
    const Rational near = theta - gamma * (1 - r), far = 1 - gamma * (1 - rho);
    return std::max(Rational(0), std::max(near, far));
  }
  std::string size_hypotheses() const {
    return fmt::format("INR n = Rpower {0} {1} -> INR K = Rpower {0} {2}", n.base.str(), n.exponent.str(),
                       K.exponent.str());
  }
};

ThreeBands read_bands(const nlohmann::json& inputs) {
  for (const char* key : {"beta", "analytic", "band[2].r"})
    if (inputs.contains(key)) throw InputError(fmt::format("values with {} are not exported", key));
  ThreeBands b;
  const auto number = [&](const char* key) { return parse_rational(text_member(inputs, key)); };
  b.r = number("band[0].r");
  b.rho = number("band[1].r");
  b.gamma = number("gamma");
  if (!(0 < b.rho && b.rho <= b.r && b.r < 1)) throw InputError("r and rho are not ordered within (0, 1)");
  if (b.gamma < 0) throw InputError("gamma is negative");
  b.n = power_size(text_member(inputs, "n"));
  b.K = power_size(text_member(inputs, "band[0].size"), b.n.base);
  const PowerSize whole = power_size(text_member(inputs, "band[1].size"), b.n.base);
  if (whole.exponent != b.n.exponent) throw InputError("the bands are not clusters of n tokens");
  b.theta = Rational(b.K.exponent) / Rational(b.n.exponent);
  if (b.theta <= 0 || b.theta >= 1) throw InputError("the clusters have one token or all");
  return b;
}

const char* const three_forms =
    "scaled_inner_near, scaled_inner_far, scaled_norm2, three_inner_far, three_norm2, scaled_own, "
    "scaled_cluster, "
    "scaled_all, scaled_U, scaled_W, scaled_total";

}  // namespace

std::string band_value_file(const Source& source, const Options& options) {
  const nlohmann::json& inputs = source.claim.at("inputs");
  const std::string label = text_member(source.claim, "quantity");
  const auto found = band_quantities.find(label);
  if (found == band_quantities.end())
    throw InputError(fmt::format("the Coq library has no value of {} on bands", label));
  const BandQuantity& what = found->second;
  const ThreeBands b = read_bands(inputs);
  const Rational alpha_value = parse_rational(text_member(inputs, "alpha"));
  const Rational q_value = parse_rational(text_member(inputs, "q"));
  if (alpha_value < 0 || q_value <= 0) throw InputError("alpha is negative or q is not positive");
  const std::string alpha = term(alpha_value), q = term(q_value), r = term(b.r), rho = term(b.rho),
                    gamma = term(b.gamma), theta = term(b.theta), e0 = term(b.dominating());
  const std::string layer = fmt::format("d n ({} * ln (INR n))", gamma);
  const bool two = what.tokens == BandQuantity::near || what.tokens == BandQuantity::far;
  const std::string tokens = two ? " i j" : what.tokens == BandQuantity::one ? " i" : "";
  std::string positions = what.tokens == BandQuantity::none ? "" : "(i < n)%nat -> ";
  if (what.tokens == BandQuantity::near) positions += "(j < n)%nat -> i <> j -> (i / K = j / K)%nat -> ";
  if (what.tokens == BandQuantity::far) positions += "(j < n)%nat -> (i / K <> j / K)%nat -> ";
  const std::string names = what.tokens == BandQuantity::none   ? ""
                            : what.tokens == BandQuantity::one  ? " Hi"
                            : what.tokens == BandQuantity::near ? " Hi Hj Hij Hc"
                                                                : " Hi Hj Hc";
  const DecimalRange range = decimal_range(text_member(source.claim, "lo"), text_member(source.claim, "hi"));
  const std::string statement = fmt::format(
      ":\n  forall (d n K{} : nat) (x : tokens), {} ->\n  three_bands d n K {} {} {} x -> {}\n  {} <=\n"
      "    {} <= {}.",
      tokens, b.size_hypotheses(), q, r, rho, positions, range.lo,
      filled(what.term, {{"{L}", layer}, {"{a}", alpha}}), range.hi);
  std::string proof = fmt::format(
      "  intros d n K{} x HN HK HT{}.\n"
      "  assert (Hn : (2 <= n)%nat) by (apply (size_from 2); [lra|]; rewrite HN; apply power_at_least; "
      "lra).\n"
      "  assert (Hk : INR K = Rpower (INR n) {}) by (rewrite HK, HN, Rpower_mult; f_equal; lra).\n"
      "  rewrite ({} d n K {} {} {} {} {} {}{} x); auto; try lra.\n"
      "  rewrite (log_of_power n _ _ HN). unfold {}. unfold Rpower.\n",
      tokens, names, theta, what.theorem, q, r, rho, theta, gamma, what.residual ? alpha + " " : "", e0,
      three_forms);
  if (range.power && label == "participation")
    throw InputError("values of participation beyond 10^1000 are not exported");
  if (range.power) proof += "  take_power.\n";
  proof += point_strategies;
  return file_text(source, options, "Sums Layer Certificate Points ThreeBandsForms ThreeBandsScaled",
                   {{identifier(source.id), statement, proof, false}});
}

}  // namespace critscale::coq
