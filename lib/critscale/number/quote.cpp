// Quoting input in error messages.
#include "critscale/number/quote.hpp"

#include <fmt/format.h>

namespace critscale {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (text.size() > longest) out += fmt::format("...({} characters)", text.size());
  return out + "'";
}

}  // namespace critscale
