// Phase boundaries at finite n [simplex-finite]: where two competing bands have equal mass,
// how far that is from the exact threshold, and at what rate it comes closer. Uses envelope.hpp,
// expansion.hpp and number/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "critscale/asymptotics/envelope.hpp"
#include "critscale/asymptotics/limit.hpp"
#include "critscale/number/ball.hpp"

namespace critscale {

/// All tokens at one inner product r: outer - inner of them, where `inner` is missing for the group
/// that contains the token itself (which counts, together with its exact ties).
struct TokenGroup {
  Rational r;
  Size outer;
  std::optional<Size> inner;
  /// The bands in the group, from 1; none for the token alone.
  std::vector<std::size_t> bands;
};

/// A threshold with the two groups whose lines meet there: `flat` leads before it, `steep` after it.
struct Boundary {
  Rational threshold;
  TokenGroup flat, steep;
};

/// The boundaries of a profile, ascending.
std::vector<Boundary> boundaries(const Profile& profile);

/// gamma*(n), the gamma at which both groups have equal mass. Relative radius as the precision
/// allows; exactly 0 where the groups have equally many tokens. Throws InputError when a group has
/// no token at this n.
Ball transition(const Boundary& b, const PowerProduct& n, Bits bits);

/// threshold - gamma*(n), without cancellation.
Ball distance(const Boundary& b, const PowerProduct& n, Bits bits);

/// The leading term c n^power (ln n)^-1 of threshold - gamma*(n); nothing where both are equal.
std::optional<PowerLogTerm> leading_distance(const Boundary& b);

/// "self", "band 1", "bands 1, 2", "self with band 1".
std::string name(const TokenGroup& group);

}  // namespace critscale
