// `critscale limit` and `critscale boundary` as a user runs them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "provers/program.hpp"

using namespace critscale::test;
using nlohmann::json;

TEST_CASE("limit: phase, exact limit, closed form, rate, terms") {
  const json r = run_json("limit --rho 1/3 --gamma critical");
  CHECK(r["phase"] == "critical");
  CHECK(r["thresholds"] == json({"3/2"}));
  CHECK(r["inputs"]["gamma"] == "3/2");
  const json& inner = r["quantities"]["inner_products"];
  REQUIRE(inner.size() == 1);
  CHECK(inner[0]["limit"] == "2/3");
  CHECK(inner[0]["closed_form"] == "4*rho/(1+3*rho)");
  CHECK(inner[0]["value"]["value"] == "0.666666666666666666666666666667");
  CHECK(inner[0]["rate"] == json({{"exponent", "1"}, {"log_power", 0}}));
  CHECK(inner[0]["terms"].size() == 2);
  CHECK(inner[0]["terms"][0] == json({{"coefficient", "5/9"}, {"power", "-1"}, {"log_power", 0}}));
  const json& z = r["quantities"]["log_partition"];
  CHECK(z["limit"] == "infinity");
  CHECK(z["value"].is_null());
  CHECK(z["rate"].is_null());
  CHECK(z["leading"]["coefficient"] == "3/2");
  CHECK(z["leading"]["log_power"] == 1);
  CHECK(z["leading"]["closed_form"] == "1/(1-rho)");
  CHECK(r["quantities"]["jacobian_norm"]["rate"]["log_power"] == 2);
  const json tied =
      run_json("limit --band r=1,size=3 --band r=1/3,size=n --gamma 2 --quantities inner_products");
  CHECK(tied["quantities"]["inner_products"][0]["rate"].is_null());
  CHECK(tied["quantities"]["inner_products"][0]["limit"] == "1");
  const json undefined = run_json("limit --rho 1 --gamma 2 --quantities angle_ratio");
  CHECK(undefined["quantities"]["angle_ratio"]["limit"].is_null());
  CHECK(undefined["phase"] == "supercritical");
  CHECK(undefined["thresholds"].empty());
}

TEST_CASE("limit: lists, windows, fixed text") {
  const json r = run_json("limit --rho 1/3 --gamma 1:2:3 --terms 1 --quantities self_weight");
  REQUIRE(r["results"].size() == 3);
  CHECK(r["results"][0]["phase"] == "subcritical");
  CHECK(r["results"][1]["phase"] == "critical");
  CHECK(r["results"][2]["phase"] == "supercritical");
  const json window = run_json("limit --rho 1/3 --beta '3/2*log n + 2' --quantities self_weight --digits 20");
  CHECK(window["quantities"]["self_weight"]["limit"] == "1/(1+exp(-4/3))");
  CHECK(window["quantities"]["self_weight"]["closed_form"] == "1/(1+exp(-b*(1-rho)))");
  CHECK(window["quantities"]["self_weight"]["value"]["value"] == "0.79139147267395506003");
  CHECK(program("limit --rho 1/3 --gamma critical --quantities inner_products").out ==
        "geometry = simplex, rho = 1/3, gamma = 3/2, alpha = 0, q = 1, d = n\n"
        "  phase              critical (thresholds: 3/2)\n"
        "  inner_products[0]  -> 2/3 = 4*rho/(1+3*rho);  2/3 + 5/9*n^(-1) - 11/54*n^(-2) + o(n^(-2))\n");
  CHECK(program("limit --rho 1/3 --gamma 2 --quantities log_partition --terms 1")
            .out.ends_with("  log_partition      -> infinity like gamma*ln(n);  2*ln(n) + o(ln(n))\n"));
  const std::string latex =
      program("limit --rho 1/3 --gamma critical --quantities inner_products --terms 1 --format latex").out;
  CHECK(latex.find("\\to \\frac{4 \\rho}{1+3 \\rho} = \\frac{2}{3}, & ") != std::string::npos);
  CHECK(latex.find("= \\frac{2}{3} + \\frac{5}{9} n^{-1} + o(n^{-1}) \\\\\n") != std::string::npos);
  const std::string csv = program("limit --rho 1/3 --gamma 2 --quantities participation --format csv").out;
  CHECK(csv.find(",supercritical,participation,1,1,1,1,1,1/3,0,") != std::string::npos);
}

