// Enclosures of n^-kappa (ln n)^j over ranges of n and of the exponent: the small numbers that
// every tail proof is built from. Uses number/.
#pragma once

#include <optional>

#include "critscale/number/ball.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

/// A range of tau = ln n; without an upper end n is unbounded.
struct LogRange {
  Ball lo;
  std::optional<Ball> hi;
};

/// An exponent known to lie in [lo, hi]; without hi it is unbounded above.
struct ExponentRange {
  Rational lo;
  std::optional<Rational> hi;
};

/// tau^j exp(-kappa tau) for every tau and kappa of the ranges, tau > 0: end points by monotonicity
/// in kappa and by the single maximum tau = j/kappa ([vanishing]). Not finite where the
/// supremum is infinite.
Ball power_log(const ExponentRange& kappa, long j, const LogRange& tau);

}  // namespace critscale
