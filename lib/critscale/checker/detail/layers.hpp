// Claims about many layers on a simplex. Uses json_fwd.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace critscale::checker {

/// Throws an Error unless the constant of the claim is enough for the drift above the threshold, or the
/// collapse below it.
void check_layers(const std::string& theorem, const nlohmann::json& claim, const nlohmann::json& evidence);

}  // namespace critscale::checker
