// Which random keys a set of vectors resembles: rho and m from the first two moments of its inner products.
// [effective] Uses phases.hpp (in the .cpp only).
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

/// For n >= 3 vectors of d entries, row by row, none of them zero. Throws InputError where all inner products
/// are equal (m would be infinite) or their mean is 1.
EffectiveKeys effective_keys(std::size_t n, std::size_t d, std::span<const double> entries);
/// How many multiplications that takes, about.
double effective_keys_cost(std::size_t n, std::size_t d);

/// The three published thresholds of gamma for such keys: 1/(1 - rho), g_self/(1 - rho), g_cond/(1 - rho).
struct EffectiveThresholds {
  double simplex, self, condensation;
};
EffectiveThresholds effective_thresholds(const EffectiveKeys& keys);

}  // namespace critscale::random
