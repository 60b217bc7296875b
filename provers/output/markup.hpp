// Text inside HTML and XML. Uses the standard library only.
#pragma once

#include <string>
#include <string_view>

namespace critscale::cli {

/// Text for HTML and XML, also inside attributes; control characters but newlines become spaces.
std::string escape(std::string_view text);

}  // namespace critscale::cli
