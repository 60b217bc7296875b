// Tables on Gaussian tokens: their rows are the layer's values on the tokens of that seed, and what is
// refused.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "critscale/tables/detail/reader.hpp"
#include "critscale/text/parse.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "critscale/tokens/layer.hpp"
#include "provers/program.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> table(const std::string& name, const std::string& cases) {
  const std::string folder = scratch(name);
  write_file(folder + "/c.toml", cases);
  const Run r = program(fmt::format("table {0}/c.toml -o {0}/t.csv", folder));
  INFO(r.err);
  REQUIRE(r.code == 0);
  TableReader reader(folder + "/t.csv");
  std::vector<Row> rows;
  std::vector<std::string> cells;
  while (reader.next(cells)) {
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) row[reader.columns()[i]] = cells[i];
  }
  return rows;
}

/// The table's interval and the ball have a point in common, and the value is near.
void check_value(const Row& row, const std::string& label, const Ball& x) {
  INFO(row.at("id") << " " << label << " " << row.at(label + ".value"));
  const Ball lo(parse_rational(row.at(label + ".lo")), 256), hi(parse_rational(row.at(label + ".hi")), 256);
  CHECK_FALSE(certainly((hi - x).is_negative()));
  CHECK_FALSE(certainly((x - lo).is_negative()));
  const Ball value(parse_rational(row.at(label + ".value")), 256);
  CHECK(certainly((abs(value - x) - abs(x) * Ball(Rational(1, 100000), 256)).is_negative()));
}

}  // namespace

TEST_CASE("rows on Gaussian tokens have the values of the layer in another arithmetic") {
  const std::vector<Row> rows = table("gaussian", R"(
[[case]]
geometry = "gaussian"
digits = 6
n = [5, 24]
d = [2, 30]
seed = [1, "18446744073709551615"]
rho = ["1/20", "2/3"]
gamma = ["1/4", "2"]
alpha = "1/2"
quantities = ["inner_products", "angle_ratio", "participation", "jacobian_norm"]
)");
  REQUIRE(rows.size() == 32);
  CHECK(rows[0].at("id") == "geometry=gaussian;n=5;d=2;seed=1;rho=1/20;gamma=1/4;alpha=1/2");
  CHECK(rows[31].at("id") ==
        "geometry=gaussian;n=24;d=30;seed=18446744073709551615;rho=2/3;gamma=2;alpha=1/2");
  TokenOptions options;
  options.quantities = {Quantity::inner_products, Quantity::angle_ratio, Quantity::participation,
                        Quantity::jacobian_norm};
  options.digits = 20;
  options.allow_binary64 = false;
  for (const Row& row : rows) {
    const std::size_t n = std::stoul(row.at("n"));
    const TokenModel model(gaussian_tokens(n, std::stoul(row.at("d")), parse_rational(row.at("rho")),
                                           std::stoull(row.at("seed"))));
    const Rational gamma = parse_rational(row.at("gamma"));
    const TokenValues v = model.evaluate(critical_scale({gamma, gamma}), Rational(1, 2), options);
    check_value(row, "angle_ratio", *v.angle_ratio);
    check_value(row, "jacobian_norm", *v.jacobian_norm);
    check_value(row, "inner_products.min", v.inner_products->min);
    check_value(row, "inner_products.mean", v.inner_products->mean);
    check_value(row, "participation[0]", v.participation.front());
    check_value(row, fmt::format("participation[{}]", n - 1), v.participation.back());
    CHECK(row.at("participation[23].value").empty() == (n == 5));
  }
}

TEST_CASE("rows on Gaussian tokens equal those of the subcommand tokens on the written file") {
  const std::vector<Row> rows = table("gaussian-file", R"(
[[case]]
geometry = "gaussian"
digits = 6
n = 40
d = [3, 40]
seed = 9
rho = ["1/4", "9/10"]
gamma = ["1/2", "3"]
quantities = ["inner_products", "angle_ratio", "self_weight", "jacobian_norm"]
columns = ["value", "lo", "hi"]
)");
  REQUIRE(rows.size() == 8);
  const std::string folder = scratch("gaussian-written");
  for (const Row& row : rows) {
    REQUIRE(program(fmt::format("tokens --gaussian n=40,d={},rho={},seed=9 -o {}/x.npy --force", row.at("d"),
                                row.at("rho"), folder))
                .code == 0);
    const Run r =
        program(fmt::format("tokens {}/x.npy --gamma {} --digits 6 --format json", folder, row.at("gamma")));
    REQUIRE(r.code == 0);
    const auto quantities = nlohmann::json::parse(r.out).at("quantities");
    const auto check = [&](const std::string& label, const nlohmann::json& v) {
      INFO(row.at("id") << " " << label);
      for (const char* column : {"value", "lo", "hi"})
        CHECK(row.at(fmt::format("{}.{}", label, column)) == v.at(column).get<std::string>());
    };
    check("angle_ratio", quantities.at("angle_ratio"));
    check("jacobian_norm", quantities.at("jacobian_norm"));
    for (const char* part : {"min", "max", "mean"})
      check(fmt::format("inner_products.{}", part), quantities.at("inner_products").at(part));
    check("self_weight[39]", quantities.at("self_weight").at(39));
  }
}

