// Enclosures of quantities over boxes of parameters. Uses evaluate_as.hpp.
#pragma once

#include <span>

#include "critscale/model/evaluate_as.hpp"

namespace critscale {

/// Enclosures of all values that the quantities take on the configuration's box, by subdivision with
/// natural extensions and mean-value forms. lambda has no value when it is undefined somewhere in the
/// box. An enclosure of values of one sign contains no number of the other.
Values<Ball> evaluate_box(const Configuration& c, std::span<const Quantity> quantities, Bits bits);

}  // namespace critscale
