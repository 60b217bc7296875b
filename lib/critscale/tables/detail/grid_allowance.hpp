// Allowances for grid points of a layer (the tables of `critscale table` without an operation), whose
// questions name a geometry and no numbers to compute with. Uses reference.hpp and allowance.hpp.
#pragma once

#include <optional>
#include <vector>

#include "critscale/tables/allowance.hpp"
#include "critscale/tables/reference.hpp"

namespace critscale {

/// By the rule of [grid-rounding]: a relative error that grows with beta and the number of keys, of sums of
/// positive terms (weights, masses, norms); for other quantities that error of the value plus 1. It scales
/// with the values: an answer of 0 for a weight fails. Nothing for rows that are no grid points.
std::optional<std::vector<Allowance>> grid_allowances(const ReferenceRow& row, const Arithmetic& arithmetic);

}  // namespace critscale