TEST_CASE("boundary: thresholds, transitions, distances") {
  const json one = run_json("boundary --rho 1/3 --n 1000 --digits 25");
  CHECK(one["thresholds"] == json({"3/2"}));
  CHECK(one["transitions"][0]["value"] == "1.499782744112991154346767");
  CHECK(one["boundaries"][0]["rate"] == json({{"exponent", "1"}, {"log_power", -1}}));
  CHECK_FALSE(one.contains("by_n"));
  const json several = run_json("boundary --rho 1/3 --n 1000 --n '10^(10^15)' --digits 10");
  REQUIRE(several["by_n"].size() == 2);
  CHECK(several["by_n"][1]["n"] == "10^(10^15)");
  CHECK(several["by_n"][1]["distances"][0]["digits"] == 10);
  const json bands = run_json("boundary --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --n 10^12");
  CHECK(bands["thresholds"] == json({"5/6", "5/2"}));
  CHECK(bands["transitions"].size() == 2);
  CHECK(bands["distances"][0]["value"] == "0");
  CHECK(bands["boundaries"][0]["rate"].is_null());
  const json exact = run_json("boundary --rho 0");
  CHECK(exact["thresholds"] == json({"1"}));
  CHECK(exact["forward_thresholds"] == json({"1/2"}));
}

TEST_CASE("boundary: the inverse question and phase diagrams") {
  const json solved = run_json("boundary --rho 1/3 --n 10^6 --solve inner_products=1/2 --gamma-range 0:3");
  REQUIRE(solved["solutions"].size() == 1);
  CHECK(solved["solutions"][0]["digits"] == 30);
  const std::string csv =
      program(
          "boundary --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --diagram theta1=1/8:7/8:2 --format csv")
          .out;
  CHECK(csv ==
        "from,to,phase,mass_on,gamma_lower_at_from,gamma_lower_at_to,gamma_upper_at_from,gamma_upper_at_to\n"
        "1/8,1/4,subcritical,band 2,0,0,5/4,5/4\n"
        "1/8,1/4,supercritical,self,5/4,5/4,infinity,infinity\n"
        "1/4,7/8,subcritical,band 2,0,0,5/4,5/24\n"
        "1/4,7/8,intermediate,band 1,5/4,5/24,5/4,35/8\n"
        "1/4,7/8,supercritical,self,5/4,35/8,infinity,infinity\n");
}

TEST_CASE("limit and boundary refuse bad input in one line") {
  check_refused("limit --rho 1.2 --gamma 1", "an inner product must lie in [0, 1], found 6/5");
  check_refused("limit --rho 1/3", "exactly one of gamma, gamma_ratio and beta is needed");
  check_refused("limit --rho 1/3 --gamma -1", "--gamma: gamma must be at least 0, found '-1'");
  check_refused("limit --rho 1/3 --gamma 1 --q 0", "q must be positive, found 0");
  check_refused("limit --rho 1/3 --gamma 1 --alpha -1", "alpha must not be negative, found -1");
  check_refused("limit --rho 1/3 --gamma 1 --d 512",
                "in a limit d has to grow as c*n^k with k >= 1 (default n), found 512");
  check_refused("limit --rho 1/3 --gamma 1 --d '1/2*n'",
                "d must be at least the rank of the Gram matrix, n, found 1/2*n");
  check_refused("limit --rho 1/3 --beta '(log n)^2'",
                "--beta: a limit needs beta = c*log n + b, found '(log n)^2'");
  check_refused("limit --rho 1/3 --gamma 1 --terms 0",
                "--terms: expected an integer from 1 to 64, found '0'");
  check_refused("limit --rho 1 --gamma critical",
                "--gamma: 'critical' has no meaning here: this geometry has no threshold");
  check_refused(
      "limit --band r=1/5,size=5 --band r=4/5,size=n --gamma 1",
      "bands are out of order: r must not increase from the innermost band on, found 4/5 after 1/5");
  check_refused("limit --band r=4/5,size=n --band r=1/5,size=5 --gamma 1",
                "band sizes must increase strictly from more than 1, found 5 after n");
  check_refused("boundary --rho 1/3 --n 1", "--n: n must be at least 2, found '1'");
  check_refused("boundary --rho 1/3 --n 10 --solve self_weight=1/2",
                "--solve and --gamma-range belong together");
  check_refused("boundary --rho 1/3 --n 10 --solve self_weight --gamma-range 0:3",
                "--solve: expected QUANTITY=VALUE or QUANTITY[BAND]=VALUE, found 'self_weight'");
  check_refused(
      "boundary --rho 1/3 --diagram gamma=0:1:3",
      "--diagram: 'gamma' is not a parameter of the diagram: expected rho, r1 .. r1 or theta1 .. theta1");
  CHECK(program("limit --frobnicate").code == 2);
  CHECK(program("boundary --rho 1/3 --n 10 --format xml").code == 2);
}
