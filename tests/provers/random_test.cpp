// Random keys as a user asks for them: `random`, `limit`, `boundary`, `schedule`, and the estimates of
// `tokens`.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "provers/program.hpp"

using namespace critscale::test;
using nlohmann::json;

TEST_CASE("random keys: limits of rows") {
  const json self = run_json("limit --geometry sphere --kappa 2 --rho 1/3 --gamma 9/4 --digits 12");
  CHECK(self["phase"] == "self");
  CHECK(self["quantities"]["self_weight"]["limit"] == "1");
  CHECK(self["quantities"]["collision"]["rests_on"] == "theorem");
  CHECK(self["quantities"]["log_partition/log_n"]["value"]["value"] == "2.25");
  const json condensed = run_json("limit --geometry sphere --kappa 2 --gamma 9 --no-aligned-key --digits 12");
  CHECK(condensed["phase"] == "condensed");
  CHECK(condensed["quantities"]["collision"]["value"]["value"] == "0.519733907579");
  CHECK(condensed["quantities"]["collision"]["rests_on"] == "condensation picture");
  CHECK_FALSE(condensed["quantities"].contains("self_weight"));
  const json fixed = run_json("limit --geometry sphere --dim 128 --gamma 100");
  CHECK(fixed["phase"] == "spread");
  CHECK(fixed["quantities"]["self_weight"]["limit"] == "0");
  const json scores = run_json(
      "limit --geometry gaussian-scores --sigma 1 --no-aligned-key --beta '2*(log n)^(1/2)' --digits 12");
  CHECK(scores["phase"] == "condensed");
  CHECK(scores["quantities"]["collision"]["value"]["value"] == "0.292893218813");
}

TEST_CASE("random keys: lines, series and transitions") {
  const json lines = run_json("boundary --geometry sphere --kappa 2 --rho 1/3 --terms 3 --digits 10");
  CHECK(lines["thresholds"]["g_self"]["value"] == "1.426544350");
  CHECK(lines["thresholds"]["gamma_self"]["value"] == "2.139816524");
  REQUIRE(lines["series"].size() == 4);
  CHECK(lines["series"][0]["coefficients"] == json({"1", "1/2", "1/2"}));
  const json finite = run_json("boundary --geometry sphere --dim 12 --n 2000 --digits 8");
  CHECK(finite["transitions"]["self"]["value"].is_string());
  CHECK(finite["thresholds"].contains("g_cond"));
}

TEST_CASE("random keys: a schedule is lost from its last crossing on") {
  const json r = run_json(
      "schedule --schedule ssmax --coefficient 2 --geometry sphere --dim 64 --rho 1/4 --n 10^6 --n 10^30 "
      "--digits 8");
  CHECK(r["by_n"][0]["phase"] == "self");
  CHECK(r["by_n"][1]["phase"] == "spread");
  CHECK(r["crossings"]["line"] == "g_self");
  REQUIRE(r["crossings"]["points"].size() == 1);
  CHECK(r["crossings"]["points"][0]["direction"] == "down");
  CHECK(r["limit"]["phase"] == "spread");
  const double log_n = std::stod(r["crossings"]["points"][0]["log_n"]["value"].get<std::string>());
  // g = 3/2 is the line's value at kappa = 64/ln n.
  const json at = run_json("random --keys sphere --g 3/2 --digits 8");
  CHECK(64 / log_n == Approx(std::stod(at["kappas"]["g_self"]["value"].get<std::string>())).epsilon(1e-6));
  const json all =
      run_json("schedule --schedule all --geometry sphere --dim 128 --rho 1/3 --logit-scale 16 --digits 6");
  REQUIRE(all["results"].size() == 12);
  for (const json& s : all["results"]) CHECK(s["limit"]["phase"] == "spread");
}

TEST_CASE("random keys: rows and sets drawn beside certified values") {
  const json r = run_json("random --keys sphere --dim 5 --n 30 --beta 4 --sets 20 --seed 3 --digits 8");
  const double exact = std::stod(r["quantities"]["self_weight"]["value"].get<std::string>()),
               mean = std::stod(r["drawn"]["self_weight"]["mean"].get<std::string>()),
               error = std::stod(r["drawn"]["self_weight"]["standard_error"].get<std::string>());
  CHECK(std::abs(mean - exact) < 4 * error);
  const std::string csv = program("random --keys sphere --kappa 2 --kappa 5 --digits 8 --format csv").out;
  CHECK(csv.starts_with("id,keys,kappa,g_self.value,g_self.lo,g_self.hi,g_cond.value,"));
}

TEST_CASE("random keys: tokens are compared with them") {
  const json r = run_json("tokens --gaussian n=200,d=12,rho=0,seed=1 --digits 6");
  const double m = std::stod(r["random_keys"]["m"].get<std::string>());
  CHECK(m > 10);
  CHECK(m < 14);
  CHECK(r["random_keys"]["thresholds"].size() == 3);
}

TEST_CASE("random keys: refusals by name") {
  check_refused("boundary --geometry sphere --dim 3/2 --n 10",
                "dim must be at least 2 on the sphere, found 3/2");
  check_refused("limit --geometry sphere --kappa 0 --gamma 1", "kappa must be positive, found 0");
  check_refused("limit --geometry gaussian-scores --sigma 0 --beta 1", "sigma must be positive, found 0");
  check_refused("boundary --geometry sphere --dim 4 --n 1", "--n: n must be at least 2, found '1'");
  check_refused("limit --geometry sphere --dim 4 --rho 1 --gamma 1",
                "rho must be at least 0 and below 1, found 1");
  check_refused("limit --geometry sphere --dim 4 --rho -1/2 --gamma 1",
                "rho must be at least 0 and below 1, found -1/2");
  check_refused("boundary --geometry sphere --dim 4",
                "with a fixed dim or sigma n is needed: kappa = m/ln n tends to 0 and no gamma is critical");
  check_refused(
      "limit --rho 1/3 --gamma 1 --kappa 2",
      "--dim, --kappa, --sigma and --no-aligned-key belong to --geometry sphere or gaussian-scores");
  check_refused("limit --geometry sphere --kappa 2", "gamma or beta is needed");
}
