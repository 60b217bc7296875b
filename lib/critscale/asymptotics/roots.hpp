// The inverse question: every gamma in a range at which a quantity has a given value. Uses model/
// and number/.
#pragma once

#include <cstddef>
#include <vector>

#include "critscale/model/configuration.hpp"
#include "critscale/model/evaluate.hpp"
#include "critscale/number/ball.hpp"

namespace critscale {

/// What is asked: `quantity` (of band `band`, from 0, innermost first) equals `value`.
struct RootQuestion {
  Quantity quantity;
  std::size_t band = 0;
  Rational value;
};

/// Every gamma in `range` at which the question's equation holds for the configuration with
/// beta = gamma ln n (its own logit scale is replaced), ascending, each to `digits` decimal digits.
/// Complete and certified: cells of the range are discarded where the enclosure of the quantity does
/// not meet the value; what remains has a derivative of one sign and ends of opposite sign. A root nearer to
/// an end of the range than `digits` digits tell belongs to them, on whichever side it lies. Throws
/// LimitError, naming the cell, when a cell can neither be discarded nor proved to hold one root (a multiple
/// root, too many cells) or where ln n exceeds 2^61; InputError for a range that is empty or negative.
std::vector<Ball> gammas_with_value(const Configuration& c, const RootQuestion& question,
                                    const RationalBox& range, long digits);

}  // namespace critscale
