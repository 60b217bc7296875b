// Whole sets of random keys drawn by seed, each of its rows evaluated with certified digits, to put beside
// certified expectations. Uses draws.hpp and tokens/.
#pragma once

#include <cstdint>

#include "critscale/random/draws.hpp"
#include "critscale/tokens/set.hpp"

namespace critscale::random {

/// n points sqrt(rho) e + sqrt(1 - rho) w_i, w_i independent and uniform on the sphere in R^m, m whole; e is
/// the first coordinate. Entries are doubles, so that inner products are those of the model to about 1e-16.
/// The same seed gives the same set on every machine with a correctly rounded square root.
TokenSet key_set(std::size_t n, std::size_t m, const Rational& rho, std::uint64_t seed);

/// `sets` >= 2 sets of n keys at seeds first_seed, first_seed + 1, ...; every key is the query of one row.
/// Rows of one set depend on each other: the standard errors are those of the sets' means. Throws InputError
/// for keys that are not on a sphere of whole dimension with an aligned key, for n above 4096, and for a box
/// of beta.
DrawnRows draw_sets(const Row& row, long sets, std::uint64_t first_seed);

}  // namespace critscale::random
