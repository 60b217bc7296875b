// `critscale attention` as a user runs it.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "provers/program.hpp"

namespace critscale::test {

TEST_CASE("attention: arrays from files, outputs and gradients in every format") {
  const std::string folder = scratch("attention"), x = folder + "/x.npy";
  REQUIRE(program("tokens --gaussian n=8,d=4,rho=1/2,seed=1 -o " + x).code == 0);
  const std::string arrays = fmt::format("attention --q {0} --k {0} --v {0} --digits 12", x);
  const nlohmann::json r = run_json(arrays + " --causal top-left --d-out " + x);
  REQUIRE(r["heads"].size() == 1);
  CHECK(r["heads"][0]["lse"].size() == 8);
  CHECK(r["heads"][0]["self_weight"][0]["value"] == "1");  // the first row sees itself alone
  for (const char* gradient : {"dq", "dk", "dv"}) CHECK(r[gradient].size() == 1);
  const Run text = program(arrays + " --quantities lse");
  CHECK(text.code == 0);
  CHECK(text.out.find("lse[0][7]") != std::string::npos);
  CHECK(program(arrays + " --format csv").code == 0);
  const Run refused = program(fmt::format("attention --q {} --k {}/none.npy --v {}", x, folder, x));
  CHECK(refused.code == 2);
  CHECK(refused.err == fmt::format("critscale: {}/none.npy: no such file\n", folder));
}

}  // namespace critscale::test
