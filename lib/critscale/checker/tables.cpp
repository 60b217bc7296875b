// What belongs together: theorems and quantities, phases and limits (theory §2.1, §3.1). Uses pieces.hpp.
#include <fmt/format.h>

#include "critscale/checker/pieces.hpp"

namespace critscale::checker {

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

  const std::string s = "alpha*sqrt(q)",
                    rho = geometry == "simplex" ? "inner_products[0]" : "inner_products[1]";
  // |x'|^2 with all mass at inner product rho or r, and at the boundary of the simplex.
  const auto norm2 = [&](const char* r) { return fmt::format("(({0})^2+2*{0}*{1}+{1})", s, r); };
  const std::string critical_norm2 = fmt::format("(({0})^2+{0}*(1+rho)+(1+3*rho)/4)", s);
  const bool far = phase == "far" || phase == "subcritical",
             self = phase == "self" || phase == "supercritical";
  if (phase == "far-near" || phase == "near-self") return {};
  if (quantity == "jacobian_norm") {
    if (phase == "critical") return "alpha^2+(1/(4*q)+alpha/sqrt(q))*(1-1/d)";
    return self ? "alpha^2+(1/q+2*alpha/sqrt(q))*(1-1/d)" : "alpha^2";
  }
  if (quantity == "angle_ratio") {
    if (self) return "1";
    if (far) return "(" + s + ")^2/" + norm2("rho");
    if (phase == "critical") return "(" + s + "+1/2)^2/" + critical_norm2;
    return fmt::format("((1-r)*({0})^2+(r-rho)*(1+{0})^2)/((1-rho)*{1})", s, norm2("r"));
  }
  if (quantity == rho) {
    if (self) return "rho";
    return "rho*(1+" + s + ")^2/" + (far ? norm2("rho") : phase == "critical" ? critical_norm2 : norm2("r"));
  }
  if (quantity == "inner_products[0]")
    return self ? "r" : "1-(1-r)*(" + s + ")^2/" + norm2(far ? "rho" : "r");
  return {};
}

}  // namespace critscale::checker
