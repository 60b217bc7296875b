// Uses markup.hpp.
#include "output/markup.hpp"

namespace critscale::cli {

std::string escape(std::string_view text) {
  std::string r;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      r += "&amp;";
    else if (c == '<')
      r += "&lt;";
    else if (c == '>')
      r += "&gt;";
    else if (c == '"')
      r += "&quot;";
    else
      r += byte < ' ' && c != '\n' ? ' ' : c;
  }
  return r;
}

}  // namespace critscale::cli
