// Uses json.hpp.
#include "critscale/io/json.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

void require_shallow_json(std::string_view text) {
  int depth = 0;
  bool inside = false;  // a string
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') inside = !inside;
    if (inside && c == '\\') ++i;
    if (inside) continue;
    if (c == ']' || c == '}') --depth;
    if ((c == '[' || c == '{') && ++depth > max_json_depth)
      throw InputError(fmt::format("JSON nested deeper than {} levels at byte {}", max_json_depth, i + 1));
  }
}

namespace detail {

void require_new_member(std::set<std::string>& seen, const std::string& key) {
  if (!seen.insert(key).second)
    throw InputError(fmt::format("not valid JSON: the member {} occurs twice", in_quotes(key)));
}

void throw_malformed_json(std::size_t byte) {
  throw InputError(byte == 0 ? std::string("not valid JSON")
                             : fmt::format("not valid JSON at byte {}", byte));
}

}  // namespace detail
}  // namespace critscale
