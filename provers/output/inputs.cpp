// Inputs of a result. Uses nlohmann/json.
#include "output/inputs.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace critscale::cli {

using nlohmann::ordered_json;

ordered_json inputs_json(const Inputs& inputs) {
  ordered_json r;
  for (const auto& [key, text] : inputs) {
    if (key == "analytic") {
      r[key] = true;
    } else if (key.starts_with("band[")) {
      const std::size_t l = std::stoul(key.substr(5));
      r["band"][l][key.substr(key.find('.') + 1)] = text;
    } else {
      r[key] = text;
    }
  }
  return r;
}

std::string inputs_text(const Inputs& inputs) {
  std::string r;
  for (const auto& [key, text] : inputs) r += fmt::format("{}{} = {}", r.empty() ? "" : ", ", key, text);
  return r;
}

}  // namespace critscale::cli
