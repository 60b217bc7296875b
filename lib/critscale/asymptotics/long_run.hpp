// What many layers do to a simplex at beta = gamma ln n, as statements with constants that hold for all
// n >= N (THEORY-layers, sections 3 and 4; [many-layers]). Uses envelope.hpp and number/.
#pragma once

#include <optional>

#include "critscale/asymptotics/envelope.hpp"
#include "critscale/number/ball.hpp"
#include "critscale/number/power_product.hpp"

namespace critscale {

/// Supercritical, any alpha: 0 <= rho_l - rho <= constant l n^-exponent for all n >= N and all
/// l <= n^exponent/(gamma constant ln n), exponent = gamma (1-rho) - 1.
/// Subcritical, alpha = 0 and rho > 0: 1 - rho_l <= constant n^-exponent for all n >= N and all l >= 1,
/// exponent = 2 (1 - gamma (1-rho)).
struct LongRun {
  Phase phase;
  Rational exponent;
  Ball constant;
  /// Supercritical: n^exponent/(gamma constant ln n) at n = N, the number of layers the bound serves there.
  std::optional<Ball> layers;
  /// Supercritical, alpha = 0, rho > 0: n^exponent/(2 rho (1-rho) gamma ln n) at n = N, asymptotically the
  /// number of layers after which all tokens have merged.
  std::optional<Ball> life;
};

/// Nothing at the threshold itself and where the statements above say nothing: below the threshold with a
/// residual or rho = 0, and above it where n >= N is not large enough (e n^(1-exponent) >= n - 1), or rho
/// = 1. Needs 0 <= rho <= 1, gamma >= 0, alpha >= 0, N >= 3.
std::optional<LongRun> long_run(const Rational& rho, const Rational& gamma, const Rational& alpha,
                                const PowerProduct& N, Bits bits);

}  // namespace critscale
