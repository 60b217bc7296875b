// `critscale schedule` and `critscale layers`: the contract of their output.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "critscale/text/parse.hpp"
#include "provers/program.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

TEST_CASE("schedule: phases, crossings and the limit of one schedule") {
  const json r =
      run_json("schedule --schedule yarn --train-length 8192 --logit-scale 8 --rho 1/3 --n 10^6 --n 10^12");
  CHECK(r["schema"] == 1);
  CHECK(r["inputs"]["schedule"] == "yarn");
  CHECK(r["thresholds"] == json{"3/2"});
  REQUIRE(r["by_n"].size() == 2);
  CHECK(r["by_n"][0]["phase"] == "subcritical");
  CHECK(r["by_n"][1]["phase"] == "supercritical");
  CHECK(r["by_n"][0]["participation"]["digits"] == 30);
  REQUIRE(r["crossings"][0]["points"].size() == 2);
  CHECK(r["crossings"][0]["points"][1]["direction"] == "up");
  CHECK(r["limit"]["gamma_effective"] == "infinity");
  CHECK(r["limit"]["phase"] == "supercritical");
}

TEST_CASE("schedule: causal rows of llama4 on both sides of a step") {
  const json r =
      run_json("schedule --schedule llama4 --rho 1/3 --position 8190 --position 8191 --position 8192");
  CHECK(r["by_n"][0]["multiplier"]["value"] == "1");
  CHECK(r["by_n"][1]["multiplier"]["value"] == "1.06931471805599453094172321215");
  CHECK(r["by_n"][2]["multiplier"]["value"] == "1.06931471805599453094172321215");
}

TEST_CASE("schedule: the offset decides on a threshold") {
  const json r =
      run_json("schedule --schedule ssmax --coefficient 3/2 --offset 1 --rho 1/3 --n 10^6 --digits 10");
  CHECK(r["limit"]["phase"] == "critical");
  CHECK(r["limit"]["offset"]["value"] == "1");
  CHECK(r["limit"]["self_weight"]["value"] == "0.6607563688");
  const json bands = run_json(
      "schedule --schedule ssmax --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --n 10^6 --digits 10");
  CHECK(bands["thresholds"] == json{"5/6", "5/2"});
  CHECK(bands["limit"]["phase"] == "intermediate");
}

TEST_CASE("schedule: every schedule at once, in any format") {
  const json r = run_json("schedule --schedule all --rho 1/3 --n 10^4 --digits 5");
  CHECK(r["results"].size() == 12);
  const Run csv = program("schedule --schedule all --rho 1/3 --n 10^4 --n 10^5 --digits 5 --format csv");
  CHECK(csv.code == 0);
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 25);
  CHECK(program("schedule --schedule all --rho 1/3 --n 10^4 --digits 5").out.find("crosses 3/2") !=
        std::string::npos);
}

TEST_CASE("schedule: crossings and the limit need no n") {
  const json with_n = run_json("schedule --schedule yarn --logit-scale 8 --rho 1/3 --n 10^6");
  for (const char* geometry : {"--rho 1/3", "--threshold 3/2"}) {
    const json r = run_json(fmt::format("schedule --schedule yarn --logit-scale 8 {}", geometry));
    CHECK(r["by_n"].empty());
    CHECK(r["crossings"] == with_n["crossings"]);
    CHECK(r["limit"] == with_n["limit"]);
  }
  const json bands = run_json("schedule --schedule yarn --band 'r=4/5,size=3*n^(1/3)' --band r=1/5,size=n");
  CHECK(bands["thresholds"] == json{"10/9", "5/3"});
}

