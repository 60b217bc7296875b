// The integrals over t of [expectations], by the trapezoidal rule in s = ln t with a proved error. Uses
// law.hpp.
#pragma once

#include <optional>

#include "critscale/random/law.hpp"

namespace critscale::random {

/// The integrals of one row: E A, E A^2, E of the other keys' sum of squares, E ln(1 + W) with an aligned
/// key; without one E sum A^2 as `others` and E ln W as `log_sum`.
struct Integrals {
  Ball self, self2, others, log_sum;
};

struct IntegralRequest {
  bool aligned = true;
  Ball keys;      ///< the number of independent keys
  Ball log_keys;  ///< its logarithm
  bool with_squares = true, with_log = true;
  double shift = 0, density = 1;
};

/// Relative accuracy about 2^-bits; `w` gives moments, `transform` psi and chi for every t up to
/// `largest_t` (none: any).
Integrals integrate(const IntegralRequest& request, const WeightLaw& w, const Laplace& transform, Bits bits);

/// What the rule needs as largest t when an aligned key is there.
double largest_t(Bits bits);
/// Whether `transform` need not be evaluated beyond `t` for a row without an aligned key.
bool decays_before(const IntegralRequest& request, const WeightLaw& w, const Laplace& transform, double t,
                   Bits bits);

}  // namespace critscale::random
