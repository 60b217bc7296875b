// Certificates as JSON (provers/CERTIFICATES.md). Uses lib/critscale/checker for the statement and
// the digest.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace critscale::cli {

/// The whole certificate of a proved claim.
nlohmann::json certificate(const std::string& kind, const std::string& theorem, const nlohmann::json& claim,
                           const nlohmann::json& evidence);

}  // namespace critscale::cli
