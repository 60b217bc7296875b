// Exact limits beside curves against gamma. Uses asymptotics/ and panel.hpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plots/panel.hpp"

namespace critscale::cli {

/// The limit as n grows against gamma, broken at the threshold, where it is a dot.
struct LimitCurve {
  std::vector<std::vector<std::pair<double, PlotNumber>>> pieces;
  bool diverges = false;  ///< somewhere on the axis
};

/// The limit of a quantity of the simplex with d = n ([simplex-limits]), derived by asymptotics/. Empty for
/// any other geometry, and where the curves of the panel differ in more than n.
LimitCurve simplex_limit(const Panel& panel, const std::string& label,
                         const std::vector<std::string>& series);

}  // namespace critscale::cli
