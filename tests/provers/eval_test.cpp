// `critscale eval`: the contract of its output.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "critscale/number/dyadic.hpp"
#include "critscale/text/parse.hpp"
#include "provers/program.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

json eval(const std::string& arguments) { return run_json("eval " + arguments); }

}  // namespace

TEST_CASE("one input gives one object with every quantity") {
  const json r = eval("--rho 1/3 --n 10^6 --gamma 3/2 --digits 25");
  CHECK(r["schema"] == 1);
  CHECK(r["inputs"]["rho"] == "1/3");
  CHECK(r["inputs"]["n"] == "10^6");
  CHECK(r["inputs"]["gamma"] == "3/2");
  const json& a = r["quantities"]["self_weight"];
  // At the threshold a = n/(2n - 1) exactly.
  CHECK(a["value"] == "0.5000002500001250000625000");
  CHECK(a["digits"] == 25);
  const Rational exact(Integer(1000000), Integer(1999999));
  CHECK(parse_rational(a["lo"].get<std::string>()) <= exact);
  CHECK(parse_rational(a["hi"].get<std::string>()) >= exact);
  CHECK(Dyadic::from_hex(a["hex"][0].get<std::string>()).to_rational() <= exact);
  CHECK(Dyadic::from_hex(a["hex"][1].get<std::string>()).to_rational() >= exact);
  for (const char* name : {"log_partition", "self_weight", "output_norm2", "angle_ratio", "jacobian_norm",
                           "participation", "entropy"})
    CHECK(r["quantities"][name].is_object());
  for (const char* name : {"band_weights", "band_masses", "inner_products"})
    CHECK(r["quantities"][name].size() == 1);
}

TEST_CASE("lists and ranges give results, the last flag varying fastest") {
  const json r = eval("--rho 1/3 --rho 1/2 --n 10 --gamma 1:2:3 --quantities self_weight");
  REQUIRE(r["results"].size() == 6);
  CHECK(r["results"][0]["inputs"]["gamma"] == "1");
  CHECK(r["results"][1]["inputs"]["gamma"] == "3/2");
  CHECK(r["results"][1]["inputs"]["rho"] == "1/3");
  CHECK(r["results"][3]["inputs"]["rho"] == "1/2");
  CHECK(r["results"][0]["quantities"].size() == 1);
}

TEST_CASE("bands are written innermost first") {
  const json r = eval("--band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --n 10^6 --gamma critical");
  CHECK(r["inputs"]["gamma"] == "5/6");
  CHECK(r["inputs"]["band"][0]["size"] == "1000");
  CHECK(r["quantities"]["band_masses"].size() == 2);
}

TEST_CASE("exact values are exact, undefined ones say why") {
  const json r = eval("--rho 1/3 --n 100 --gamma 0");
  CHECK(r["quantities"]["inner_products"][0]["value"] == "1");
  CHECK(r["quantities"]["angle_ratio"]["value"] == "0");
  const json tied = eval("--rho 1 --n 100 --gamma 1 --d 1");
  CHECK(tied["quantities"]["angle_ratio"]["value"].is_null());
  CHECK(tied["quantities"]["angle_ratio"]["undefined"] == "every pair of tokens is tied (inner product 1)");
  CHECK(tied["quantities"]["jacobian_norm"]["value"] == "0");
}

TEST_CASE("a box holds for all its points") {
  const json box = eval("--rho '[3/10,2/5]' --n 1000 --gamma 3/2 --quantities inner_products");
  const json& v = box["quantities"]["inner_products"][0];
  for (const char* rho : {"3/10", "1/3", "2/5"}) {
    const json point =
        eval(std::string("--rho ") + rho + " --n 1000 --gamma 3/2 --quantities inner_products");
    const std::string value = point["quantities"]["inner_products"][0]["value"];
    CHECK(parse_rational(v["lo"].get<std::string>()) < parse_rational(value));
    CHECK(parse_rational(v["hi"].get<std::string>()) > parse_rational(value));
  }
}

TEST_CASE("case files: defaults, lists, ranges, boxes, bands") {
  const std::string file = scratch("eval") + "/a.toml";
  write_file(file, R"(
n = ["10", "10^2"]
digits = 12
[[case]]
id = "a"
why = "lists"
rho = { from = "1/10", to = "9/10", steps = 3 }
gamma = ["1/2", "critical"]
quantities = ["self_weight", "entropy"]
[[case]]
id = "b"
band = [{ r = "4/5", size = 2 }, { r = "1/5", size = "n" }]
gamma = { box = ["1", "2"] }
alpha = "1/3"
)");
  const json r = eval(file);
  REQUIRE(r["results"].size() == 14);
  CHECK(r["results"][0]["id"] == "a");
  CHECK(r["results"][0]["why"] == "lists");
  CHECK(r["results"][0]["quantities"].size() == 2);
  CHECK(r["results"][0]["quantities"]["entropy"]["digits"] == 12);
  CHECK(r["results"][13]["inputs"]["gamma"] == "[1,2]");
  CHECK(r["results"][13]["inputs"]["n"] == "100");
}

TEST_CASE("the same bytes for any number of threads") {
  const std::string arguments = "eval --rho 1/10:9/10:9 --n 10^6 --gamma 1:3:9 --format csv --threads ";
  const Run one = program(arguments + "1"), two = program(arguments + "2");
  CHECK(one.code == 0);
  CHECK(one.out == two.out);
  CHECK(std::count(one.out.begin(), one.out.end(), '\n') == 82);
}

TEST_CASE("help and version") {
  CHECK(program("--version").out.starts_with("critscale "));
  const Run help = program("eval --help");
  CHECK(help.code == 0);
  CHECK(help.out.find("Example: critscale eval") != std::string::npos);
}

TEST_CASE("limits stand beside the values with the distance") {
  const json r = eval("--rho 1/3 --n 10^6 --gamma critical --limits");
  CHECK(r["limits"]["phase"] == "critical");
  CHECK(r["limits"]["inner_products"][0]["limit"] == "2/3");
  CHECK(r["limits"]["log_partition"]["limit"] == "infinity");
  CHECK(r["limits"]["log_partition"]["distance"].is_null());
  // a = n/(2n - 1), so a - 1/2 = 1/(4n - 2).
  const json& d = r["limits"]["self_weight"]["distance"];
  const Rational exact(Integer(1), Integer(3999998));
  CHECK(parse_rational(d["lo"].get<std::string>()) <= exact);
  CHECK(parse_rational(d["hi"].get<std::string>()) >= exact);
  CHECK(d["value"] == "2.50000e-7");
  const Run text =
      program("eval --rho 1/3 --n '10^(10^15)' --gamma critical --limits --quantities self_weight");
  CHECK(text.out.find("limit 1/2, distance at most ") != std::string::npos);
}
