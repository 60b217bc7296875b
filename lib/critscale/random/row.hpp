// A row of attention with random keys, described exactly, and its numbers at a precision. [random-keys]
// Uses law.hpp, model/configuration.hpp and number/.
#pragma once

#include <optional>

#include "critscale/model/configuration.hpp"
#include "critscale/number/power_product.hpp"
#include "critscale/random/law.hpp"

namespace critscale::random {

/// How the keys are drawn: inner products rho + (1 - rho) v with the query, v independent.
struct Keys {
  KeyLaw law = KeyLaw::sphere;
  /// Exactly one is given: m; or m = kappa ln n; or, for Gaussian v, the standard deviation sigma = m^(-1/2).
  std::optional<Rational> dimension, kappa, sigma;
  Rational rho = 0;
  /// Whether the query itself is one of the n keys, with v = 1.
  bool aligned = true;
};

/// Throws InputError by name: m < 2 on the sphere, m <= 0, kappa <= 0, sigma <= 0, rho outside [0, 1), or not
/// exactly one of dimension, kappa, sigma.
void validate(const Keys& keys);

/// One row among n keys with beta on a logit scale.
struct Row {
  Keys keys;
  PowerProduct n;
  LogitScale scale;
};

/// Throws InputError by name: n < 2 or no integer, beta < 0, m = kappa ln n < 2 on the sphere, and what
/// validate(keys) refuses.
void validate(const Row& row);

/// m at a precision: the dimension, kappa ln n, or 1/sigma^2.
Ball dimension_of(const Keys& keys, const PowerProduct& n, Bits bits);

/// The number of independent keys: n - 1 beside an aligned one, else n.
Ball independent_keys(const Keys& keys, const PowerProduct& n, Bits bits);

/// (ln n)^power coefficient + offset, at the lower (or upper) end of its boxes.
Ball beta_at(const Row& row, bool upper, Bits bits);

}  // namespace critscale::random
