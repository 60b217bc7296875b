// Certified values against those of an independent program (tests/reference/layer_values.json).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "critscale/text/print.hpp"
#include "model/support.hpp"

using namespace model_test;

namespace {

constexpr long digits = 40;

/// The reference's names of our quantities, for simplex and bands.
const std::map<std::string, std::string> simplex_names{{"log_partition", "log_partition"},
                                                       {"self_weight", "self_weight"},
                                                       {"far_weight", "band_weights[0]"},
                                                       {"far_mass", "band_masses[0]"},
                                                       {"norm2", "output_norm2"},
                                                       {"inner_far", "inner_products[0]"},
                                                       {"eta", "jacobian_norm"},
                                                       {"participation", "participation"},
                                                       {"entropy", "entropy"}};
const std::map<std::string, std::string> band_names{
    {"log_partition", "log_partition"}, {"self_weight", "self_weight"},
    {"near_weight", "band_weights[0]"}, {"far_weight", "band_weights[1]"},
    {"near_mass", "band_masses[0]"},    {"far_mass", "band_masses[1]"},
    {"norm2", "output_norm2"},          {"inner_near", "inner_products[0]"},
    {"inner_far", "inner_products[1]"}, {"eta", "jacobian_norm"},
    {"participation", "participation"}, {"entropy", "entropy"}};

Configuration configuration(const nlohmann::json& item) {
  const auto number = [&](const char* key) { return parse_rational(item.at(key).get<std::string>()); };
  const auto size = [&](const char* key) { return parse_power_product(item.at(key).get<std::string>()); };
  Configuration c =
      item.at("geometry") == "simplex"
          ? simplex(size("n"), number("rho"), number("gamma"))
          : banded({{number("r"), size("cluster")}, {number("rho"), size("n")}}, number("gamma"));
  c.d = size("d");
  return with_layer(std::move(c), number("alpha"), number("q"));
}

/// One unit of the last of `digits` significant digits of v.
Rational last_unit(const Rational& v) {
  if (v == 0) return 0;
  Rational unit = tenth_to(digits - 1), magnitude = abs(v);
  for (; magnitude >= 10; magnitude /= 10) unit *= 10;
  for (; magnitude < 1; magnitude *= 10) unit /= 10;
  return unit;
}

// The reference is correctly rounded to 45 digits. The printed ends are decimals of 40 digits, which
// rounding to 45 leaves alone, and rounding keeps order: so lo <= true value <= hi implies
// lo <= reference <= hi, also where the reference sits on an end. (The same is not true of the binary
// enclosure: it is tighter than the rounding of the reference.)
void check_value(const Ball& computed, const std::string& reference_text) {
  const Rational reference = parse_rational(reference_text);
  const PrintedValue p = print(computed, digits);
  INFO("computed " << p.value.value_or("?") << " in [" << p.lo << ", " << p.hi << "]\nreference "
                   << reference_text);
  REQUIRE(p.value);
  CHECK(p.digits == digits);
  CHECK(parse_rational(p.lo) <= reference);
  CHECK(reference <= parse_rational(p.hi));
  CHECK(abs(parse_rational(*p.value) - reference) <= last_unit(reference));
  // The binary enclosure meets what the 45 digits leave open: half a unit of the 45th digit.
  const Rational rounding = last_unit(reference) * tenth_to(5) / 2;
  CHECK(
      overlaps(computed, Ball::hull(reference - rounding, reference + rounding, computed.precision() + 64)));
}

}  // namespace

TEST_CASE("certified values agree with an independent program to 40 digits") {
  const std::string path = CRITSCALE_SOURCE_DIR "/tests/reference/layer_values.json";
  std::ifstream file(path);
  REQUIRE(file);
  const nlohmann::json reference = nlohmann::json::parse(file);
  std::size_t cases = 0, values = 0;
  for (const auto& item : reference.at("cases")) {
    const Configuration c = configuration(item);
    INFO(describe(c));
    const NamedValues<Ball> computed = named(certified(c, all_quantities(), digits));
    const auto& names = item.at("geometry") == "simplex" ? simplex_names : band_names;
    CHECK(item.at("values").size() == names.size());
    for (const auto& [key, text] : item.at("values").items()) {
      INFO(key);
      check_value(find(computed, names.at(key)), text.get<std::string>());
      ++values;
    }
    ++cases;
  }
  CHECK(cases == 108);
  CHECK(values == 58 * 9 + 50 * 12);
}
