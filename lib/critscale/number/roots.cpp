// Uses roots.hpp.
#include "critscale/number/detail/roots.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"

namespace critscale {
namespace {

constexpr unsigned extra_bits = 40;

/// floor(2^40 sqrt(p q)) for x = p/q, so that sqrt x = sqrt(p q)/q.
Integer scaled_root(const Rational& x) {
  if (x < 0) throw InputError(fmt::format("{} has no real square root", to_string(x)));
  return boost::multiprecision::sqrt(Integer((numerator(x) * denominator(x)) << (2 * extra_bits)));
}
Rational unscaled(const Integer& root, const Rational& x) {
  return Rational(root) / Rational(Integer(denominator(x) << extra_bits));
}

}  // namespace

Rational sqrt_below(const Rational& x) { return unscaled(scaled_root(x), x); }

Rational sqrt_above(const Rational& x) {
  const Rational below = sqrt_below(x);
  return below * below == x ? below : unscaled(scaled_root(x) + 1, x);
}

Rational exact_sqrt(const Rational& x) {
  const Rational root = sqrt_below(x);
  if (root * root != x)
    throw InputError(fmt::format("the square root of {} is not a fraction", to_string(x)));
  return root;
}

}  // namespace critscale
