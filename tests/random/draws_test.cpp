// Drawn rows beside the certified expectations: 30 cases on both sides of both lines. The default run draws a
// few rows of each; "[.long]" draws 10^5.
#include <catch2/catch.hpp>

#include <cmath>
#include <tuple>

#include "critscale/random/detail/functions.hpp"
#include "critscale/random/draws.hpp"
#include "critscale/random/key_sets.hpp"
#include "random/support.hpp"

namespace critscale::random {

namespace {

struct Case {
  Keys keys;
  const char *n, *beta;
};

std::vector<Case> cases() {
  std::vector<Case> r;
  // (m, n, g below and above both lines), aligned and not.
  for (const auto& [m, n] : std::vector<std::pair<const char*, const char*>>{
           {"2", "10"}, {"3", "100"}, {"5", "300"}, {"12", "1000"}, {"50", "300"}, {"200", "1000"}})
    for (const char* beta : {"1/2*log n", "3/2*log n", "6*log n"}) r.push_back({sphere(m), n, beta});
  for (const auto& [m, n] :
       std::vector<std::pair<const char*, const char*>>{{"3", "30"}, {"12", "300"}, {"40", "1000"}})
    for (const char* beta : {"2*log n", "9*log n"}) r.push_back({sphere(m, false), n, beta});
  for (const char* beta : {"1/2*(log n)^(1/2)", "(log n)^(1/2)", "2*(log n)^(1/2)", "3*(log n)^(1/2)"})
    r.push_back({gaussian("1", false), "300", beta});
  r.push_back({gaussian("20"), "100", "log n"});
  r.push_back({gaussian("20"), "100", "3*log n"});
  return r;
}

void compare(const std::vector<Case>& all, long rows) {
  std::uint64_t seed = 1;
  for (const Case& c : all) {
    const Row r = row(c.keys, c.n, c.beta);
    INFO((c.keys.law == KeyLaw::sphere ? "sphere" : "Gaussian")
         << ", m = " << to_string(*c.keys.dimension) << ", n = " << c.n << ", beta = " << c.beta
         << ", aligned " << c.keys.aligned << ", seed " << seed);
    const DrawnRows drawn = draw_rows(r, rows, seed++);
    for (const auto& [e, mean] : drawn.means) {
      INFO(name(e));
      const double exact = rough(one(r, e, 60));
      CHECK(std::abs(mean.mean - exact) <= 4 * mean.standard_error + 1e-12 * std::abs(exact));
    }
  }
}

}  // namespace

TEST_CASE("random draws: certified expectations lie within four standard errors, few rows") {
  REQUIRE(cases().size() == 30);
  compare(cases(), 1000);
}

TEST_CASE("random draws: 10^5 rows of each case", "[.long]") { compare(cases(), 100000); }

TEST_CASE("random draws: 10^5 rows among 10^4 and 10^5 keys", "[.long]") {
  // g_self and g_cond: 2.97 and 8.24 at m = 8, n = 10^4; 206 and 561 at m = 3, n = 10^5.
  compare({{sphere("8", false), "10^4", "14*log n"}, {sphere("3"), "10^5", "250*log n"}}, 100000);
}

TEST_CASE("random draws: the rows of whole sets, certified, agree with the expectations") {
  for (const auto& [m, n, beta] : std::vector<std::tuple<const char*, const char*, const char*>>{
           {"3", "40", "6"}, {"12", "200", "7"}, {"50", "100", "2"}}) {
    Row r = row(sphere(m), n, beta);
    r.keys.rho = Rational(1, 3);
    const DrawnRows drawn = draw_sets(r, 60, 5);
    for (const auto& [e, mean] : drawn.means) {
      INFO("m = " << m << ", " << name(e));
      CHECK(mean.standard_error > 0);
      CHECK(std::abs(mean.mean - rough(one(r, e, 60))) <= 4 * mean.standard_error);
    }
  }
  CHECK_THROWS_WITH(draw_sets(row(sphere("5/2"), "10", "1"), 10, 1), Catch::Contains("whole dimension"));
}

TEST_CASE("random draws: the same seed gives the same rows, another gives others") {
  const Row r = row(sphere("5"), "20", "4");
  const auto a = draw_rows(r, 50, 7), b = draw_rows(r, 50, 7), c = draw_rows(r, 50, 8);
  CHECK(a.means[0].second.mean == b.means[0].second.mean);
  CHECK(a.means[0].second.mean != c.means[0].second.mean);
}

}  // namespace critscale::random