TEST_CASE("schedule: the thresholds of a token file, rounded outward") {
  const std::string folder = scratch("schedule-tokens");
  // Inner products 3/5, 4/5 and 24/25, so thresholds 5/2 and 25.
  write_file(folder + "/x.csv", "1,0\n3,4\n4,3\n");
  for (const auto& [c, phase] :
       {std::pair{"2", "subcritical"}, {"3", "intermediate"}, {"26", "supercritical"}}) {
    const json r = run_json(
        fmt::format("schedule --schedule ssmax --coefficient {} --tokens {}/x.csv --n 10^6", c, folder));
    CHECK(r["by_n"][0]["phase"] == phase);
    CHECK(parse_rational(r["thresholds"][0].get<std::string>()) <= Rational(5, 2));
    CHECK(parse_rational(r["thresholds"][1].get<std::string>()) >= 25);
  }
  // Inner products 1/sqrt 2, 1/sqrt 5 and 3/sqrt 10.
  write_file(folder + "/y.csv", "1,0\n1,1\n1,2\n");
  const json irrational =
      run_json(fmt::format("schedule --schedule ssmax --tokens {}/y.csv --digits 5", folder));
  // 1/(1 - 1/sqrt 5) = 1.80901..., 1/(1 - 3/sqrt 10) = 19.4868...
  CHECK(irrational["thresholds"] == json{"1809/1000", "19487/1000"});
  const Run text = program(fmt::format("schedule --schedule ssmax --tokens {}/y.csv --digits 5", folder));
  CHECK(text.out.find("thresholds         1.8090 19.487\n") != std::string::npos);
  CHECK(text.out.find("crosses 19.487: ") != std::string::npos);
  write_file(folder + "/z.csv", "1,0\n2,0\n");
  const Run same = program(fmt::format("schedule --schedule ssmax --tokens {}/z.csv", folder));
  CHECK(same.code == 2);
  CHECK(same.err.find("the same direction") != std::string::npos);
}

TEST_CASE("layers: statements for all n from the given one on") {
  const json drift = run_json("layers --rho 1/3 --n 10^6 --gamma 3 --layers 1 --digits 10")["long_run"];
  CHECK(drift["phase"] == "supercritical");
  CHECK(drift["exponent"] == "1");
  CHECK(drift["life"]["value"] == "54286.810");
  CHECK(drift.contains("layers"));
  const json collapse = run_json("layers --rho 1/3 --n 10^6 --gamma 1 --layers 1 --digits 10")["long_run"];
  CHECK(collapse["phase"] == "subcritical");
  CHECK(collapse["exponent"] == "2/3");
  CHECK(run_json("layers --rho 1/3 --n 10^6 --gamma critical --layers 1")["long_run"].is_null());
  CHECK(run_json("layers --rho 1/3 --n 10^6 --schedule ssmax --layers 1")["long_run"].is_null());
}

TEST_CASE("layers: states, the fixed point and the composed Jacobian") {
  const json r = run_json("layers --rho 1/3 --n 10^4 --gamma 3 --layers 10 --layers 1000 --digits 20");
  REQUIRE(r["by_layers"].size() == 2);
  CHECK(r["by_layers"][0]["layers"] == 10);
  CHECK(r["by_layers"][0]["inner_products"][0]["digits"] == 20);
  CHECK(r["fixed_point"]["layer"] == 790);
  CHECK(r["fixed_point"]["output_norm2"]["value"] == "1");
  const json eta = run_json("layers --rho 1/3 --n 10^4 --gamma 3 --layers 1 --jacobian --digits 20");
  const json one = run_json("eval --rho 1/3 --n 10^4 --gamma 3 --digits 20 --quantities jacobian_norm");
  CHECK(eta["by_layers"][0]["jacobian_norm"]["value"] == one["quantities"]["jacobian_norm"]["value"]);
  const json scheduled =
      run_json("layers --rho 1/3 --n 10^4 --schedule ssmax --coefficient 3 --layers 10 --digits 20");
  CHECK(scheduled["by_layers"][0]["output_norm2"] == r["by_layers"][0]["output_norm2"]);
}

TEST_CASE("schedule and layers: refusals are one line and exit code 2") {
  for (const char* bad :
       {"schedule --rho 1/3 --n 10", "schedule --schedule sumax --rho 1/3 --n 10",
        "schedule --schedule yarn --n 10", "schedule --schedule yarn --factor 0 --rho 1/3 --n 10",
        "schedule --schedule yarn --threshold 3/2 --rho 1/3 --n 10",
        "schedule --schedule constant --threshold 3/2 --position 0", "layers --rho 1/3 --n 10 --gamma 1",
        "layers --rho 1/3 --n 10 --gamma 1 --layers -1",
        "layers --rho '[1/3,1/2]' --n 10 --gamma 1 --layers 1",
        "layers --rho 1/3 --n 10 --gamma 1 --schedule yarn --layers 1",
        "layers --rho 1/3 --n 2 --gamma 1 --layers 1 --jacobian"}) {
    INFO(bad);
    const Run r = program(bad);
    CHECK(r.code == 2);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK(r.out.empty());
  }
}
