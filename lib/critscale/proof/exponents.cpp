// Uses exponents.hpp.
#include "critscale/proof/exponents.hpp"

#include <algorithm>

namespace critscale {

Ball Vanishing::power(const Ends& e, long j) const {
  return e.lo ? power_log({*e.lo, e.hi}, j, tau_) : Ball::whole_line(tau_.lo.precision());
}

Difference<Ball> Vanishing::operator()(const LinearForm& e, long j) const {
  // e - min(k_1, k_2, ...) = max(e - k_1, e - k_2, ...).
  Ends excess = less(e, k_.front());
  for (std::size_t i = 1; i < k_.size(); ++i) {
    const Ends other = less(e, k_[i]);
    if (!excess.lo || (other.lo && *other.lo > *excess.lo)) excess.lo = other.lo;
    if (!other.hi || (excess.hi && *other.hi > *excess.hi)) excess.hi = other.hi;
  }
  return {Ball(0), power(less(e, {}), j), power(excess, j - p_)};
}

}  // namespace critscale
