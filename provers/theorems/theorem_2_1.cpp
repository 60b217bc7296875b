// Theorem 2.1: inner products of the output on the simplex ([simplex-limits]), with residual.
#include "theorems/claim_reader.hpp"

namespace critscale::cli {

std::vector<Job> theorem_2_1_jobs(const Specification& claim) {
  return simplex_tail_jobs(claim, "2.1", {"inner_products[0]", "angle_ratio"},
                           [](const TailClaim& c) -> std::string {
                             if (c.quantity != "inner_products[0]") return {};
                             if (c.phase == "subcritical") return "1";
                             return c.phase == "critical" ? "4*rho/(1+3*rho)" : "rho";
                           });
}

}  // namespace critscale::cli
