// The contract's V: one certified value as JSON, text or table cells [results]. Uses number/.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "critscale/number/ball.hpp"
#include "critscale/text/print.hpp"

namespace critscale::cli {

/// {"value", "lo", "hi", "digits", "hex"}.
nlohmann::ordered_json value_json(const Ball& x, long digits);
/// A V without a value because the quantity is undefined: nulls, and why under "undefined".
nlohmann::ordered_json undefined_json(const std::string& why);

/// "0.3333333333" where all digits are certain, else "[lo, hi]".
std::string value_text(const Ball& x, long digits);

}  // namespace critscale::cli
