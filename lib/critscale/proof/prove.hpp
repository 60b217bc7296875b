// Deciding tail claims: find constants, prove, refute with a counterexample, or say that neither
// was possible. Uses tail.hpp.
#pragma once

#include <atomic>
#include <string>

#include "critscale/proof/tail.hpp"

namespace critscale {

/// `trivial`: true, but no more than the range of the quantity gives.
enum class ProofOutcome { proved, refuted, undecided, trivial };

struct TailResult {
  ProofOutcome outcome = ProofOutcome::undecided;
  TailClaim claim;       ///< with the constants that were found
  Bisection evidence;    ///< complete when proved
  Witness witness;       ///< an exact point of the claim
  std::string sampled;   ///< largest sampled |Q - L| n^k (ln n)^-p, rounded down
  double tightness = 0;  ///< C over the sampled value
  std::string detail;    ///< counterexample with enclosure, or why nothing was decided
};

struct TailRequest {
  TailClaim claim;
  bool limit_given = false, rate_given = false, constant_given = false;
  /// Stop looking for a constant beyond this multiple of the sampled supremum.
  long max_ratio = 16;
  BisectionLimits limits;
};

/// Missing parts of the claim (limit, k and p, C) are derived. A claim whose limit differs from the
/// derived one is refuted by the derived one where possible.
TailResult decide(const TailRequest& request, std::atomic<long>* progress = nullptr);

}  // namespace critscale
