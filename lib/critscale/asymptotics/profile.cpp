// Validity of profiles. Uses number/.
#include "critscale/asymptotics/profile.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"

namespace critscale {

Profile simplex_profile(const Rational& rho) { return {{rho, {PowerProduct(1), Rational(1)}}}; }

void validate(const Profile& profile, bool analytic) {
  if (profile.empty()) throw InputError("a banded geometry needs at least one band");
  Size inner{PowerProduct(1), Rational(0)};
  Rational r_above = 1;
  for (const auto& [r, size] : profile) {
    if (r < 0 || r > 1)
      throw InputError(fmt::format("an inner product must lie in [0, 1], found {}", to_string(r)));
    if (r > r_above)
      throw InputError(fmt::format(
          "bands are out of order: r must not increase from the innermost band on, found {} after {}",
          to_string(r), to_string(r_above)));
    const bool same_power = size.exponent == inner.exponent;
    if (size.exponent < inner.exponent || (same_power && compare(size.coefficient, inner.coefficient) <= 0))
      throw InputError(fmt::format("band sizes must increase strictly from more than 1, found {} after {}",
                                   to_string(size), to_string(inner)));
    if (same_power && !analytic && !divides(inner.coefficient, size.coefficient))
      throw InputError(fmt::format(
          "band sizes must divide each other: {} does not divide {} (--analytic continues the formulas)",
          to_string(inner), to_string(size)));
    inner = size;
    r_above = r;
  }
  if (!(inner == Size{PowerProduct(1), Rational(1)}))
    throw InputError(fmt::format("the last band's size must be n, found {}", to_string(inner)));
}

}  // namespace critscale
