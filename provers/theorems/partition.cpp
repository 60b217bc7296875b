// The partition function and the attention masses on the simplex (theory §2.1).
#include "theorems/claim_reader.hpp"

namespace critscale::cli {

std::vector<Job> partition_jobs(const Specification& claim) {
  return simplex_tail_jobs(claim, "partition", {"log_partition", "self_weight", "band_masses[0]"},
                           [](const TailClaim& c) -> std::string {
                             const bool self = c.quantity == "self_weight";
                             if (c.phase == "critical") return "1/2";
                             return self == (c.phase == "subcritical") ? "0" : "1";
                           });
}

}  // namespace critscale::cli
