// Uses exponents.hpp.
#include "critscale/proof/exponents.hpp"

namespace critscale {

RationalBox Vanishing::range(const LinearForm& form) const {
  RationalBox r = form.over(leaf_);
  for (const LinearForm& known : nonnegative_)
    if ((form - known).is_zero()) r = larger(r, {0, 0});
  return r;
}

Difference<Ball> Vanishing::operator()(const LinearForm& e, long j) const {
  const RationalBox exponent = e.over(leaf_);
  // e - min(k_1, k_2, ...) = max(e - k_1, e - k_2, ...).
  RationalBox excess = range(e - k_.front());
  for (const LinearForm& rate : k_) excess = larger(excess, range(e - rate));
  return {Ball(0), power_log({exponent.lo, exponent.hi}, j, tau_),
          power_log({excess.lo, excess.hi}, j - p_, tau_)};
}

}  // namespace critscale
