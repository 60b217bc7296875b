// The limits and rates that tail claims name, as text ([simplex-limits], [phases]). Uses tail.hpp.
#include <fmt/format.h>

#include "critscale/proof/detail/symbolic_limit.hpp"
#include "critscale/proof/tail.hpp"

namespace critscale {
namespace {

std::string simplex_limit(const std::string& quantity, const std::string& phase) {
  const bool sub = phase == "subcritical", critical = phase == "critical";
  const std::string s = "alpha*sqrt(q)";
  if (quantity == "log_partition")
    return sub ? "(1+gamma*rho)*log(n)" : critical ? "gamma*log(n)+log(2)" : "gamma*log(n)";
  if (quantity == "self_weight") return sub ? "0" : critical ? "1/2" : "1";
  if (quantity == "band_masses[0]") return sub ? "1" : critical ? "1/2" : "0";
  if (quantity == "inner_products[0]") {
    if (sub) return fmt::format("rho*(1+{0})^2/(({0})^2+2*{0}*rho+rho)", s);
    if (critical) return fmt::format("rho*(1+{0})^2/(({0})^2+{0}*(1+rho)+(1+3*rho)/4)", s);
    return "rho";
  }
  if (quantity == "angle_ratio") {
    if (sub) return fmt::format("({0})^2/(({0})^2+2*{0}*rho+rho)", s);
    if (critical) return fmt::format("({0}+1/2)^2/(({0})^2+{0}*(1+rho)+(1+3*rho)/4)", s);
    return "1";
  }
  if (quantity == "jacobian_norm") {
    if (sub) return "alpha^2";
    if (critical) return "alpha^2+(1/(4*q)+alpha/sqrt(q))*(1-1/d)";
    return "alpha^2+(1/q+2*alpha/sqrt(q))*(1-1/d)";
  }
  return {};
}

std::string band_limit(const std::string& quantity, const std::string& phase) {
  const bool far = phase == "far", near = phase == "near", far_near = phase == "far-near",
             near_self = phase == "near-self";
  const std::string s = "alpha*sqrt(q)";
  // |x'|^2 in the limit: all mass on keys at inner product rho, r or 1 with the token, or half on each of
  // two.
  const std::string norm2 = far         ? fmt::format("(({0})^2+2*{0}*rho+rho)", s)
                            : near      ? fmt::format("(({0})^2+2*{0}*r+r)", s)
                            : far_near  ? fmt::format("(({0})^2+{0}*(r+rho)+(r+3*rho)/4)", s)
                            : near_self ? fmt::format("(({0})^2+{0}*(1+r)+(1+3*r)/4)", s)
                                        : fmt::format("(1+{0})^2", s);
  // What x' keeps of the token's own direction, and of its cluster's.
  const std::string own = near_self ? fmt::format("({}+1/2)", s) : fmt::format("({})", s),
                    cluster = far_near ? fmt::format("({}+1/2)", s) : fmt::format("(1+{})", s);
  if (quantity == "log_partition" && !far_near && !near_self)
    return far ? "(1+gamma*rho)*log(n)" : near ? "(theta+gamma*r)*log(n)" : "gamma*log(n)";
  if (quantity == "self_weight") return near_self ? "1/2" : phase == "self" ? "1" : "0";
  if (quantity == "band_masses[0]") return far_near || near_self ? "1/2" : near ? "1" : "0";
  if (quantity == "band_masses[1]") return far_near ? "1/2" : far ? "1" : "0";
  if (quantity == "inner_products[0]")
    return phase == "self" ? "r" : fmt::format("1-(1-r)*{}^2/{}", own, norm2);
  if (quantity == "inner_products[1]")
    return phase == "self" ? "rho" : fmt::format("rho*(1+{})^2/{}", s, norm2);
  if (quantity == "angle_ratio") {
    if (far) return fmt::format("{}^2/{}", own, norm2);
    if (phase == "self") return "1";
    return fmt::format("((1-r)*{}^2+(r-rho)*{}^2)/((1-rho)*{})", own, cluster, norm2);
  }
  if (quantity == "jacobian_norm")
    return phase == "self" ? "alpha^2+(1/q+2*alpha/sqrt(q))*(1-1/d)"
           : near_self     ? "alpha^2+(1/(4*q)+alpha/sqrt(q))*(1-1/d)"
                           : "alpha^2";
  return {};
}

}  // namespace

std::string derived_limit(const TailClaim& claim) {
  const std::string text = claim.geometry == "bands" ? band_limit(claim.quantity, claim.phase)
                                                     : simplex_limit(claim.quantity, claim.phase);
  if (text.empty())
    throw InputError(
        fmt::format("no limit is known for {} on {}", in_quotes(claim.quantity), claim.geometry));
  // The texts above only say how a limit is written; that it is the limit is derived each time.
  const LimitComparison derived = compare_limit(claim, text);
  if (!derived.equal)
    throw Error(fmt::format("the limit of {} in the {} phase is {}, not {}", claim.quantity, claim.phase,
                            derived.derived, text));
  return text;
}

std::string natural_rate(const TailClaim& claim) {
  const std::string& phase = claim.phase;
  if (claim.geometry == "simplex") {
    if (phase == "subcritical") return "1-gamma*(1-rho)";
    return phase == "critical" ? "1" : "gamma*(1-rho)-1";
  }
  const auto lowest = [&](const char* name) { return claim.box.at(name).lo; };
  const Rational inside = lowest("theta"), outside = 1 - claim.box.at("theta").hi;
  if (phase == "far-near") return to_string(std::min({lowest("gap"), inside, outside}));
  if (phase == "near-self") {
    const Rational k = std::min(lowest("gap"), inside);
    return to_string(claim.quantity == "angle_ratio" ? std::min(k, outside) : k);
  }
  // gamma is unbounded in the self phase, and stands beside n^-gap with its square: one rate for all.
  if (claim.quantity == "jacobian_norm" && phase == "self" && claim.factor.empty())
    return to_string(lowest("gap"));
  // The near pairs are a share n^(theta-1) of all pairs.
  const std::string more = claim.quantity == "angle_ratio" && phase != "far" ? ",1-theta)" : ")";
  if (phase == "far") return "min(1-theta-gamma*(r-rho),1-gamma*(1-rho)" + more;
  if (phase == "near") return "min(gamma*(r-rho)-1+theta,theta-gamma*(1-r)" + more;
  return "min(gamma*(1-r)-theta,gamma*(1-rho)-1" + more;
}

long natural_log_power(const TailClaim& claim) {
  return claim.geometry == "simplex" && claim.phase == "critical" && claim.quantity == "jacobian_norm" ? 2
                                                                                                       : 0;
}

}  // namespace critscale
