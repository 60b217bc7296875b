// Bounds over boxes: bisection trees of the evidence walked leaf by leaf ([bisection]), and numbers enclosed
// at rising precision. Uses claims.hpp and intervals.hpp.
#pragma once

#include <functional>
#include <optional>

#include "critscale/checker/detail/claims.hpp"
#include "critscale/checker/detail/intervals.hpp"

namespace critscale::checker {

/// The longest tree, in nodes; about a minute's work.
inline constexpr std::size_t most_nodes = 2000000;

/// The function to be bounded, on a box; nothing where the box holds no point of the claim.
using Bound = std::function<std::optional<Interval>(const Box&)>;
/// Throws InputError unless the tree of the evidence is well formed and f <= limit on every leaf. Where
/// this arithmetic is coarser than the prover's, a leaf is halved further, within a fixed budget.
void check_tree(const json& evidence, const std::vector<std::string>& coordinates, const Box& box,
                const Bound& f, const Rational& limit);

/// Throws InputError unless f(precision) is within the ends lo and hi of the claim, at a precision up to what
/// the digits of the ends may need.
void check_inside(const std::function<Interval(Bits)>& f, const json& claim, const std::string& what);

}  // namespace critscale::checker
