// What claims say: the sentence of a certificate, and which theorem, quantity, phase and limit belong
// together (theory §2.1, §3.1). Uses pieces.hpp and verify.hpp.
#include "critscale/checker/pieces.hpp"
#include "critscale/checker/verify.hpp"

namespace critscale::checker {
namespace {

/// "alpha = 0, rho in [1/10,9/10], ...": members that are ranges or text.
std::string listed(const json& object) {
  std::vector<std::string> all;
  for (const auto& [key, v] : object.items()) {
    const RationalBox r = v.is_string() ? RationalBox{0, 0} : range(object, key);
    all.push_back(fmt::format("{} {} {}", key, r.is_point() ? "=" : "in",
                              v.is_string() ? text(object, key) : to_string(r)));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string tail_statement(const json& claim) {
  const std::string quantity = text(claim, "quantity"), phase = text(claim, "phase");
  const std::string gaps = phase == "far"        ? "(1-theta)-gamma(r-rho) and 1-gamma(1-rho)"
                           : phase == "near"     ? "gamma(r-rho)-(1-theta) and theta-gamma(1-r)"
                           : phase == "self"     ? "gamma(1-r)-theta and gamma(1-rho)-1"
                           : phase == "far-near" ? "theta-gamma(1-r) at gamma(r-rho) = 1-theta"
                                                 : "gamma(r-rho)-(1-theta) at gamma(1-r) = theta";
  const long p = integer(claim, "p");
  return fmt::format(
      "On {}, beta = gamma ln n; {}), for every {}{} and all real n >= {}: |{} - L| <= C n^-k{} with "
      "L = {}, C = {}, k = {}.",
      text(claim, "geometry") == "simplex"
          ? "the simplex (|x_i|^2 = q, inner products rho of all directions, gamma_ratio = gamma(1-rho)"
          : "three bands (|x_i|^2 = q, clusters of N_1 = n^theta tokens with inner product r inside and rho "
            "between, gap the range of " +
                gaps,
      phase, listed(member(claim, "box")), quantity == "jacobian_norm" ? ", every d >= n" : "",
      text(claim, "N"), quantity == "log_partition" ? "ln Z" : quantity,
      p == 0 ? "" : fmt::format(" (ln n)^{}", p), text(claim, "limit"), text(claim, "C"), text(claim, "k"));
}

std::string class_statement(const json& claim) {
  const json& description = member(claim, "class");
  const std::string quantity = text(claim, "quantity");
  return fmt::format(
      "For every {}, beta = gamma ln n, with {}{} and all n >= {}: {} {} {}.",
      text(description, "name") == "near-simplex"
          ? "configuration with rho1 <= <y_i,y_j> <= rho2 = rho1 + spread and q the range of |x_i|^2"
          : "row with N_1 - 1 = n^theta - 1 near and n - N_1 far keys, inner products in intervals, and gap "
            "the range of both exponent gaps of the phase " +
                text(description, "phase"),
      listed(member(description, "box")), quantity.starts_with("jacobian_norm-") ? ", every d >= n" : "",
      text(claim, "N"), quantity, text(claim, "relation"), text(claim, "bound"));
}

std::string boundary_statement(const json& claim) {
  const bool simplex = text(claim, "geometry") == "simplex";
  const std::string between = simplex ? "far-self" : text(claim, "between");
  json parameters;
  for (const char* key : {"theta", "r", "rho"})
    if (claim.contains(key)) parameters[key] = claim.at(key);
  std::string transitions;
  for (const json& t : member(claim, "transitions"))
    transitions += fmt::format("; at n = {} it lies in [{}, {}]", text(t, "n"), text(t, "lo"), text(t, "hi"));
  return fmt::format(
      "On {} with {}, between the phases {}, the boundary is gamma_c = {}: up to the margin {} (in {}), the "
      "mass of the {} tends to 0 left of it, to 1/2 at it and to 1 right of it; the gamma*(n) of equal "
      "masses "
      "satisfies |gamma*(n) - gamma_c| <= C n^-k/ln n for all real n >= {} with C = {}, k = {}{}.",
      simplex ? "the simplex" : "three bands with clusters of n^theta tokens", listed(parameters), between,
      member(claim, "thresholds").dump(), text(claim, "mu"),
      simplex ? "gamma(1-rho), at most 5" : "both exponent gaps, at most 40",
      between == "far-near" ? "near band" : "token itself", text(claim, "N"), text(claim, "C"),
      text(claim, "k"), transitions);
}

std::string value_statement(const json& claim) {
  return fmt::format("At {}: {} <= {} <= {}.", listed(member(claim, "inputs")), text(claim, "lo"),
                     text(claim, "quantity"), text(claim, "hi"));
}

}  // namespace

std::string statement(const std::string& kind, const std::string& theorem, const json& claim) {
  const auto sentence = kind == "value"      ? value_statement
                        : kind == "tail"     ? tail_statement
                        : kind == "class"    ? class_statement
                        : kind == "boundary" ? boundary_statement
                                             : nullptr;
  require(sentence != nullptr, fmt::format("unknown kind {}", in_quotes(kind)));
  return fmt::format("Theorem {}. {}", theorem, sentence(claim));
}

std::string theorem_of(const std::string& geometry, const std::string& quantity) {
  if (geometry == "bands") return "C.2";
  const std::string name = split_index(quantity).first;
  if (name == "jacobian_norm") return "2.4";
  return name == "inner_products" || name == "angle_ratio" || name == "output_norm2" ? "2.1" : "partition";
}

std::string limit_text(const std::string& geometry, const std::string& phase, const std::string& quantity) {
  struct Phase {
    const char *geometry, *name, *log_partition;
    const char* masses[3];  // of the token itself and the bands
  };
  static constexpr Phase phases[] = {{"simplex", "subcritical", "(1+gamma*rho)*log(n)", {"0", "1", ""}},
                                     {"simplex", "critical", "gamma*log(n)+log(2)", {"1/2", "1/2", ""}},
                                     {"simplex", "supercritical", "gamma*log(n)", {"1", "0", ""}},
                                     {"bands", "far", "(1+gamma*rho)*log(n)", {"0", "0", "1"}},
                                     {"bands", "far-near", "", {"0", "1/2", "1/2"}},
                                     {"bands", "near", "(theta+gamma*r)*log(n)", {"0", "1", "0"}},
                                     {"bands", "near-self", "", {"1/2", "1/2", "0"}},
                                     {"bands", "self", "gamma*log(n)", {"1", "0", "0"}}};
  const Phase* at = nullptr;
  for (const Phase& p : phases)
    if (geometry == p.geometry && phase == p.name) at = &p;
  if (at == nullptr) return {};
  if (quantity == "log_partition") return at->log_partition;
  if (quantity == "self_weight") return at->masses[0];
  if (quantity == "band_masses[0]") return at->masses[1];
  if (quantity == "band_masses[1]") return at->masses[2];

  const bool far = phase == "far" || phase == "subcritical", critical = phase == "critical",
             self = phase == "self" || phase == "supercritical";
  if (!far && !critical && !self && phase != "near") return {};
  // |x'|^2 at the boundary of the simplex, else with all mass at inner product rho or r.
  const std::string s = "alpha*sqrt(q)",
                    norm2 = critical ? "((" + s + ")^2+" + s + "*(1+rho)+(1+3*rho)/4)"
                                     : fmt::format("(({0})^2+2*{0}*{1}+{1})", s, far ? "rho" : "r");
  if (quantity == "jacobian_norm")
    return critical ? "alpha^2+(1/(4*q)+alpha/sqrt(q))*(1-1/d)"
           : self   ? "alpha^2+(1/q+2*alpha/sqrt(q))*(1-1/d)"
                    : "alpha^2";
  if (quantity == "angle_ratio")
    return self       ? "1"
           : far      ? "(" + s + ")^2/" + norm2
           : critical ? "(" + s + "+1/2)^2/" + norm2
                      : fmt::format("((1-r)*({0})^2+(r-rho)*(1+{0})^2)/((1-rho)*{1})", s, norm2);
  if (quantity == (geometry == "simplex" ? "inner_products[0]" : "inner_products[1]"))
    return self ? "rho" : "rho*(1+" + s + ")^2/" + norm2;
  if (quantity == "inner_products[0]") return self ? "r" : "1-(1-r)*(" + s + ")^2/" + norm2;
  return {};
}

}  // namespace critscale::checker
