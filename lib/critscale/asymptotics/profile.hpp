// A banded configuration as n grows: exact inner products and sizes c n^theta ([phases]). The
// simplex is the profile with one band. Uses number/.
#pragma once

#include <vector>

#include "critscale/text/parse.hpp"

namespace critscale {

/// Inner product r with the tokens of a cluster of c n^theta tokens that lie in no smaller cluster.
struct ProfileBand {
  Rational r;
  Size size;
};

/// Nested clusters, innermost first; the last size is n.
using Profile = std::vector<ProfileBand>;

/// The simplex: inner product rho for every pair.
Profile simplex_profile(const Rational& rho);

/// Throws InputError with one line unless every r lies in [0, 1], r does not increase, and the sizes
/// increase for large n from more than 1 up to n. Two sizes with the same theta also have to divide
/// each other, unless `analytic` lifts that.
void validate(const Profile& profile, bool analytic = false);

}  // namespace critscale
