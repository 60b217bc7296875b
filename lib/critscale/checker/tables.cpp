// Uses pieces.hpp.
#include <fmt/format.h>

#include <set>

#include "critscale/checker/pieces.hpp"

namespace critscale::checker {

bool belongs_to(const std::string& theorem, const std::string& geometry, const std::string& quantity) {
  static const std::set<std::string> masses{"log_partition", "self_weight", "band_masses[0]"},
      more{"band_masses[1]", "inner_products[0]", "inner_products[1]", "angle_ratio"};
  if (geometry == "bands")
    return theorem == "C.2" && (masses.count(quantity) != 0 || more.count(quantity) != 0);
  if (geometry != "simplex") return false;
  if (theorem == "partition") return masses.count(quantity) != 0;
  if (theorem == "2.1") return quantity == "inner_products[0]" || quantity == "angle_ratio";
  return theorem == "2.4" && quantity == "jacobian_norm";
}

std::string limit_text(const std::string& geometry, const std::string& phase, const std::string& quantity) {
  const std::string s = "alpha*sqrt(q)";
  // |x'|^2 with all mass at inner product rho or r, and at the boundary.
  const std::string far_norm2 = fmt::format("(({0})^2+2*{0}*rho+rho)", s),
                    near_norm2 = fmt::format("(({0})^2+2*{0}*r+r)", s),
                    critical_norm2 = fmt::format("(({0})^2+{0}*(1+rho)+(1+3*rho)/4)", s);
  struct Row {
    const char* quantity;
    std::string limits[3];
  };
  const Row simplex[] = {
      {"log_partition", {"(1+gamma*rho)*log(n)", "gamma*log(n)+log(2)", "gamma*log(n)"}},
      {"self_weight", {"0", "1/2", "1"}},
      {"band_masses[0]", {"1", "1/2", "0"}},
      {"inner_products[0]",
       {"rho*(1+" + s + ")^2/" + far_norm2, "rho*(1+" + s + ")^2/" + critical_norm2, "rho"}},
      {"angle_ratio", {"(" + s + ")^2/" + far_norm2, "(" + s + "+1/2)^2/" + critical_norm2, "1"}},
      {"jacobian_norm",
       {"alpha^2", "alpha^2+(1/(4*q)+alpha/sqrt(q))*(1-1/d)", "alpha^2+(1/q+2*alpha/sqrt(q))*(1-1/d)"}}};
  const Row bands[] = {
      {"log_partition", {"(1+gamma*rho)*log(n)", "(theta+gamma*r)*log(n)", "gamma*log(n)"}},
      {"self_weight", {"0", "0", "1"}},
      {"band_masses[0]", {"0", "1", "0"}},
      {"band_masses[1]", {"1", "0", "0"}},
      {"inner_products[0]",
       {"1-(1-r)*(" + s + ")^2/" + far_norm2, "1-(1-r)*(" + s + ")^2/" + near_norm2, "r"}},
      {"inner_products[1]",
       {"1-(1-rho)*(" + s + ")^2/" + far_norm2, "rho*(1+" + s + ")^2/" + near_norm2, "rho"}},
      {"angle_ratio",
       {"(" + s + ")^2/" + far_norm2,
        fmt::format("((1-r)*({0})^2+(r-rho)*(1+{0})^2)/((1-rho)*{1})", s, near_norm2), "1"}}};
  const auto find = [&](const auto& rows, const std::vector<std::string>& phases) -> std::string {
    for (const Row& row : rows)
      for (std::size_t i = 0; i < 3; ++i)
        if (quantity == row.quantity && phase == phases[i]) return row.limits[i];
    return {};
  };
  if (geometry == "simplex") return find(simplex, {"subcritical", "critical", "supercritical"});
  return geometry == "bands" ? find(bands, {"far", "near", "self"}) : std::string();
}

}  // namespace critscale::checker
