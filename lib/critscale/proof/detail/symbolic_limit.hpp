// Limits of tail claims derived symbolically by asymptotics/, and compared as functions of the parameters
// with what a text says. Uses tail_claim.hpp and asymptotics/.
#pragma once

#include <optional>
#include <string>

#include "critscale/proof/tail_claim.hpp"

namespace critscale {

/// The limit of the claim's quantity (of log_partition its leading terms) against a text in rho, r, theta,
/// gamma, alpha, q, d, n.
struct LimitComparison {
  bool equal = false;
  std::string derived;     ///< the derived limit
  std::string difference;  ///< derived less stated, where they differ
};

/// Runs the evaluators on expansions in n at a point of the claim's phase, inner products, alpha, sqrt q and
/// d standing as symbols, and reads off the coefficient of n^0. For jacobian_norm d is fixed and beta's own
/// terms, which are O((ln n)^2/d), are left out. Where alpha may be 0, or with `without_residual`, the same
/// is done at alpha = 0. Throws LimitError where the expansion does not reach n^0.
LimitComparison compare_limit(const TailClaim& claim, const std::string& text, bool without_residual = false);

}  // namespace critscale
