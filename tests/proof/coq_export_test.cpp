// Claims as files for Coq: what is stated, and what is refused by name rather than stated in a weaker form.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "critscale/proof/detail/coq_export.hpp"

using namespace critscale;

namespace {

nlohmann::json tail_claim() {
  return {{"geometry", "simplex"},
          {"phase", "subcritical"},
          {"quantity", "self_weight"},
          {"limit", "0"},
          {"k", "1-gamma*(1-rho)"},
          {"p", 0},
          {"C", "3/2"},
          {"N", "1000"},
          {"box",
           {{"rho", {"1/10", "9/10"}},
            {"gamma_ratio", {"1/10", "9/10"}},
            {"alpha", {"0", "0"}},
            {"q", {"1", "1"}}}}};
}

nlohmann::json class_claim() {
  return {{"class",
           {{"name", "interval-bands"},
            {"phase", "near"},
            {"box", {{"theta", {"1/4", "3/4"}}, {"gap", {"1/10", "40"}}}}}},
          {"quantity", "near_mass-1"},
          {"relation", ">="},
          {"bound", "-9"},
          {"k", "gap"},
          {"p", 0},
          {"N", "2"}};
}

coq::File exported(const std::string& kind, const nlohmann::json& claim) {
  return coq::export_claim({"a-claim", kind, "", "", claim}, {});
}

}  // namespace

TEST_CASE("files for Coq state the claim's rate and refuse by name what has no theorem", "[coq]") {
  const coq::File tail = exported("tail", tail_claim());
  CHECK(tail.missing.empty());
  CHECK(tail.text.find("<= (3 / 2) * Rpower (INR n) (- (1 - gamma * (1 - rho)))") != std::string::npos);

  nlohmann::json claim = tail_claim();
  claim["factor"] = "1/rho";
  CHECK(exported("tail", claim).text.empty());
  CHECK(exported("tail", claim).missing == "claims with a factor are not exported");
  claim = tail_claim();
  claim["box"]["alpha"] = {"0", "infinity"};
  CHECK(exported("tail", claim).text.empty());
  CHECK(exported("tail", claim).missing == "alpha has no upper end; such claims are not exported");
  claim = tail_claim();
  claim["k"] = "1/100";
  CHECK(exported("tail", claim).text.empty());
}

TEST_CASE("class claims for Coq keep their rate", "[coq]") {
  const coq::File file = exported("class", class_claim());
  CHECK(file.missing.empty());
  CHECK(file.text.find(
            "(- 9) * Rpower (INR n) (- ((Rmin (gamma * (l_near - u_far) - (1 - theta)) (theta - gamma "
            "* (1 - l_near))))) <= mass d n") != std::string::npos);
  CHECK(file.text.find("near_keys L t <= 9") != std::string::npos);

  nlohmann::json claim = class_claim();
  claim["k"] = "1/10";
  CHECK(exported("class", claim).missing == "k is 1/10, the Coq library has gap");
  claim = class_claim();
  claim["p"] = 1;
  CHECK(exported("class", claim).missing == "class claims with a power of ln n are not exported");
  claim = class_claim();
  claim["class"]["phase"] = "far";
  CHECK(exported("class", claim).text.empty());
}
