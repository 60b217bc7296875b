// Explicit tokens against values of an independent program (tests/reference/tokens), to 28 digits.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "critscale/text/parse.hpp"
#include "critscale/text/print.hpp"
#include "critscale/tokens/files.hpp"
#include "tokens/token_sets.hpp"

namespace {

using namespace token_test;

/// 28 digits: |x - reference| <= 10^-28 |reference|, for every x of the enclosure.
void check_digits(const std::string& what, const Ball& x, const nlohmann::json& reference) {
  const Rational v = parse_rational(reference.get<std::string>());
  const Ball allowed = abs(Ball(v, 256)) * pow(Ball(10, 256), Integer(-28));
  INFO(what << ": " << print(x, 35).lo << " .. " << print(x, 35).hi << " against " << reference);
  CHECK(certainly(less_equal(abs(x - Ball(v, 256)), allowed)));
}

void check_array(const std::string& what, const std::vector<Ball>& x, const nlohmann::json& reference) {
  REQUIRE(x.size() == reference.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    check_digits(what + "[" + std::to_string(i) + "]", x[i], reference[i]);
}

}  // namespace

TEST_CASE("the reference's token files give its values to 28 digits") {
  const std::string folder = std::string(CRITSCALE_SOURCE_DIR) + "/tests/reference/tokens/";
  std::ifstream in(folder + "tokens.json");
  REQUIRE(in);
  const nlohmann::json reference = nlohmann::json::parse(in);
  REQUIRE(reference.at("cases").size() == 4);
  for (const auto& c : reference.at("cases")) {
    const std::string file = c.at("tokens");
    INFO(file);
    const TokenModel model(read_tokens(folder + file));
    TokenOptions options = everything(32);
    options.pairs = {{0, 1}};
    const TokenGeometry g = model.geometry(32);
    const TokenValues v = model.evaluate(gamma_scale(parse_rational(c.at("gamma").get<std::string>())),
                                         parse_rational(c.at("alpha").get<std::string>()), options);
    const auto& values = c.at("values");
    check_digits("rho_min", g.rho_min, values.at("rho_min"));
    check_digits("rho_max", g.rho_max, values.at("rho_max"));
    check_digits("rho_mean", g.rho_mean, values.at("rho_mean"));
    check_array("log_partition", v.log_partition, values.at("log_partition"));
    check_array("self_weight", v.self_weight, values.at("self_weight"));
    check_array("entropy", v.entropy, values.at("entropy"));
    check_digits("inner_product_01", v.pairs.at(0).output, values.at("inner_product_01"));
    check_digits("angle_ratio", *v.angle_ratio, values.at("angle_ratio"));
    check_digits("eta", *v.jacobian_norm, values.at("eta"));
  }
}
