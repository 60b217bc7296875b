// Which theorem speaks of which quantity, and the exact limits ([simplex-limits], [phases]). Uses claims.hpp.
#include <map>

#include "critscale/checker/detail/claims.hpp"

namespace critscale::checker {

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
      {"inner_products[0]",
       {"1-(1-r)*({s})^2/{y}", "1-(1-r)*({s})^2/{y}", "r", "", "1-(1-r)*({s})^2/{y}",
        "1-(1-r)*({s}+1/2)^2/{y}"}},
      {"inner_products[1]",
       {"rho*(1+{s})^2/{y}", "rho*(1+{s})^2/{y}", "rho", "rho*(1+{s})^2/{y}", "rho*(1+{s})^2/{y}",
        "rho*(1+{s})^2/{y}"}},
      {"angle_ratio",
       {"({s})^2/{y}", "((1-r)*({s})^2+(r-rho)*(1+{s})^2)/((1-rho)*{y})", "1", "({s}+1/2)^2/{y}",
        "((1-r)*({s})^2+(r-rho)*({s}+1/2)^2)/((1-rho)*{y})",
        "((1-r)*({s}+1/2)^2+(r-rho)*(1+{s})^2)/((1-rho)*{y})"}},
      {"jacobian_norm",
       {"alpha^2", "alpha^2", "alpha^2+(1/q+2*alpha/sqrt(q))*(1-1/d)",
        "alpha^2+(1/(4*q)+alpha/sqrt(q))*(1-1/d)", "alpha^2", "alpha^2+(1/(4*q)+alpha/sqrt(q))*(1-1/d)"}}};
  static const char* norms2[] = {"(({s})^2+2*{s}*rho+rho)",
                                 "(({s})^2+2*{s}*r+r)",
                                 "",
                                 "(({s})^2+{s}*(1+rho)+(1+3*rho)/4)",
                                 "(({s})^2+{s}*(r+rho)+(r+3*rho)/4)",
                                 "(({s})^2+{s}*(1+r)+(1+3*r)/4)"};
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

}  // namespace critscale::checker
