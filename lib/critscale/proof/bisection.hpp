// Proofs over boxes by bisection: halve a box of parameters until a bound holds on every piece.
// Uses number/ and oneTBB (in the .cpp file).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/number/rational_box.hpp"

namespace critscale {

/// What a proof asks of a box: an upper bound of the function that is to be bounded, or nothing
/// where the box contains no point that the claim speaks of.
using BoxBound = std::function<std::optional<Ball>(const Box&)>;

/// An exact point that a claim speaks of: parameters by name.
using Witness = std::vector<std::pair<std::string, Rational>>;

struct BisectionLimits {
  long leaves = 400000;
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

/// The bisection tree in preorder, one character a node: `.` for a box on which the bound holds,
/// `x` for one without points of the claim, a digit for a split along that coordinate.
struct Bisection {
  bool complete = false;
  std::string tree;
  long leaves = 0;
};

/// Bisects until f <= target on every leaf; incomplete at a limit. Each split is along the
/// coordinate that lowers the bound most. Runs on all cores; the tree does not depend on how many.
/// `progress` counts finished leaves.
Bisection bisect(const Box& box, const BoxBound& f, const Rational& target, const BisectionLimits& limits,
                 std::atomic<long>* progress = nullptr);

}  // namespace critscale
