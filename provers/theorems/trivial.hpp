// Bounds that say no more than the range of the quantity does. Uses lib/critscale/proof.
#pragma once

#include <optional>
#include <string>

#include "critscale/proof/class_claim.hpp"
#include "critscale/proof/tail.hpp"

namespace critscale::cli {

/// Why the claim says nothing that the range of its quantity does not say; empty where it says more, or where
/// no range is known.
std::string trivial_reason(const TailProblem& problem, const TailClaim& claim);
std::string trivial_reason(const ClassClaim& claim);
/// The same for lo <= quantity <= hi.
std::string trivial_reason(const std::string& quantity, const std::optional<Rational>& lo,
                           const std::optional<Rational>& hi);

}  // namespace critscale::cli
