// Uses exponents.hpp.
#include "critscale/proof/exponents.hpp"

namespace critscale {

Difference<Ball> Vanishing::operator()(const LinearForm& e, long j) const {
  const RationalBox exponent = e.over(leaf_);
  // e - min(k_1, k_2, ...) = max(e - k_1, e - k_2, ...).
  RationalBox excess = (e - k_.front()).over(leaf_, nonnegative_);
  for (const LinearForm& rate : k_) excess = larger(excess, (e - rate).over(leaf_, nonnegative_));
  return {Ball(0), power_log({exponent.lo, exponent.hi}, j, tau_),
          power_log({excess.lo, excess.hi}, j - p_, tau_)};
}

}  // namespace critscale
