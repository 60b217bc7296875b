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

namespace {

nlohmann::json band_claim(const std::string& phase, const std::string& quantity, const std::string& k,
                          const std::string& limit) {
  return {{"geometry", "bands"},
          {"phase", phase},
          {"quantity", quantity},
          {"limit", limit},
          {"k", k},
          {"p", 0},
          {"C", "5"},
          {"N", "1000"},
          {"box",
           {{"theta", {"1/4", "3/4"}},
            {"r", {"7/10", "19/20"}},
            {"rho", {"1/10", "1/2"}},
            {"gap", {"1/10", "40"}},
            {"alpha", {"0", "0"}},
            {"q", {"1", "1"}}}}};
}

nlohmann::json tie_claim(const std::string& quantity, const std::string& limit) {
  nlohmann::json claim = band_claim("near-self", quantity, "1/10", limit);
  claim["box"]["theta"] = {"1/2", "1/2"};
  claim["box"]["r"] = {"4/5", "4/5"};
  claim["box"]["rho"] = {"1/5", "1/5"};
  claim["box"]["alpha"] = {"0", "2"};
  return claim;
}

}  // namespace

TEST_CASE("inner products of three bands for Coq keep their rate and need alpha = 0", "[coq]") {
  const std::string rate = "min(1-theta-gamma*(r-rho),1-gamma*(1-rho))";
  nlohmann::json claim =
      band_claim("far", "inner_products[1]", rate, "rho*(1+alpha)^2/(alpha^2+2*alpha*rho+rho)");
  const coq::File file = exported("tail", claim);
  CHECK(file.missing.empty());
  CHECK(file.text.find(
            "three_bands d n K q r rho x -> (i < n)%nat -> (j < n)%nat -> (i / K <> j / K)%nat ->") !=
        std::string::npos);
  CHECK(file.text.find(
            "5 * Rpower (INR n) (- (Rmin (1 - theta - gamma * (r - rho)) (1 - gamma * (1 - rho))))") !=
        std::string::npos);
  // 1000^(-1/10), from above
  CHECK(file.text.find("0 <= p <= (50119 / 100000) ->") != std::string::npos);

  claim["box"]["alpha"] = {"0", "2"};
  CHECK(exported("tail", claim).missing == "inner products of bands are exported without a residual");
  claim = band_claim("near", "angle_ratio", "min(gamma*(r-rho)-1+theta,theta-gamma*(1-r))", "1");
  CHECK(exported("tail", claim).missing ==
        "k is min(gamma*(r-rho)-1+theta,theta-gamma*(1-r)), the Coq library has "
        "min(gamma*(r-rho)-1+theta,theta-gamma*(1-r),1-theta)");
}

TEST_CASE("the Jacobian norm of bands within a phase for Coq has its rate and no residual", "[coq]") {
  const std::string rate = "min(1-theta-gamma*(r-rho),1-gamma*(1-rho))";
  nlohmann::json claim = band_claim("far", "jacobian_norm", rate, "alpha^2");
  const coq::File file = exported("tail", claim);
  CHECK(file.missing.empty());
  CHECK(file.text.find("(n <= d)%nat") != std::string::npos);
  CHECK(file.text.find("0 <= p <= (50119 / 100000) ->") != std::string::npos);
  claim["k"] = "1/10";
  CHECK(exported("tail", claim).missing == "k is 1/10, the Coq library has " + rate);
  claim = band_claim("far", "jacobian_norm", rate, "alpha^2");
  claim["box"]["alpha"] = {"0", "2"};
  CHECK(exported("tail", claim).missing ==
        "the Jacobian norm of bands within a phase is exported without a residual");
  claim = band_claim("self", "jacobian_norm", "1/5", "alpha^2+(1/q+2*alpha/sqrt(q))*(1-1/d)");
  CHECK(exported("tail", claim).missing == "k is 1/5, the Coq library has the least gap of the box");
}

TEST_CASE("outputs and Jacobian norm where two bands tie for Coq have the residual's whole range", "[coq]") {
  const coq::File angle = exported("tail", tie_claim("angle_ratio", "alpha"));
  CHECK(angle.missing.empty());
  CHECK(angle.text.find("0 <= alpha <= 2 -> 1 <= q <= 1 -> r = (4 / 5) -> rho = (1 / 5)") !=
        std::string::npos);
  const coq::File jacobian = exported("tail", tie_claim("jacobian_norm", "alpha^2+(1/(4*q))*(1-1/d)"));
  CHECK(jacobian.missing.empty());
  CHECK(jacobian.text.find("(n <= d)%nat -> \n  Rabs (jacobian_norm d n (gamma * ln (INR n)) alpha x - (") !=
        std::string::npos);
  // (ln n)^2 n^(-9/10) only falls from n = e^(2/(9/10)) on
  nlohmann::json small = tie_claim("jacobian_norm", "alpha^2");
  small["N"] = "9";
  CHECK(exported("tail", small).missing == "N is too small for the Coq library's bound of (ln n)^2/n");
}
