// Claims outside the domain of their formulas: each is refused for the reason that it has, though statement
// and digest fit.
#include <catch2/catch.hpp>
#include <functional>

#include "critscale/checker/verify.hpp"
#include "proof/case_claims.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

struct Edit {
  const char *path, *value;  ///< a JSON pointer into the claim, and JSON
  const char* reason;
};

void check_refused(const json& certificate, const std::vector<Edit>& edits) {
  REQUIRE(checker::verify(certificate.dump()).accepted);
  for (const Edit& e : edits) {
    json c = certificate;
    c["claim"][json::json_pointer(e.path)] = json::parse(e.value);
    if (std::string(e.path) == "/inputs/beta") c["claim"]["inputs"].erase("gamma");
    const checker::Verdict v = checker::verify(forged(c).dump());
    INFO(e.path << " = " << e.value << ": " << v.reason << v.statement);
    CHECK_FALSE(v.accepted);
    CHECK(v.reason.find(e.reason) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("values outside the domain are refused by the checker") {
  check_refused(
      certificate_of(
          "id = 'v'\nkind = 'value'\nrho = '1/3'\ngamma = '1'\nn = '10^6'\nquantities = 'self_weight'\n"),
      {{"/inputs/beta", R"("log n - 20")", "beta may be negative"},
       {"/inputs/beta", R"("2*log n - 28")", "beta may be negative"},
       {"/inputs/gamma", R"("-1")", "alpha, gamma >= 0 and q > 0"},
       {"/inputs/alpha", R"("-1/2")", "alpha, gamma >= 0 and q > 0"},
       {"/inputs/q", R"("0")", "alpha, gamma >= 0 and q > 0"},
       {"/inputs/rho", R"("-1/3")", "inner products must fall"},
       {"/inputs/rho", R"("4/3")", "inner products must fall"},
       {"/inputs/d", R"("999999")", "rank of the Gram matrix"},
       {"/inputs/d", R"("2000001/2")", "d is not an integer"},
       {"/inputs/n", R"("10^5")", "self_weight is not in"},
       {"/inputs/n", R"("1")", ""},
       {"/inputs/n", R"("1000001/2")", ""},
       {"/inputs/analytic", R"("false")", "analytic"},
       {"/inputs/geometry", R"("cone")", "geometry"},
       {"/quantity", R"("band_masses[1]")", "names no band"},
       {"/quantity", R"("band_masses")", "names no band"},
       {"/quantity", R"("self_weight[0]")", "names no band"},
       {"/quantity", R"("value")", "does not exist"},
       {"/lo", R"("2")", "not in"},
       {"/hi", R"("-2")", "not in"}});
  check_refused(certificate_of(
                    "id = 'v'\nkind = 'value'\nband = [{ r = '4/5', size = '10^3' }, { r = '1/5', size = 'n' "
                    "}]\ngamma = '1'\nn = '10^6'\nquantities = 'entropy'\n"),
                {{"/inputs/band[0].r", R"("1/6")", "inner products must fall"},
                 {"/inputs/band[1].r", R"("-1/5")", "inner products must fall"},
                 {"/inputs/band[0].size", R"("10^7")", "sizes must increase"},
                 {"/inputs/band[0].size", R"("1")", "sizes must increase"},
                 {"/inputs/band[0].size", R"("999")", "divide each other"},
                 {"/inputs/band[1].size", R"("2*10^6")", "the last band does not have n members"},
                 {"/inputs/n", R"("10^7")", "the last band does not have n members"},
                 {"/inputs/rho", R"("1/5")", "unknown member"},
                 {"/inputs/d", R"("10^5")", "rank of the Gram matrix"}});
  // Exact copies count once in the rank, which is here 500.
  check_refused(
      certificate_of("id = 'v'\nkind = 'value'\nband = [{ r = '1', size = '2' }, { r = '1/5', size = 'n' "
                     "}]\ngamma = '1'\nn = '1000'\nd = '500'\nquantities = 'entropy'\n"),
      {{"/inputs/d", R"("499")", "rank of the Gram matrix"}});
}

TEST_CASE("tail claims outside the domain are refused by the checker") {
  check_refused(certificate_of("id = 't'\ntheorem = '2.1'\nquantity = 'angle_ratio'\nrho = '1/3'\n"
                               "gamma_ratio = '1/2'\nalpha = '1'\nN = '1000'\n"),
                {{"/N", R"("1")", "N is below 2"},
                 {"/N", R"("-1000")", "N is below 2"},
                 {"/box/rho", R"(["-1/10", "1/3"])", "rho is not inside [0, 1]"},
                 {"/box/rho", R"(["1/3", "11/10"])", "rho is not inside [0, 1]"},
                 {"/box/gamma_ratio", R"(["1/2", "11/10"])", "gamma_ratio is not in the phase"},
                 {"/box/gamma_ratio", R"(["-1/2", "1/2"])", "gamma_ratio is negative"},
                 {"/box/alpha", R"(["-1", "1"])", "alpha must be >= 0"},
                 {"/box/q", R"(["-1", "1"])", "q > 0"},
                 {"/phase", R"("critical")", "limit"},
                 {"/phase", R"("near")", "does not speak"},
                 {"/phase", R"("")", "does not speak"},
                 {"/geometry", R"("bands")", "does not speak"},
                 {"/geometry", R"("cone")", "does not speak"},
                 {"/quantity", R"("inner_products[1]")", "does not speak"},
                 {"/quantity", R"("inner_products")", "does not speak"},
                 {"/quantity", R"("band_masses[00]")", "NAME[INT]"},
                 {"/limit", R"("1")", "the limit of angle_ratio is"}});
  check_refused(certificate_of("id = 't'\ntheorem = '2.1'\nquantity = 'angle_ratio'\nrho = '1/3'\n"
                               "gamma_ratio = '3/2'\nalpha = '1'\nN = '1000'\n"),
                {{"/box/gamma_ratio", R"(["9/10", "3/2"])", "gamma_ratio is not in the phase"}});
  check_refused(certificate_of("id = 't'\ntheorem = '2.1'\nquantity = 'angle_ratio'\nrho = '1/3'\n"
                               "gamma_ratio = '1'\nalpha = '1'\nN = '1000'\n"),
                {{"/box/gamma_ratio", R"(["1", "11/10"])", "gamma_ratio is not in the phase"},
                 {"/box/gamma_ratio", R"(["9/10", "1"])", "gamma_ratio is not in the phase"}});
  check_refused(
      certificate_of("id = 't'\ntheorem = 'C.2'\nphase = 'near'\nquantity = 'self_weight'\ntheta = '1/2'\n"
                     "r = '9/10'\nrho = '1/5'\ngap = { box = ['1/10', '40'] }\nN = '1000'\n"),
      {{"/k", R"("7^-1000000")", "more than 2048 bits"},
       // No near phase, or none with such gaps.
       {"/box/theta", R"(["1/20", "1/20"])", "no gamma has these gaps"},
       {"/box/gap", R"(["1/100", "1/50"])", "no point of the claim"},
       {"/box/gap", R"(["0", "40"])", "a positive gap"},
       {"/box/gap", R"(["-1", "40"])", "a positive gap"},
       {"/box/gap", R"(["3/4", "40"])", "no gamma has these gaps"},
       {"/box/theta", R"(["0", "1/2"])", "0 < theta < 1"},
       {"/box/theta", R"(["1/2", "1"])", "0 < theta < 1"},
       {"/box/r", R"(["1/5", "9/10"])", "0 < rho < r"},
       {"/box/r", R"(["9/10", "11/10"])", "r is not below 1"},
       {"/box/rho", R"(["0", "1/5"])", "0 < rho < r"},
       {"/N", R"("1")", "N is below 2"}});
}

TEST_CASE("boundaries and classes outside the domain are refused by the checker") {
  check_refused(
      certificate_of("id = 'b'\ntheorem = 'boundary'\nrho = '1/3'\nmu = '1/10'\nN = '1000'\nn = ['1000']\n"),
      {{"/rho", R"("1")", "0 < rho < 1"},
       {"/mu", R"("0")", "0 < mu < 1"},
       {"/mu", R"("1")", "0 < mu < 1"},
       {"/N", R"("1")", "N >= 2"},
       {"/N", R"("1001")", "a transition lies below N"},
       {"/k", R"("2")", "k is 1"},
       {"/thresholds", R"(["1"])", "the threshold is 3/2"},
       {"/C", R"("1/2")", "C is too small"},
       {"/transitions/0/n", R"("999")", "a transition lies below N"},
       {"/transitions/0/lo", R"("3/2")", "is not in"},
       {"/geometry", R"("bands")", "is missing"}});
  check_refused(
      certificate_of(
          "id = 'b'\ntheorem = 'boundary'\nrho = '1/5'\nr = '9/10'\ntheta = '2/5'\nmu = '1/10'\nN = '1000'\n"
          "n = ['1000']\n"),
      {{"/between", R"("far-self")", "a boundary lies between"},
       {"/theta", R"("1/10")", "a near phase"},
       {"/r", R"("1/5")", "a near phase"},
       {"/r", R"("1")", "0 < rho < r < 1"},
       {"/theta", R"("1")", "0 < theta < 1"}});
  check_refused(
      certificate_of("id = 'c'\ntheorem = '2.3'\nrho1 = '1/5'\nspread = '1/5'\nq = '1'\nalpha = '1'\n"
                     "gamma_ratio1 = '1/2'\nN = '1000'\n"),
      {{"/class/box/rho1", R"(["0", "1/5"])", "0 < rho1"},
       {"/class/box/rho1", R"(["1/5", "4/5"])", "rho2 < 1"},
       {"/class/box/spread", R"(["-1/5", "1/5"])", "rho1 <= rho2"},
       {"/class/box/alpha", R"(["-1", "1"])", "alpha >= 0"},
       {"/class/box/q", R"(["0", "1"])", "q1 > 0"},
       {"/class/box/gamma*(1-rho1)", R"(["1/2", "1"])", "one side of its threshold"},
       {"/class/box/gamma*(1-rho1)", R"(["-1/2", "1/2"])", "one side of its threshold"},
       {"/N", R"("1")", "N is below 2"},
       {"/relation", R"("<=")", "does not speak"},
       {"/class/name", R"("interval-bands")", "phase is missing"}});
  check_refused(
      certificate_of("id = 'c'\ntheorem = '2.5'\nrho1 = '1/5'\nspread = '1/5'\nq = '1'\nalpha = '0'\n"
                     "gamma_ratio2 = '3/2'\nN = '1000'\nquantity = 'jacobian_norm/(1-1/d)'\n"),
      {{"/class/box/alpha", R"(["0", "1"])", "alpha = 0"},
       {"/class/box/gamma*(1-rho2)", R"(["1", "3/2"])", "one side of its threshold"}});
  check_refused(
      certificate_of("id = 'c'\ntheorem = 'C.2'\nclass = 'interval-bands'\nphase = 'near'\ntheta = '1/2'\n"
                     "gap = '1/2'\nN = '1000'\n"),
      {{"/class/box/theta", R"(["0", "1/2"])", "0 < theta < 1"},
       {"/class/box/theta", R"(["1/2", "1"])", "0 < theta < 1"},
       {"/class/box/gap", R"(["0", "1/2"])", "positive gaps"},
       {"/class/phase", R"("far")", "another band dominates"},
       {"/N", R"("1")", "N is below 2"}});
  check_refused(certificate_of("id = 'c'\ntheorem = 'C.2'\nclass = 'nested-bands'\nphase = 'band[1]'\n"
                               "theta = ['1/4', '1/2']\ngap = '1/5'\nN = '1000'\n"),
                {{"/class/box/theta[0]", R"(["1/4", "1/2"])", "rising from band to band"},
                 {"/class/box/theta[1]", R"(["1/2", "1"])", "0 < theta < 1"},
                 {"/class/box/gap", R"(["0", "1/2"])", "positive gaps"},
                 {"/class/box/gap", R"(["1/4", "1/2"])", "the smallest exponent gap"},
                 {"/class/box/theta[3]", R"(["3/4", "3/4"])", "theta[2] is missing"},
                 {"/class/phase", R"("band[3]")", "no such band"},
                 {"/class/phase", R"("near")", "no such band"},
                 {"/quantity", R"("near_mass")", "does not speak"},
                 {"/relation", R"("<=")", "does not speak"}});
  check_refused(
      certificate_of("id = 'c'\ntheorem = '2.5'\nrho1 = '1/5'\nspread = '1/5'\ngamma_ratio1 = '1/2'\n"
                     "tokens_per_dimension = '2'\nN = '1000'\n"),
      {{"/class/box/n~1d", R"(["0", "1/2"])", "at least 1"},
       {"/class/box/n~1d", R"(["1", "2"])", "at least 1"}});
}
