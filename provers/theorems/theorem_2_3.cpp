// Theorem 2.3: every configuration near the simplex ([near-simplex]): inner products grow below the
// threshold, angles are kept above it.
#include "theorems/claim_reader.hpp"

namespace critscale::cli {

std::vector<Job> theorem_2_3_jobs(const Specification& claim) {
  return near_simplex_jobs(claim, "2.3", {"inner_products-rho1"},
                           {"attention_displacement", "inner_product_change"});
}

}  // namespace critscale::cli
