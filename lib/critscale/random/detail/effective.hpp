// Which random keys a set of vectors resembles: rho and m from the first two moments of its inner products.
// [effective] Uses nothing of Critscale.
#pragma once

#include <cstddef>
#include <span>

namespace critscale::random {

/// Estimates, in binary64: mean and variance of <y_i, y_j> over the pairs i < j of the directions y_i, and
/// what they are for random keys, rho = mean and m = (1 - rho)^2/variance.
struct EffectiveKeys {
  double mean, variance;
  double rho, m, kappa;  ///< kappa = m/ln n
};

/// For n >= 3 vectors of d entries, row by row, none of them zero. Takes n d^2 operations. Throws InputError
/// where all inner products are equal (m would be infinite) or their mean is 1.
EffectiveKeys effective_keys(std::size_t n, std::size_t d, std::span<const double> entries);

}  // namespace critscale::random
