// Claims that several tests use.
#pragma once

#include "critscale/proof/prove.hpp"

namespace critscale::test {

inline Rational R(const char* text) { return parse_rational(text); }

/// The simplex boxes of cases/paper.toml.
inline TailRequest simplex_request(const std::string& theorem, const std::string& quantity,
                                   const std::string& phase) {
  TailRequest r;
  r.claim.theorem = theorem;
  r.claim.geometry = "simplex";
  r.claim.quantity = quantity;
  r.claim.phase = phase;
  r.claim.N = 1000;
  r.claim.box = {{"rho", {R("1/10"), R("9/10")}}, {"alpha", {0, 2}}, {"q", {R("1/2"), 2}}};
  r.claim.box["gamma_ratio"] = phase == "subcritical" ? RationalBox{R("1/10"), R("9/10")}
                               : phase == "critical"  ? RationalBox{1, 1}
                                                      : RationalBox{R("11/10"), 5};
  return r;
}

inline TailRequest band_request(const std::string& quantity, const std::string& phase) {
  TailRequest r;
  r.claim.theorem = "C.2";
  r.claim.geometry = "bands";
  r.claim.quantity = quantity;
  r.claim.phase = phase;
  r.claim.N = 1000;
  r.claim.box = {{"theta", {R("1/4"), R("3/4")}},
                 {"r", {R("7/10"), R("19/20")}},
                 {"rho", {R("1/10"), R("1/2")}},
                 {"alpha", {0, 0}},
                 {"q", {1, 1}},
                 {"gap", {R("1/10"), 40}}};
  return r;
}

inline const char* const simplex_phases[] = {"subcritical", "critical", "supercritical"};
inline const char* const simplex_quantities[] = {"log_partition",     "self_weight", "band_masses[0]",
                                                 "inner_products[0]", "angle_ratio", "jacobian_norm"};
inline const char* const band_phases[] = {"far", "near", "self"};
inline const char* const band_quantities[] = {"log_partition",  "self_weight",       "band_masses[0]",
                                              "band_masses[1]", "inner_products[0]", "inner_products[1]",
                                              "angle_ratio",    "jacobian_norm"};

}  // namespace critscale::test
