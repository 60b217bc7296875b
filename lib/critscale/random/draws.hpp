// Rows of random keys drawn by seed, to put beside certified expectations. binary64: rounding is far below
// the standard errors reported. Uses expectations.hpp.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "critscale/random/expectations.hpp"

namespace critscale::random {

struct SampleMean {
  double mean, standard_error;
};

struct DrawnRows {
  long rows;
  /// The means of what a row has; annealed_log_others is no mean of rows and is left out.
  std::vector<std::pair<Expectation, SampleMean>> means;
};

/// `rows` >= 2 independent rows. The same seed gives the same rows on every machine with the same libm.
/// Throws InputError for n above 10^7 and for a box of beta.
DrawnRows draw_rows(const Row& row, long rows, std::uint64_t seed);

}  // namespace critscale::random
