// "Did you mean": the name that is most like a misspelt one. Uses quote.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace critscale {

/// The first of the names with the fewest letters inserted, left out, replaced or exchanged with their
/// neighbour, where that are at most a third of the letters (and at most three); empty where none is so near.
/// `-` and `_` count as the same.
std::string nearest_name(std::string_view misspelt, std::span<const std::string> names);

/// "NAME is not a KIND; allowed: A, B, C; did you mean B?", the question only where a name is near.
std::string not_among(std::string_view misspelt, std::string_view kind, std::span<const std::string> names);

/// ", did you mean NAME?" or nothing.
std::string did_you_mean(std::string_view misspelt, std::span<const std::string> names);

}  // namespace critscale
