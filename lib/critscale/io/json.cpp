// Uses json.hpp.
#include "critscale/io/detail/json.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

void require_shallow_json(std::string_view text, std::size_t most_values) {
  int depth = 0;
  std::size_t values = 1;
  bool inside = false;  // a string
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') inside = !inside;
    if (inside && c == '\\') ++i;
    if (inside) continue;
    if (c == ']' || c == '}') --depth;
    // A value follows each of these, but for empty brackets.
    if ((c == ',' || c == '[' || c == '{') && ++values > most_values)
      throw InputError(fmt::format("JSON of more than {} values", most_values));
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
