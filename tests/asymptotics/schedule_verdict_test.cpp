// Schedules against thresholds: phases, crossings, limits.
#include <catch2/catch.hpp>

#include "critscale/asymptotics/schedule_verdict.hpp"
#include "schedules/names.hpp"

using namespace critscale;

namespace {

using namespace schedule_name;

Schedule make(std::string_view kind, const Rational& logit_scale = 1) {
  Schedule s;
  s.law = &schedule_by_name(kind);
  s.train_length = PowerProduct(8192);
  s.dimension = 64;
  s.logit_scale = logit_scale;
  return s;
}

/// The sign of gamma_eff - t at an integer n, evaluated without any of the crossing code.
int sign(const Schedule& s, const Integer& n, const Rational& t) {
  const Ball v = beta(s, PowerProduct(n), Lift<Ball>(128)) / log(Ball(n, 128)) - Ball(t, 128);
  return certainly(v.is_positive()) ? 1 : certainly(v.is_negative()) ? -1 : 0;
}

Integer floor_of(const Ball& x) {
  return numerator(x.lower().to_rational()) / denominator(x.lower().to_rational());
}

/// Sign changes of gamma_eff - t over the integers 2..last.
long changes(const Schedule& s, const Rational& t, long last) {
  long r = 0;
  int before = 0;
  for (long n = 2; n <= last; ++n) {
    const int now = sign(s, n, t);
    if (before != 0 && now != before) ++r;
    before = now;
  }
  return r;
}

const Rational gamma_c(3, 2);

}  // namespace

TEST_CASE("each crossing separates its two integers, and the integers show no other") {
  struct Case {
    Schedule s;
    Rational t;
    long expected;
  };
  Schedule biased = make(ssmax);
  biased.coefficient = 1;
  biased.offset = 3;
  Schedule valley = make(power_of_log);  // x + 4/x: falls to 4 at x = 2, then rises.
  valley.power = 2;
  valley.offset = 4;
  Schedule hill = make(power_of_log);  // (x^(1/2) - 1)/x: rises to 1/4 at x = 4, then falls.
  hill.power = Rational(1, 2);
  hill.offset = -1;
  for (const Case& c :
       {Case{make(constant, 8), gamma_c, 1}, Case{make(constant, 1), gamma_c, 0},
        Case{make(log_n, 9), gamma_c, 1}, Case{make(log_n, 10), gamma_c, 0},
        Case{make(qwen_log_n, 8), gamma_c, 1}, Case{make(qwen_log_n, 20), gamma_c, 0},
        Case{biased, gamma_c, 1}, Case{make(yarn, 12), Rational(7, 5), 2},
        Case{make(yarn, 12), Rational(5, 4), 0}, Case{make(longrope, 13), gamma_c, 1},
        Case{make(infoscale, 4), gamma_c, 1}, Case{make(gaussian), Rational(1), 1},
        Case{valley, Rational(9, 2), 2}, Case{hill, Rational(1, 5), 2}, Case{hill, Rational(3, 10), 0}}) {
    INFO(name(c.s) << " scale " << c.s.logit_scale << " t " << c.t);
    const Crossings r = crossings(c.s, c.t, 30);
    CHECK(r.points.size() == static_cast<std::size_t>(c.expected));
    CHECK(!r.reason.empty());
    for (const Crossing& x : r.points) {
      const Integer n = floor_of(x.n);
      CHECK(sign(c.s, n, c.t) == (x.upward ? -1 : 1));
      CHECK(sign(c.s, n + 1, c.t) == (x.upward ? 1 : -1));
      CHECK(x.n.accurate_bits() > 100);
    }
    const bool within = r.points.empty() || certainly(less(r.points.back().n, Ball(30000)));
    if (within) CHECK(changes(c.s, c.t, 30000) == c.expected);
  }
}

TEST_CASE("llama4 crosses down on each of several consecutive steps, and up between them") {
  Schedule s = make(llama4, 10);
  s.train_length = PowerProduct(64);
  s.rate = Rational(1, 5);
  const Rational t(12, 5);
  const Crossings r = crossings(s, t, 30);
  REQUIRE(r.count >= 1);
  const Integer last = floor_of(r.points.back().n);
  CHECK(sign(s, last, t) == 1);
  CHECK(changes(s, t, static_cast<long>(last) + 1000) == static_cast<long>(r.count));
  REQUIRE(r.points.size() == 4);
  for (const Crossing& x : r.points)
    if (x.upward) {
      const Integer n = floor_of(x.n);
      CHECK(n % 64 == 0);
      CHECK(sign(s, n - 1, t) == -1);
      CHECK(sign(s, n, t) == 1);
    }
  // Scale 13 at the threshold 3/2: below at 8191, above at 8192.
  const Crossings jump = crossings(make(llama4, 13), gamma_c, 30);
  REQUIRE(jump.points.size() == 3);
  CHECK(jump.count == 3);
  CHECK(jump.points[1].upward);
  CHECK(jump.points[1].n.contains(Rational(8192)));
  // Without end above: the limit rate * scale is approached from above.
  CHECK(crossings(s, Rational(2), 30).count == 0);
  CHECK(crossings(make(llama4, 15), gamma_c, 30).count == 0);
  CHECK(crossings(make(llama4, Rational(1, 2)), gamma_c, 30).count == 0);
}

TEST_CASE("a closed form: constant multiplier C crosses at exp(C/t)") {
  const Crossings r = crossings(make(constant, 30), gamma_c, 40);
  REQUIRE(r.points.size() == 1);
  CHECK(overlaps(r.points[0].n, exp(Ball(20, 256))));
  CHECK(!r.points[0].upward);
}

TEST_CASE("phases at finite n and in the limit") {
  const std::vector<Rational> one{gamma_c}, two{Rational(5, 6), Rational(5, 2)};
  Schedule s = make(ssmax);
  s.coefficient = gamma_c;
  CHECK(phase_at(s, PowerProduct(1000), one) == Phase::critical);
  CHECK(phase_at(s, PowerProduct(1000), two) == Phase::intermediate);
  CHECK(limit_verdict(s, one).phase == Phase::critical);
  CHECK(*limit_verdict(s, one).threshold == gamma_c);
  CHECK(limit_verdict(s, two).phase == Phase::intermediate);
  s.offset = 1;
  CHECK(phase_at(s, PowerProduct(1000), one) == Phase::supercritical);
  CHECK(limit_verdict(s, one).phase == Phase::critical);
  CHECK(limit_verdict(make(constant, 1000), one).phase == Phase::subcritical);
  CHECK(phase_at(make(constant, 1000), PowerProduct(1000), one) == Phase::supercritical);
  CHECK(limit_verdict(make(yarn), one).phase == Phase::supercritical);
  CHECK(limit_verdict(make(llama4, 15), one).phase == Phase::critical);
  CHECK(limit_verdict(make(llama4, 16), one).phase == Phase::supercritical);
  CHECK(limit_verdict(make(log_n), one).phase == Phase::subcritical);
  // beta = gamma_c ln n + b at huge n has self weight near 1/(1 + exp(-delta b)).
  const Ball limit = window_self_weight(Rational(2, 3), Ball(1, 128));
  const PowerProduct n = PowerProduct::power(10, 60);
  const Ball w = (value(n, 400) - 1) * exp(-(Ball(Rational(2, 3), 400) * beta(s, n, Lift<Ball>(400))));
  CHECK(certainly(less(abs(1 / (1 + w) - limit), Ball(Rational(Integer(1), pow(Integer(10), 30)), 128))));
}
