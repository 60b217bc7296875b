// Theorem 2.5: the Jacobian norm of every configuration near the simplex, alpha = 0 ([near-simplex]), its
// (ln n)^2/d term explicit.
#include "theorems/claim_reader.hpp"

namespace critscale::cli {

std::vector<Job> theorem_2_5_jobs(const Specification& claim) {
  return near_simplex_jobs(claim, "2.5", {"jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)"},
                           {"jacobian_norm/(1-1/d)"});
}

}  // namespace critscale::cli
