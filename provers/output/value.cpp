// One certified value as JSON and as text.
#include "output/value.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace critscale::cli {

using nlohmann::ordered_json;

ordered_json value_json(const Ball& x, long digits) {
  const PrintedValue p = print(x, digits);
  const HexEnclosure hex = hex_enclosure(x);
  ordered_json r;
  r["value"] = p.value ? ordered_json(*p.value) : ordered_json(nullptr);
  r["lo"] = p.lo;
  r["hi"] = p.hi;
  r["digits"] = p.digits;
  r["hex"] = {hex.lo, hex.hi};
  return r;
}

ordered_json undefined_json(const std::string& why) {
  return {{"value", nullptr}, {"lo", nullptr},  {"hi", nullptr},
          {"digits", 0},      {"hex", nullptr}, {"undefined", why}};
}

std::string value_text(const Ball& x, long digits) {
  const PrintedValue p = print(x, digits);
  if (p.value && p.digits == digits) return *p.value;
  return fmt::format("[{}, {}]", p.lo, p.hi);
}

}  // namespace critscale::cli
