// Quoting input in error messages. Uses nothing.
#pragma once

#include <string>
#include <string_view>

namespace critscale {

/// Text between single quotes: control and non-ASCII bytes as \xNN, text over 60 characters
/// shortened, so that a message that contains it stays one line.
std::string in_quotes(std::string_view text);

}  // namespace critscale
