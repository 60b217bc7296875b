// The exact inputs of a result, as JSON and as text. Uses nlohmann/json (in the .cpp only).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace critscale::cli {

/// Keys and exact texts, in the order of the output.
using Inputs = std::vector<std::pair<std::string, std::string>>;

/// An object, with "band[l].r" and "band[l].size" gathered into a list.
nlohmann::ordered_json inputs_json(const Inputs& inputs);
/// "geometry = simplex, rho = 1/3, ...".
std::string inputs_text(const Inputs& inputs);

}  // namespace critscale::cli
