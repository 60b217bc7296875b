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
    {"angle_ratio", {"angle_ratio {L} {a} x", "scaled_angle_ratio", BandQuantity::none, true}},
    {"jacobian_norm", {"jacobian_norm {L} {a} x", "scaled_jacobian_value", BandQuantity::none, true}}};

std::string filled(std::string text, const std::map<std::string, std::string>& names) {
  for (const auto& [name, value] : names)
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  return text;
}

struct ThreeBands {
  Rational r, rho, theta, gamma;
  PowerSize n, K, d;

  /// n^e0 is the size of Z_i/exp beta.
  Rational dominating() const {
    const Rational near = theta - gamma * (1 - r), far = 1 - gamma * (1 - rho);
    return std::max(Rational(0), std::max(near, far));
  }
  std::string size_hypotheses(bool with_d) const {
    const std::string last =
        with_d ? fmt::format(" -> INR d = Rpower {} {}", d.base.str(), d.exponent.str()) : "";
    return fmt::format("INR n = Rpower {0} {1} -> INR K = Rpower {0} {2}{3}", n.base.str(), n.exponent.str(),
                       K.exponent.str(), last);
  }
  /// The exponents of the squares of a row's weights, summed over each band, by that of n^-e0 before: the
  /// largest is the order of their sum.
  Rational squares() const {
    const Rational near = theta - gamma * (1 - r), far = 1 - gamma * (1 - rho);
    return std::max(Rational(0), std::max(Rational(2 * near - theta), Rational(2 * far - 1))) -
           2 * dominating();
  }
  Rational dimension() const { return Rational(d.exponent) / Rational(n.exponent); }
};

ThreeBands read_bands(const nlohmann::json& inputs, bool with_d) {
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
  if (with_d) b.d = power_size(text_member(inputs, "d"), b.n.base);
  b.theta = Rational(b.K.exponent) / Rational(b.n.exponent);
  if (b.theta <= 0 || b.theta >= 1) throw InputError("the clusters have one token or all");
  return b;
}

const char* const three_forms =
    "scaled_inner_near, scaled_inner_far, scaled_norm2, three_inner_far, three_norm2, scaled_own, "
    "scaled_cluster, "
    "scaled_all, scaled_U, scaled_W, scaled_total";

/// The closed form of the Jacobian norm; where `order` is given, n to that power stands before it.
std::string jacobian_proof(const ThreeBands& b, const std::string& parameters, const std::string& e0,
                           const std::string& alpha, const std::string& order) {
  if (!order.empty() && alpha != "0")
    throw InputError("values of jacobian_norm beyond 10^-1000 are exported without a residual");
  const std::string delta = term(b.dimension());
  return fmt::format(
      "  assert (Hd : (0 < d)%nat) by (apply INR_lt; simpl; assert (3 <= INR d) by (rewrite HD; apply "
      "power_at_least; lra); lra).\n"
      "  assert (HDn : INR d = Rpower (INR n) {0}) by (rewrite HD, HN, Rpower_mult; f_equal; lra).\n"
      "  rewrite ({1} {2} {3} x Hn ltac:(lra) Hk HT Hd {0} HDn {4}). unfold scaled_eta. cbv zeta.\n",
      delta, order.empty() ? "scaled_jacobian_value" : "scaled_jacobian_times", parameters, e0,
      order.empty() ? alpha : order);
}

}  // namespace

std::string band_value_file(const Source& source, const Options& options) {
  const nlohmann::json& inputs = source.claim.at("inputs");
  const std::string label = text_member(source.claim, "quantity");
  const auto found = band_quantities.find(label);
  if (found == band_quantities.end())
    throw InputError(fmt::format("the Coq library has no value of {} on bands", label));
  const BandQuantity& what = found->second;
  const bool jacobian = label == "jacobian_norm";
  const ThreeBands b = read_bands(inputs, jacobian);
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
      tokens, b.size_hypotheses(jacobian), q, r, rho, positions, range.lo,
      filled(what.term, {{"{L}", layer}, {"{a}", alpha}}), range.hi);
  std::string proof = fmt::format(
      "  intros d n K{} x HN HK{} HT{}.\n"
      "  assert (Hn : (2 <= n)%nat) by (apply (size_from 2); [lra|]; rewrite HN; apply power_at_least; "
      "lra).\n"
      "  assert (Hk : INR K = Rpower (INR n) {}) by (rewrite HK, HN, Rpower_mult; f_equal; lra).\n",
      tokens, jacobian ? " HD" : "", names, theta);
  const std::string parameters = fmt::format("d n K {} {} {} {} {}", q, r, rho, theta, gamma);
  const std::string order = term(label == "participation" ? Rational(-b.squares()) : b.squares());
  if (jacobian)
    proof += jacobian_proof(b, parameters, e0, alpha, range.power ? order : "");
  else if (range.power && label == "participation")
    proof += fmt::format("  rewrite (scaled_participation_times {} {} x Hn ltac:(lra) Hk HT {}{}).\n",
                         parameters, e0, order, " i Hi");
  else
    proof += fmt::format("  rewrite ({} {} {}{} x); auto; try lra.\n", what.theorem, parameters,
                         what.residual ? alpha + " " : "", e0);
  proof += fmt::format("  rewrite (log_of_power n _ _ HN). unfold {}. unfold Rpower.\n", three_forms);
  if (range.power) proof += "  take_power.\n";
  if (jacobian) proof += "  small_powers. name_eta.\n";
  proof += point_strategies;
  const std::string imports = "Sums Layer Certificate Points ThreeBandsForms ThreeBandsScaled";
  return file_text(source, options, jacobian ? imports + " ThreeBandsJacobian JacobianPoints" : imports,
                   {{identifier(source.id), statement, proof, false}});
}

}  // namespace critscale::coq
