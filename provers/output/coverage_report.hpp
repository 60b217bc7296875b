// What slips a table of questions can tell apart, as text. Uses lib/critscale/tables.
#pragma once

#include <string>
#include <vector>

#include "critscale/tables/explain.hpp"

namespace critscale::cli {

/// For each formula: how many mutations some row shows, which none does, and which look alike on every row.
std::string coverage_text(const std::vector<CoverageGroup>& groups, const Tolerance& t);

}  // namespace critscale::cli
