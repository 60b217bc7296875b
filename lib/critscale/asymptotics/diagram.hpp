// Phase diagrams over gamma and one other parameter, as cells with exact edges. Uses envelope.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/asymptotics/boundary.hpp"

namespace critscale {

/// The parameter that varies: the inner product or the exponent theta of the size of one band.
struct DiagramParameter {
  enum class Kind { r, theta } kind;
  /// From 1, innermost first.
  std::size_t band;
};
/// "rho" (the last band's r), "r1", "theta2", ... Throws InputError.
DiagramParameter parse_diagram_parameter(std::string_view text, std::size_t bands);

/// gamma along an edge of a cell: (theta_flat - theta_steep)/(r_steep - r_flat) of the two lines, at
/// both ends of the strip; none where it is infinite. The lower edge of the first cell is gamma = 0.
struct DiagramEdge {
  std::optional<Rational> at_from, at_to;
};

/// Between two values of the parameter and two edges in gamma, one group of tokens has all mass.
struct DiagramCell {
  Rational from, to;
  DiagramEdge lower, upper;
  TokenGroup leader;
  Phase phase;
};

/// The cells for the parameter between consecutive `values` (ascending) and the values between them
/// where three lines meet, so that no cell changes its form within a strip; by parameter, then by
/// gamma. Throws InputError when a profile on the way is not valid.
std::vector<DiagramCell> diagram(const Profile& profile, const DiagramParameter& parameter,
                                 const std::vector<Rational>& values);

}  // namespace critscale
