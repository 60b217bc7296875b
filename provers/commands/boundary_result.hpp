// The result of `critscale boundary` and its text in every format. Uses asymptotics/ and the shared
// flags.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "critscale/asymptotics/boundary.hpp"
#include "critscale/asymptotics/diagram.hpp"
#include "grids/grid.hpp"
#include "inputs/flags.hpp"

namespace critscale::cli {

/// What one context length adds: one transition and one distance a threshold, and the solutions
/// where a question was asked.
struct AtLength {
  PowerProduct n;
  std::vector<Ball> transitions, distances;
  std::optional<std::vector<Ball>> solutions;
};

struct BoundaryResult {
  const Specification* specification;
  GrowthPoint point;
  long digits = 0;
  std::vector<Boundary> boundaries;
  std::vector<Rational> forward_thresholds;
  std::vector<AtLength> by_n;
  std::optional<std::vector<DiagramCell>> cells;
};

/// The results as one text.
/// `list`: JSON as a list also for one result.
std::string render(const std::vector<BoundaryResult>& results, Format format, bool list);

}  // namespace critscale::cli
