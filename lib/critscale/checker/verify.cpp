// A certificate as a whole: its members, the sentence that its claim stands for, and which theorem, quantity,
// phase and limit belong together ([simplex-limits], [phases]). Uses pieces.hpp and number/checksum.hpp.
#include "critscale/checker/verify.hpp"

#include <map>

#include "critscale/checker/pieces.hpp"
#include "critscale/io/checksum.hpp"

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
  std::string where = "the simplex", transitions;
  if (!simplex)
    where = fmt::format("three bands with clusters of n^theta tokens, theta = {}, r = {}",
                        text(claim, "theta"), text(claim, "r"));
  for (const json& t : member(claim, "transitions"))
    transitions += fmt::format("; at n = {} it lies in [{}, {}]", text(t, "n"), text(t, "lo"), text(t, "hi"));
  return fmt::format(
      "On {}, rho = {}, between the phases {}, the boundary is gamma_c = {}: up to the margin {} (in {}), "
      "the "
      "mass of the {} tends to 0 left of it, to 1/2 at it and to 1 right of it; the gamma*(n) of equal "
      "masses "
      "satisfies |gamma*(n) - gamma_c| <= C n^-k/ln n for all real n >= {} with C = {}, k = {}{}.",
      where, text(claim, "rho"), between, member(claim, "thresholds").dump(), text(claim, "mu"),
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
  const std::string name = parse_subscripted(quantity).name;
  if (name == "jacobian_norm") return "2.4";
  return name == "inner_products" || name == "angle_ratio" || name == "output_norm2" ? "2.1" : "partition";
}

std::string limit_text(const std::string& geometry, const std::string& phase, const std::string& quantity) {
  // {s} = alpha sqrt(q), {y} = |x'|^2. The one band of a simplex is the outermost of three.
  static const std::map<std::string, std::vector<std::string>> phases = {
      {"simplex", {"subcritical", "", "supercritical", "critical", "", ""}},
      {"bands", {"far", "near", "self", "", "far-near", "near-self"}}};
  static const std::map<std::string, std::vector<std::string>> limits = {
      {"log_partition",
       {"(1+gamma*rho)*log(n)", "(theta+gamma*r)*log(n)", "gamma*log(n)", "gamma*log(n)+log(2)", "", ""}},
      {"self_weight", {"0", "0", "1", "1/2", "0", "1/2"}},
      {"band_masses[0]", {"0", "1", "0", "", "1/2", "1/2"}},
      {"band_masses[1]", {"1", "0", "0", "1/2", "1/2", "0"}},
      {"inner_products[0]", {"1-(1-r)*({s})^2/{y}", "1-(1-r)*({s})^2/{y}", "r", "", "", ""}},
      {"inner_products[1]", {"rho*(1+{s})^2/{y}", "rho*(1+{s})^2/{y}", "rho", "rho*(1+{s})^2/{y}", "", ""}},
      {"angle_ratio",
       {"({s})^2/{y}", "((1-r)*({s})^2+(r-rho)*(1+{s})^2)/((1-rho)*{y})", "1", "({s}+1/2)^2/{y}", "", ""}},
      {"jacobian_norm",
       {"alpha^2", "alpha^2", "alpha^2+(1/q+2*alpha/sqrt(q))*(1-1/d)",
        "alpha^2+(1/(4*q)+alpha/sqrt(q))*(1-1/d)", "", ""}}};
  static const char* norms2[] = {
      "(({s})^2+2*{s}*rho+rho)", "(({s})^2+2*{s}*r+r)", "", "(({s})^2+{s}*(1+rho)+(1+3*rho)/4)", "", ""};
  const auto [name, band] = parse_subscripted(quantity);
  const auto of =
      limits.find(band ? fmt::format("{}[{}]", name, *band + (geometry == "simplex" ? 1 : 0)) : name);
  const auto names = phases.find(geometry);
  if (phase.empty() || names == phases.end() || of == limits.end()) return {};
  for (std::size_t i = 0; i < names->second.size(); ++i) {
    if (phase != names->second[i]) continue;
    const std::string s = "alpha*sqrt(q)", y = fmt::format(fmt::runtime(norms2[i]), fmt::arg("s", s));
    return fmt::format(fmt::runtime(of->second[i]), fmt::arg("s", s), fmt::arg("y", y));
  }
  return {};
}

Verdict verify(std::string_view certificate) {
  try {
    const json c = parse_json(certificate);
    require_keys(c, {"schema", "kind", "theorem", "statement", "claim", "evidence", "tool", "digest"},
                 "the certificate");
    text(c.at("tool"), "name"), text(c.at("tool"), "version");  // both are there
    require(c.at("schema").dump() == "1", "the schema is not 1");
    require(text(c, "digest") == digest(c), "the digest does not match: the file was altered or damaged");
    const std::string kind = text(c, "kind"), theorem = text(c, "theorem");
    const json &claim = c.at("claim"), &evidence = c.at("evidence");
    const std::string sentence = statement(kind, theorem, claim);
    require(text(c, "statement") == sentence, "the statement is not the one of the claim");
    if (kind == "value") check_value(theorem, claim, evidence);
    if (kind == "tail") check_tail(theorem, claim, evidence);
    if (kind == "class") check_class(theorem, claim, evidence);
    if (kind == "boundary") check_boundary(theorem, claim, evidence);
    return {true, {}, sentence};
  } catch (const std::exception& e) {
    return {false, e.what(), {}};
  }
}

std::string digest(const json& certificate) {
  json rest = certificate;
  rest.erase("digest");
  return Checksum().add(rest.dump()).text();
}

}  // namespace critscale::checker
