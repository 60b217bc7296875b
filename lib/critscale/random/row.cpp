// Checks of rows, and their numbers at a precision. [random-keys]
#include "critscale/random/row.hpp"

#include <fmt/format.h>

#include "critscale/text/certify.hpp"

namespace critscale::random {

void validate(const Keys& keys) {
  const auto positive = [](const char* what, const std::optional<Rational>& x) {
    if (x && *x <= 0) throw InputError(fmt::format("{} must be positive, found {}", what, to_string(*x)));
  };
  if (keys.dimension.has_value() + keys.kappa.has_value() + keys.sigma.has_value() != 1)
    throw InputError(keys.law == KeyLaw::sphere
                         ? "give exactly one of dim (m) and kappa (m = kappa ln n)"
                         : "give exactly one of dim (m), kappa (m = kappa ln n) and sigma");
  if (keys.law == KeyLaw::sphere && keys.sigma)
    throw InputError("sigma belongs to Gaussian keys; keys on a sphere have dim or kappa");
  positive("kappa", keys.kappa);
  positive("sigma", keys.sigma);
  if (keys.law == KeyLaw::sphere && keys.dimension && *keys.dimension < 2)
    throw InputError("dim must be at least 2 on the sphere, found " + to_string(*keys.dimension));
  positive("dim", keys.dimension);
  if (keys.rho < 0 || keys.rho >= 1)
    throw InputError("rho must be at least 0 and below 1, found " + to_string(keys.rho));
}

void validate(const Row& row) {
  validate(row.keys);
  if (!row.n.is_integer()) throw InputError("n must be an integer, found " + row.n.to_string());
  if (compare(row.n, PowerProduct(2)) == std::strong_ordering::less)
    throw InputError("n must be at least 2, found " + row.n.to_string());
  if (row.scale.coefficient.lo < 0 || row.scale.power < 0)
    throw InputError("gamma and the coefficient of beta must not be negative");
  const auto decided = [](const Ball& x, const char* what) {
    if (certainly(x.is_negative())) throw InputError(what);
    return certainly(x.is_nonnegative());
  };
  raise_precision(
      64, 1 << 14, [&](Bits bits) { return beta_at(row, false, bits); },
      [&](const Ball& x) { return decided(x, "beta must not be negative"); },
      [](const Ball&) { throw LimitError("beta is not told from 0"); });
  if (row.keys.law == KeyLaw::sphere && row.keys.kappa)
    raise_precision(
        64, 1 << 14, [&](Bits bits) { return dimension_of(row.keys, row.n, bits) - 2; },
        [&](const Ball& x) {
          return decided(x, "kappa ln n, the keys' dimension, must be at least 2 on the sphere");
        },
        [](const Ball&) { throw LimitError("kappa ln n is not told from 2"); });
}

Ball dimension_of(const Keys& keys, const PowerProduct& n, Bits bits) {
  if (keys.dimension) return Ball(*keys.dimension, bits);
  if (keys.kappa) return Ball(*keys.kappa, bits) * log(n, bits);
  return Ball(Rational(1 / (*keys.sigma * *keys.sigma)), bits);
}

Ball independent_keys(const Keys& keys, const PowerProduct& n, Bits bits) {
  return keys.aligned ? value(n, bits) - 1 : value(n, bits);
}

Ball beta_at(const Row& row, bool upper, Bits bits) {
  const LogitScale& s = row.scale;
  const auto end = [&](const RationalBox& x) { return Ball(upper ? x.hi : x.lo, bits); };
  Ball power(1, bits);
  if (s.power == 1)
    power = log(row.n, bits);
  else if (s.power != 0)
    power = exp(Ball(s.power, bits) * log(log(row.n, bits)));
  return end(s.coefficient) * power + end(s.offset);
}

}  // namespace critscale::random
