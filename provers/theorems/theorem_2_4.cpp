// Theorem 2.4: the Jacobian norm on the simplex ([simplex-limits]), its 1/d term apart.
#include "theorems/claim_reader.hpp"

namespace critscale::cli {

std::vector<Job> theorem_2_4_jobs(const Specification& claim) {
  return simplex_tail_jobs(claim, "2.4", {"jacobian_norm"}, [](const TailClaim& c) -> std::string {
    if (c.phase == "subcritical") return "0";
    return c.phase == "critical" ? "1/(4*q)*(1-1/d)" : "1/q*(1-1/d)";
  });
}

}  // namespace critscale::cli
