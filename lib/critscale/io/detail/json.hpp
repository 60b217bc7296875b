// Reading JSON that others wrote. Uses errors.hpp, quote.hpp and nlohmann/json.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace critscale {

/// How deep arrays and objects may be nested: the JSON library copies, writes and frees values by recursion.
inline constexpr int max_json_depth = 200;

/// How many values a text may have: each takes some 16 to 100 bytes, whatever few bytes it is written with.
inline constexpr std::size_t max_json_values = std::size_t{1} << 23;

/// Throws InputError where brackets are nested deeper than max_json_depth, or where there are more values
/// than `most_values`, and in nothing else.
void require_shallow_json(std::string_view text, std::size_t most_values = max_json_values);

namespace detail {
/// Throws InputError for a second member of that name.
void require_new_member(std::set<std::string>& seen, const std::string& key);
[[noreturn]] void throw_malformed_json(std::size_t byte);
}  // namespace detail

/// The value that a text stands for, as nlohmann::json or ordered_json. Throws InputError in one line for a
/// text that is not JSON (with the byte where it ceases to be), one that is nested too deep, and one in which
/// a member occurs twice, so that readers could see different values.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  require_shallow_json(text);
  std::vector<std::set<std::string>> open;
  const auto watch = [&open](int, typename Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key)
      detail::require_new_member(open.back(), value.template get<std::string>());
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const typename Json::parse_error& e) {
    detail::throw_malformed_json(e.byte);
  } catch (const typename Json::exception&) {  // a number beyond the range of doubles
    detail::throw_malformed_json(0);
  }
}

}  // namespace critscale
