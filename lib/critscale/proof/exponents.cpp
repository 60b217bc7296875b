// Uses exponents.hpp.
#include "critscale/proof/exponents.hpp"

#include <algorithm>

namespace critscale {

Vanishing::Ends Vanishing::ends(const LinearForm& e) const {
  const RationalBox range = e.over(leaf_, nonnegative_);
  Ends ends{range.lo, range.hi};
  for (std::size_t i = 0; i < std::min(e.weights.size(), unbounded_.size()); ++i) {
    if (unbounded_[i] && e.weights[i] > 0) ends.hi.reset();
    if (unbounded_[i] && e.weights[i] < 0) ends.lo.reset();
  }
  return ends;
}

Ball Vanishing::power(const Ends& e, long j) const {
  return e.lo ? power_log({*e.lo, e.hi}, j, tau_) : Ball::whole_line(tau_.lo.precision());
}

Difference<Ball> Vanishing::operator()(const LinearForm& e, long j) const {
  // e - min(k_1, k_2, ...) = max(e - k_1, e - k_2, ...).
  Ends excess = ends(e - k_.front());
  for (const LinearForm& rate : k_) {
    const Ends other = ends(e - rate);
    if (!excess.lo || (other.lo && *other.lo > *excess.lo)) excess.lo = other.lo;
    if (!other.hi || (excess.hi && *other.hi > *excess.hi)) excess.hi = other.hi;
  }
  return {Ball(0), power(ends(e), j), power(excess, j - p_)};
}

}  // namespace critscale
