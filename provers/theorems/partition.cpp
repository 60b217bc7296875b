// The partition function and the attention masses on the simplex ([simplex-limits]).
#include "theorems/claim_reader.hpp"

namespace critscale::cli {

std::vector<Job> partition_jobs(const Specification& claim) {
  return simplex_tail_jobs(claim, "partition", {"log_partition", "self_weight", "band_masses[0]"},
                           [](const TailClaim& c) -> std::string {
                             // Z ~ n^(1 + gamma rho), 2 n^gamma, n^gamma.
                             if (c.quantity == "log_partition")
                               return c.phase == "subcritical" ? "(1+gamma*rho)*log(n)"
                                      : c.phase == "critical"  ? "gamma*log(n)+log(2)"
                                                               : "gamma*log(n)";
                             const bool self = c.quantity == "self_weight";
                             if (c.phase == "critical") return "1/2";
                             return self == (c.phase == "subcritical") ? "0" : "1";
                           });
}

}  // namespace critscale::cli
