// The sentence that a claim stands for, complete for a reader who has nothing else. Uses verify.hpp and
// claims.hpp.
#include <fmt/ranges.h>

#include "critscale/checker/detail/claims.hpp"
#include "critscale/checker/verify.hpp"

namespace critscale::checker {
namespace {

/// What every sentence about the layer begins with.
const char* const the_layer =
    "Let tokens x_1, ..., x_n in R^d have directions y_i = x_i/|x_i|; attention has the weights "
    "A_ij = exp(beta <y_i,y_j>)/Z_i, Z_i = sum_j exp(beta <y_i,y_j>), and takes x_i to "
    "x'_i = m_i + alpha x_i, m_i = sum_j A_ij y_j, y'_i = x'_i/|x'_i|. ";

std::string quantity_text(const std::string& quantity) {
  static const std::map<std::string, std::string> names = {
      {"log_partition", "ln Z_i"},
      {"self_weight", "A_ii"},
      {"band_weights", "A_ij for any one token j"},
      {"band_masses", "the sum of A_ij over all tokens j"},
      {"inner_products", "<y'_i,y'_j> for any one token j"},
      {"output_norm2", "|x'_i|^2"},
      {"angle_ratio", "the mean of (1-<y'_i,y'_j>)/(1-<y_i,y_j>) over all pairs i != j with <y_i,y_j> < 1"},
      {"jacobian_norm",
       "|D|^2/(n d), D the derivative of (x'_1,...,x'_n) by (x_1,...,x_n), |D| its Frobenius norm"},
      {"participation", "1/(sum over j of A_ij^2)"},
      {"entropy", "-(sum over j of A_ij ln A_ij)"}};
  const auto [name, band] = parse_subscripted(quantity);
  const auto of = names.find(name);
  require(of != names.end(), "the claim names a quantity that does not exist");
  const bool of_all = name == "angle_ratio" || name == "jacobian_norm";
  return fmt::format("{}{}{}", of->second, band ? fmt::format(" of band {}", *band) : "",
                     of_all ? "" : " (the same for every i)");
}

std::string range_text(const std::string& name, const RationalBox& r) {
  return r.is_point() ? fmt::format("{} = {}", name, to_string(r.lo))
                      : fmt::format("{} in [{}, {}]", name, to_string(r.lo), to_string(r.hi));
}

/// " n^-k (ln n)^p", without what is 1.
std::string rate_text(const std::string& k, long p) {
  return (k == "0"                 ? ""
          : k == "1" || k == "gap" ? fmt::format(" n^-{}", k)
                                   : fmt::format(" n^-({})", k)) +
         (p == 0 ? "" : fmt::format(" (ln n)^{}", p));
}

/// The two exponent gaps of a phase with what the inner products of near and far keys lie between.
std::string gaps_text(const std::string& phase, const char* near_lo, const char* near_hi, const char* far_lo,
                      const char* far_hi) {
  const char* const gaps = phase == "far"    ? "1-theta-gamma*({1}-{2}) and 1-gamma*(1-{2}) both"
                           : phase == "near" ? "gamma*({0}-{3})-(1-theta) and theta-gamma*(1-{0}) both"
                                             : "gamma*(1-{1})-theta and gamma*(1-{3})-1 both";
  return fmt::format(fmt::runtime(gaps), near_lo, near_hi, far_lo, far_hi);
}
/// The same in words of the clusters' inner products, or the gap that is left where two bands tie.
std::string gaps_text(const std::string& phase) {
  return phase == "far-near"    ? "gamma*(r-rho) = 1-theta and theta-gamma*(1-r)"
         : phase == "near-self" ? "gamma*(1-r) = theta and gamma*(r-rho)-(1-theta)"
                                : gaps_text(phase, "r", "r", "rho", "rho");
}

/// Texts of limits and of beta write log.
std::string natural_text(const std::string& formula) {
  return formula.find("log") == std::string::npos ? formula : formula + " (log being ln)";
}

const char* const simplex_text =
    "|x_i|^2 = q for all i, <y_i,y_j> = rho for all i != j (all j != i are in band 0 of i)";
const char* const bands_text =
    "|x_i|^2 = q for all i, and the tokens form clusters of n^theta tokens with <y_i,y_j> = r for i != j of "
    "one cluster (j is in band 0 of i) and rho for i and j of different ones (j is in band 1 of i)";
/// What claims mean whose sizes need not be whole.
const char* const continued_text =
    "quantities of this symmetric configuration are rational functions of its sizes, exp(beta), exp(beta "
    "<y_i,y_j>), beta, <y_i,y_j>, alpha, sqrt(q), 1/d and ln Z_i; where sizes are not whole, or do not "
    "divide each other, these functions are meant";

std::string tail_statement(const json& claim) {
  const std::string quantity = text(claim, "quantity"), phase = text(claim, "phase");
  const bool simplex = text(claim, "geometry") == "simplex";
  const json& box = member(claim, "box");
  std::vector<std::string> ranges;
  for (const auto& item : box.items()) {
    const std::string name = item.key() == "gamma_ratio" ? "gamma*(1-rho)"
                             : item.key() == "gap"       ? gaps_text(phase)
                                                         : item.key();
    const json& ends = item.value();
    const bool unbounded =
        ends.is_array() && ends.size() == 2 && ends[1] == "infinity" && ends[0].is_string();
    ranges.push_back(unbounded ? fmt::format("{} >= {}", name, ends[0].get<std::string>())
                               : range_text(name, range(box, item.key())));
  }
  const std::string factor = claim.contains("factor") ? text(claim, "factor") : "";
  return fmt::format(
      "{}Here {}, and beta = gamma ln n. Then for all parameters with {} (ends included; gamma >= 0, q > 0, "
      "0 < rho < 1 throughout){} and all real n >= {} ({}): |Q - L| <= C{}{}, where Q is {}, L = {}, C = {}.",
      the_layer, simplex ? simplex_text : bands_text, fmt::join(ranges, ", "),
      quantity == "jacobian_norm" ? ", every d >= n" : "", text(claim, "N"), continued_text,
      factor.empty() ? "" : fmt::format(" ({})", factor), rate_text(text(claim, "k"), integer(claim, "p")),
      quantity_text(quantity), natural_text(text(claim, "limit")), text(claim, "C"));
}

std::string class_quantity_text(const std::string& quantity) {
  static const std::map<std::string, std::string> names = {
      {"inner_products-rho1", "<y'_i,y'_j> - rho1, for all i != j,"},
      {"inner_products-rho1/(1-kappa)",
       "<y'_i,y'_j> - rho1/(1-kappa), for all i != j, with kappa = (1-rho2)(2s+1)/(1+s)^2, s = "
       "alpha*sqrt(q2),"},
      {"attention_displacement", "|m_i - y_i|, for all i,"},
      {"inner_product_change", "|<y'_i,y'_j> - <y_i,y_j>|, for all i != j,"},
      {"jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", "eta - (gamma*(1-rho1)*ln n)^2/(q1*d)"},
      {"jacobian_norm/(1-1/d)", "eta/(1-1/d)"},
      {"jacobian_norm/(1-1/d)-1/q2", "eta/(1-1/d) - 1/q2"},
      {"far_mass", "the sum of A_ij over the far keys"},
      {"near_mass", "the sum of A_ij over the near keys"},
      {"self_weight", "A_ii"},
      {"leading_mass", "M"}};
  const bool less_one = quantity.ends_with("-1");
  const auto of = names.find(less_one ? quantity.substr(0, quantity.size() - 2) : quantity);
  require(of != names.end(), "the claim names a quantity that does not exist");
  return of->second + (less_one ? ", less 1," : "");
}

std::string near_simplex_statement(const json& box, const std::string& quantity) {
  std::vector<std::string> ranges;
  for (const auto& item : box.items())
    if (item.key() != "q" && item.key() != "n/d")
      ranges.push_back(range_text(item.key() == "spread" ? "rho2-rho1" : item.key(), range(box, item.key())));
  const RationalBox q = range(box, "q");
  const std::string dimensions =
      !quantity.starts_with("jacobian_norm")    ? ""
      : !quantity.starts_with("jacobian_norm-") ? ", every d >= 2"
      : !box.contains("n/d")                    ? ", every d >= n"
                             : fmt::format(", every d with n/d <= {}", to_string(range(box, "n/d").hi));
  return fmt::format(
      "{}Let rho1 <= <y_i,y_j> <= rho2 for all i != j, q1 = {} <= |x_i|^2 <= q2 = {}, and beta = gamma ln "
      "n.{} Then for every such configuration with {} (ends included){}",
      the_layer, to_string(q.lo), to_string(q.hi),
      dimensions.empty() ? "" : fmt::format(" Let eta be {}.", quantity_text("jacobian_norm")),
      fmt::join(ranges, ", "), dimensions);
}

std::string interval_bands_statement(const json& box, const std::string& phase) {
  return fmt::format(
      "{}Let beta = gamma ln n, gamma >= 0, let near_lo <= near_hi and far_lo <= far_hi be any numbers, and "
      "let token i have, beside itself, n^theta-1 near keys j with near_lo <= <y_i,y_j> <= near_hi and "
      "n-n^theta far keys with far_lo <= <y_i,y_j> <= far_hi. Then for every such token with {}, {} in [{}, "
      "{}] (ends included; gap is the smaller of the two)",
      the_layer, range_text("theta", range(box, "theta")),
      gaps_text(phase, "near_lo", "near_hi", "far_lo", "far_hi"), to_string(range(box, "gap").lo),
      to_string(range(box, "gap").hi));
}

std::string nested_bands_statement(const json& box, const std::string& phase) {
  const std::size_t bands = box.size();
  std::vector<std::string> counts, ranges;
  for (std::size_t b = 0; b < bands; ++b) {
    const auto cluster = [&](std::size_t l) { return l + 1 == bands ? "n" : fmt::format("n^theta[{}]", l); };
    counts.push_back(fmt::format("{}-{} in band {}", cluster(b), b == 0 ? "1" : cluster(b - 1), b));
    if (b + 1 < bands) {
      const std::string name = fmt::format("theta[{}]", b);
      ranges.push_back(range_text(name, range(box, name)));
    }
  }
  const auto band = parse_subscripted(phase).index;
  return fmt::format(
      "{}Let beta = gamma ln n, gamma >= 0, let lo[b] <= hi[b] be any numbers, and let token i have the keys "
      "j != i in {} bands, {}, with lo[b] <= <y_i,y_j> <= hi[b] for those of band b; write theta[{}] = 1, E "
      "= {}, and M for {}. Then for every such token with {}, and gap, the least of {}E-theta[b]-gamma*hi[b] "
      "over all {}bands b, in [{}, {}] (ends included)",
      the_layer, bands, fmt::join(counts, ", "), bands - 1,
      band ? fmt::format("theta[{0}]+gamma*lo[{0}]", *band) : "gamma",
      band ? fmt::format("the sum of A_ij over the keys of band {}", *band) : "A_ii", fmt::join(ranges, ", "),
      band ? "E-gamma and " : "", band ? "other " : "", to_string(range(box, "gap").lo),
      to_string(range(box, "gap").hi));
}

std::string class_statement(const json& claim) {
  const json &description = member(claim, "class"), &box = member(description, "box");
  const std::string quantity = text(claim, "quantity"), name = text(description, "name");
  return fmt::format("{} and all whole n >= {}: {} is {} {}{}.",
                     name == "near-simplex"   ? near_simplex_statement(box, quantity)
                     : name == "nested-bands" ? nested_bands_statement(box, text(description, "phase"))
                                              : interval_bands_statement(box, text(description, "phase")),
                     text(claim, "N"), class_quantity_text(quantity), text(claim, "relation"),
                     text(claim, "bound"),
                     claim.contains("k") ? rate_text(text(claim, "k"), integer(claim, "p")) : "");
}

std::string boundary_statement(const json& claim) {
  const bool simplex = text(claim, "geometry") == "simplex";
  const std::string between = simplex ? "the others and the token itself" : text(claim, "between");
  const std::string mass =
      between == "far-near" ? "the sum of A_ij over the other tokens of i's cluster" : "A_ii";
  const std::string masses = simplex                 ? "A_ii and the sum of all other A_ij"
                             : between == "far-near" ? "the sums of A_ij over band 0 and over band 1"
                                                     : "A_ii and the sum of A_ij over band 0";
  std::string parameters = fmt::format("rho = {}", text(claim, "rho")), transitions;
  if (!simplex) parameters += fmt::format(", r = {}, theta = {}", text(claim, "r"), text(claim, "theta"));
  for (const json& t : member(claim, "transitions"))
    transitions += fmt::format("; gamma*({}) is in [{}, {}]", text(t, "n"), text(t, "lo"), text(t, "hi"));
  const json& thresholds = member(claim, "thresholds");
  require(thresholds.is_array() && thresholds.size() == 1 && thresholds[0].is_string(), "not one threshold");
  const std::string mu = text(claim, "mu");
  const std::string sides =
      simplex
          ? fmt::format(
                "gamma*(1-rho) in [0, 1-{0}] on the left, with gamma*(1-rho) in [1+{0}, 5] on the right", mu)
          : fmt::format("{} in [{mu}, 40] on the left, with {} in [{mu}, 40] on the right",
                        gaps_text(between == "far-near" ? "far" : "near"),
                        gaps_text(between == "far-near" ? "near" : "self"), fmt::arg("mu", mu));
  return fmt::format(
      "{}Here {}, {}, alpha = 0, q = 1, and beta = gamma ln n. The boundary is gamma_c = {}: as the real "
      "number n grows {} tends to 0 left of it, to 1/2 at it and to 1 right of it (for every gamma with {}; "
      "ends included; {}). The gamma*(n) at which {} are equal satisfies |gamma*(n) - gamma_c| <= C n^-k/ln "
      "n for all real n >= {}, C = {}, k = {}{}.",
      the_layer, simplex ? simplex_text : bands_text, parameters, thresholds[0].get<std::string>(), mass,
      sides, continued_text, masses, text(claim, "N"), text(claim, "C"), text(claim, "k"), transitions);
}

std::string layers_statement(const json& claim) {
  const bool drift = text(claim, "bound") == "drift";
  return fmt::format(
      "{}Here |x_i|^2 = q and <y_i,y_j> = rho for i != j, which the layer keeps with other values of q and "
      "rho; let it be applied again and again, n, alpha and beta = gamma ln n staying the same, and rho_l be "
      "<y_i,y_j> after l layers. Then for all q > 0, {} and all whole n >= {}: {}, where C = {}.",
      the_layer,
      fmt::format(
          fmt::runtime(drift ? "alpha >= 0, {} (ends included), all gamma with gamma*(1-rho) >= {}"
                             : "alpha = 0, {} (ends included), all gamma >= 0 with gamma*(1-rho) < 1"),
          range_text("rho", range(claim, "rho")), drift ? text(claim, "gamma_ratio") : ""),
      text(claim, "N"),
      drift
          ? "0 <= rho_l - rho <= C l n^-k for every whole l from 1 to n^k/(gamma C ln n), k = gamma*(1-rho)-1"
          : "0 <= 1 - rho_l <= C n^-(2-2*gamma*(1-rho)) for every whole l >= 1",
      text(claim, "C"));
}

std::string value_statement(const json& claim) {
  const json& inputs = member(claim, "inputs");
  const bool simplex = text(inputs, "geometry") == "simplex", continued = inputs.contains("analytic");
  std::vector<std::string> values;
  for (const auto& item : inputs.items())
    if (item.key() != "geometry" && item.key() != "analytic")
      values.push_back(fmt::format("{} = {}", item.key(), natural_text(text(inputs, item.key()))));
  return fmt::format(
      "{}Here {}{}. At {}{}: {} <= {} <= {}.", the_layer,
      simplex ? simplex_text
              : "|x_i|^2 = q for all i, and the tokens form nested clusters: <y_i,y_j> = band[b].r for i != "
                "j whose smallest common cluster has band[b].size tokens (j is in band b of i)",
      inputs.contains("gamma") ? ", beta = gamma ln n" : "", fmt::join(values, ", "),
      continued ? fmt::format(" ({})", continued_text) : "", text(claim, "lo"),
      quantity_text(text(claim, "quantity")), text(claim, "hi"));
}

}  // namespace

std::string statement(const std::string& kind, const std::string& theorem, const json& claim) {
  const auto sentence = kind == "value"      ? value_statement
                        : kind == "tail"     ? tail_statement
                        : kind == "class"    ? class_statement
                        : kind == "boundary" ? boundary_statement
                        : kind == "layers"   ? layers_statement
                                             : nullptr;
  require(sentence != nullptr, fmt::format("unknown kind {}", in_quotes(kind)));
  return fmt::format("Theorem {}. {}", theorem, sentence(claim));
}

}  // namespace critscale::checker