TEST_CASE("gamma_ratio, beta and the default dimension of Gaussian tokens") {
  const std::vector<Row> rows = table("gaussian-scale", R"(
geometry = "gaussian"
digits = 5
n = 6
rho = "1/3"
quantities = ["jacobian_norm"]
[[case]]
id = "a"
gamma = "3/2"
[[case]]
id = "b"
gamma_ratio = "1"
[[case]]
id = "c"
beta = "3/2*log n"
[[case]]
id = "d"
gamma = "3/2"
d = 6
seed = 0
columns = ["binary64", "lo"]
)");
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].at("gamma") == "3/2");
  CHECK(rows[2].at("beta") == "3/2*log n");
  for (const Row& row : rows) {
    CHECK(row.at("d") == "6");
    CHECK(row.at("jacobian_norm.lo").substr(0, 5) == rows[0].at("jacobian_norm.lo").substr(0, 5));
  }
  // A correctly rounded double needs more digits than were asked for, and gets them.
  CHECK(rows[3].at("jacobian_norm.binary64").size() >= 15);
  CHECK(rows[3].at("jacobian_norm.binary64") == rows[0].at("jacobian_norm.binary64"));
}

TEST_CASE("Gaussian tokens are asked for by flags as by a case file") {
  const std::vector<Row> rows = table("gaussian-case", R"(
[[case]]
geometry = "gaussian"
digits = 6
rho = "1/3"
n = 8
d = 5
gamma = "2"
seed = 11
)");
  const std::string folder = scratch("gaussian-flags");
  REQUIRE(
      program(
          fmt::format(
              "table --geometry gaussian --rho 1/3 --n 8 --d 5 --gamma 2 --seed 11 --digits 6 -o {}/t.csv",
              folder))
          .code == 0);
  TableReader reader(folder + "/t.csv");
  std::vector<std::string> cells;
  REQUIRE(reader.next(cells));
  CHECK(cells[0] == rows[0].at("id"));
  CHECK(cells[*reader.column("jacobian_norm.value")] == rows[0].at("jacobian_norm.value"));
  const Run r = program(fmt::format("table --geometry gaussian --rho 1/3 --gamma 2 -o {}/u.csv", folder));
  CHECK(r.code == 2);
  CHECK(r.err == "critscale: Gaussian tokens need n\n");
}

TEST_CASE("tokens that are all tied have no angle ratio") {
  const std::vector<Row> rows = table("gaussian-tied", R"(
[[case]]
geometry = "gaussian"
n = 4
d = 3
rho = ["1/2", "1"]
gamma = "1"
digits = 6
quantities = ["angle_ratio", "jacobian_norm"]
)");
  REQUIRE(rows.size() == 2);
  CHECK_FALSE(rows[0].at("angle_ratio.value").empty());
  CHECK(rows[1].at("angle_ratio.value") == "nan");
  CHECK_FALSE(rows[1].at("jacobian_norm.value").empty());
}

