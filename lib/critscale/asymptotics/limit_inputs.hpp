// What the evaluators need, as expansions in n ([simplex], [bands]), from exact parameters. Uses
// profile.hpp, expansion.hpp and model/'s evaluators.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "critscale/asymptotics/expansion.hpp"
#include "critscale/asymptotics/profile.hpp"
#include "critscale/model/bands.hpp"
#include "critscale/model/simplex.hpp"

namespace critscale {

/// One attention layer as n grows: a profile, beta = gamma ln n + offset, and the layer's parameters.
struct LimitConfiguration {
  Profile profile;
  /// Evaluated as the simplex of [simplex]; the profile then has one band.
  bool simplex = true;
  Rational gamma;
  Rational offset = 0;
  Rational alpha = 0;
  Rational q = 1;
  /// d = c n^theta with theta >= 1.
  Size d{PowerProduct(1), Rational(1)};
  /// Allow sizes that do not divide.
  bool analytic = false;
};

/// Throws InputError with one line: a bad profile, alpha < 0, q <= 0, beta < 0 for large n, a d that
/// does not grow like n^theta with theta >= 1 or stays below the rank of the Gram matrix.
void validate(const LimitConfiguration& c);

/// Every exponent of n is a number in all; coefficients are numbers, or functions of the
/// parameters' names (rho, r1.., alpha, q, gamma, b, N1.. for fixed sizes, c1.. for factors), where
/// alpha, gamma, b and inner products that are 0, inner products that are 1 and q = 1 stay numbers,
/// and gamma at a threshold is the threshold's formula. Exponentials of the offset b are symbols of their own
/// but in related_numbers, where all are powers of one: harder to read, and needed where they cancel.
enum class Parameters { numbers, related_numbers, names };

SimplexInputs<Expansion> simplex_inputs(const LimitConfiguration& c, Parameters as, std::size_t max_terms);
BandInputs<Expansion> band_inputs(const LimitConfiguration& c, Parameters as, std::size_t max_terms);

}  // namespace critscale
