// Limits of rows: against certified values at very large n, and on both sides of every line.
#include <catch2/catch.hpp>

#include "critscale/random/detail/functions.hpp"
#include "critscale/random/limits.hpp"
#include "random/support.hpp"

namespace critscale::random {

namespace {

Keys with_kappa(KeyLaw law, const char* kappa, bool aligned) {
  Keys k;
  k.law = law;
  k.kappa = parse_rational(kappa);
  k.aligned = aligned;
  return k;
}
LogitScale scale(const char* beta) { return logit_scale(parse_beta(beta)); }

double value(const LimitValue& x) { return rough((*x.value)(64)); }

}  // namespace

TEST_CASE("random limits: certified rows approach them") {
  struct Case {
    Keys keys;
    const char* beta;
  };
  const std::vector<Case> cases{{with_kappa(KeyLaw::sphere, "2", true), "6/5*log n"},
                                {with_kappa(KeyLaw::sphere, "2", true), "2*log n"},
                                {with_kappa(KeyLaw::sphere, "5", false), "log n"},
                                {sphere("12"), "3*log n"},
                                {sphere("12", false), "1/2*log n"},
                                {sphere("12"), "2*(log n)^(1/2)"},
                                {gaussian("1", false), "(log n)^(1/2)"}};
  for (Case c : cases) {
    c.keys.rho = Rational(1, 4);
    const RowLimits limits = row_limits(c.keys, scale(c.beta));
    INFO(c.beta << ", " << limits.reason);
    double before[3] = {1e300, 1e300, 1e300};
    std::vector<Expectation> wanted{Expectation::collision, Expectation::log_partition};
    if (limits.self_weight) wanted.push_back(Expectation::self_weight);
    for (const char* n : {"10^20", "10^140", "10^1000"}) {
      const Row r = row(c.keys, n, c.beta);
      const std::vector<Ball> x = expectations(r, wanted, 50);
      const double distance[3] = {
          limits.self_weight ? std::abs(rough(x[2]) - value(*limits.self_weight)) : 0,
          std::abs(rough(x[0]) - value(limits.collision)),
          std::abs(rough(x[1] / log(r.n, 64)) - value(limits.log_partition_over_log_n))};
      for (int i = 0; i < 3; ++i) {
        INFO("quantity " << i << " at n = " << n << ": distance " << distance[i] << ", before " << before[i]);
        CHECK((distance[i] < 0.75 * before[i] || distance[i] < 1e-12));
        before[i] = distance[i];
      }
    }
    CHECK(before[1] < 0.02);
    CHECK(before[2] < 0.1);
  }
}

TEST_CASE("random limits: phases on both sides of every line, and what they rest on") {
  const auto phase = [](const Keys& k, const char* beta) { return row_limits(k, scale(beta)).phase; };
  CHECK(phase(with_kappa(KeyLaw::sphere, "2", true), "14265/10000*log n") == RandomPhase::spread);
  CHECK(phase(with_kappa(KeyLaw::sphere, "2", true), "14266/10000*log n") == RandomPhase::self);
  CHECK(phase(with_kappa(KeyLaw::sphere, "2", false), "43223/10000*log n") == RandomPhase::spread);
  CHECK(phase(with_kappa(KeyLaw::sphere, "2", false), "43225/10000*log n") == RandomPhase::condensed);
  CHECK(phase(with_kappa(KeyLaw::sphere, "2", true), "9*(log n)^(1/2)") == RandomPhase::spread);
  CHECK(phase(with_kappa(KeyLaw::sphere, "2", true), "1/9*(log n)^2") == RandomPhase::self);
  CHECK(phase(with_kappa(KeyLaw::gaussian, "1", true), "1/9*(log n)^2") == RandomPhase::condensed);
  CHECK(phase(sphere("64"), "100*(log n)^3") == RandomPhase::spread);
  CHECK(phase(gaussian("1", false), "14142/10000*(log n)^(1/2)") == RandomPhase::spread);
  CHECK(phase(gaussian("1", false), "14143/10000*(log n)^(1/2)") == RandomPhase::condensed);
  CHECK(phase(gaussian("1", false), "1/100*log n") == RandomPhase::condensed);
  CHECK_THROWS_WITH(row_limits(gaussian("2", false), scale("2*(log n)^(1/2)")), Catch::Contains("lies on"));
  const RowLimits condensed = row_limits(with_kappa(KeyLaw::sphere, "2", false), scale("9*log n"));
  CHECK_FALSE(condensed.collision.theorem);
  CHECK(agrees((*condensed.collision.value)(100), "0.51973390757"));
  CHECK(row_limits(gaussian("1", false), scale("2*(log n)^(1/2)")).collision.theorem);
  LogitScale box = scale("2*log n");
  box.coefficient = {1, 2};
  CHECK_THROWS_WITH(row_limits(sphere("4"), box), Catch::Contains("found a box"));
}

}  // namespace critscale::random