TEST_CASE("what tables on Gaussian tokens refuse, before any work") {
  const std::string folder = scratch("gaussian-refuse");
  const std::string good = "[[case]]\ngeometry = \"gaussian\"\n";
  const std::vector<std::pair<std::string, std::string>> refused{
      {"rho = \"1/2\"\ngamma = 1", "c.toml:1: Gaussian tokens need n"},
      {"n = 8\ngamma = 1", "c.toml:1: Gaussian tokens need rho"},
      {"n = 8\nrho = \"1/2\"", "exactly one of gamma, gamma_ratio and beta"},
      {"n = 1\nrho = \"1/2\"\ngamma = 1", "n: expected an integer from 2 to"},
      {"n = \"10^9\"\nrho = \"1/2\"\ngamma = 1", "n: expected an integer from 2 to"},
      {"n = 8\nd = 0\nrho = \"1/2\"\ngamma = 1", "d: expected an integer from 1 to"},
      {"n = 8\nrho = [\"1/2\", \"3/2\"]\ngamma = 1", "rho must lie in [0, 1], found 3/2"},
      {"n = 8\nrho = \"1/2\"\ngamma = \"critical\"", "no exact threshold"},
      {"n = 8\nrho = \"1\"\ngamma_ratio = 1", "needs rho < 1"},
      {"n = 8\nrho = \"1/2\"\ngamma = 1\nseed = -1",
       "seed: expected an integer from 0 to 2^64 - 1, found '-1'"},
      {"n = 8\nrho = \"1/2\"\ngamma = 1\nalpha = -1", "alpha must not be negative"},
      {"n = 8\nrho = \"1/2\"\nbeta = \"log n - 100\"", "beta must not be negative"},
      {"n = 8\nrho = \"1/2\"\ngamma = 1\nq = 2", "q is no input of Gaussian tokens"},
      {"n = 8\nrho = \"1/2\"\ngamma = 1\nquantities = [\"band_masses\"]", "band_masses has no meaning"},
      {"n = 8\nrho = { box = [\"1/3\", \"1/2\"] }\ngamma = 1", "rho"},
      {"n = 8\ngamma = 1\nrho = \"1/2\"\nband = [{ r = \"1/2\", size = \"n\" }]", "bands were given"}};
  for (const auto& [text, message] : refused) {
    write_file(folder + "/c.toml", good + text + "\n");
    const Run r = program(fmt::format("table {0}/c.toml -o {0}/t.csv", folder));
    CAPTURE(text, r.err);
    CHECK(r.code == 2);
    CHECK(r.err.find(message) != std::string::npos);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(folder + "/t.csv.partial"));
  }
}

TEST_CASE(
    "the grid of Gaussian tokens is drawn with the simplex's boundary as a guide, a figure for each d") {
  const std::string folder = scratch("gaussian-plot");
  write_file(folder + "/c.toml", R"(
[[case]]
geometry = "gaussian"
n = 8
d = [2, 8]
rho = { from = "1/10", to = "9/10", steps = 3 }
gamma = { from = "1/2", to = "8", steps = 4 }
digits = 4
columns = ["value", "lo", "hi"]
)");
  REQUIRE(program(fmt::format("table {0}/c.toml -o {0}/t.csv", folder)).code == 0);
  const Run r = program(fmt::format("plot {0}/t.csv -o {0}/t --format svg --quantities angle_ratio", folder));
  CHECK(r.err.empty());
  CHECK(r.out == fmt::format("{0}/t-angle_ratio-d2.svg\n{0}/t-angle_ratio-d8.svg\n", folder));
  const std::string svg = read_file(folder + "/t-angle_ratio-d2.svg");
  for (const char* text : {"Gaussian tokens, n = 8, d = 2, seed = 0, α = 0; 4 digits, certified",
                           "for these tokens a guide", "γ = 1/(1−ρ)"})
    CHECK(svg.find(text) != std::string::npos);
}

TEST_CASE("tokens against gamma are curves") {
  const std::string folder = scratch("tokens-plot");
  REQUIRE(program(fmt::format("tokens --gaussian n=6,d=3,rho=1/2,seed=3 -o {}/x.npy", folder)).code == 0);
  const Run r = program(fmt::format("tokens {0}/x.npy --gamma 1:2:3 --digits 6 --format json", folder));
  write_file(folder + "/x.json", r.out);
  const Run plot = program(fmt::format("plot {0}/x.json -o {0}/x --format svg", folder));
  CHECK(plot.err.empty());
  CHECK(plot.out ==
        fmt::format("{0}/x-inner_products.min.svg\n{0}/x-inner_products.max.svg\n"
                    "{0}/x-inner_products.mean.svg\n{0}/x-angle_ratio.svg\n{0}/x-jacobian_norm.svg\n",
                    folder));
  CHECK(read_file(folder + "/x-angle_ratio.svg").find("n = 6, d = 3; 6 digits, certified") !=
        std::string::npos);
  CHECK(program(fmt::format("plot {0}/x.json -o {0}/y --format svg --quantities 'entropy[5]'", folder)).out ==
        fmt::format("{}/y-entropy5.svg\n", folder));
}
