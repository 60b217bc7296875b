// The context lengths that a specification asks for, as n or as positions of a causal row. Uses
// specification.hpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grids/specification.hpp"

namespace critscale::cli {

/// The texts of a key; none where it is not given.
std::vector<Text> texts_of(const Specification& s, const std::string& key);
/// The context lengths asked for: n, ranges of n, and causal rows at 0-based positions (n = position + 1).
std::vector<std::pair<PowerProduct, Text>> context_lengths(const Specification& s,
                                                           const std::vector<std::string>& positions);

}  // namespace critscale::cli
