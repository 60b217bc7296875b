// The phase lines: known values, their inverses, series and order.
#include <catch2/catch.hpp>

#include "critscale/random/detail/functions.hpp"
#include "critscale/random/phases.hpp"
#include "critscale/random/transitions.hpp"
#include "random/support.hpp"

namespace critscale::random {

namespace {

Parameter exactly(const Rational& x) {
  return [x](Bits bits) { return Ball(x, bits); };
}

/// A partial sum of a series with what its last term leaves open.
Ball sum(const std::vector<Rational>& a, const Ball& x) {
  Ball s(0, x.precision()), power(1, x.precision());
  for (const Rational& c : a) {
    s += Ball(c, x.precision()) * power;
    power *= x;
  }
  return s;
}

}  // namespace

TEST_CASE("random phases: the lines have their known values") {
  const auto check = [](const char* kappa, const char* self, const char* condensed) {
    INFO("kappa = " << kappa);
    const Parameter k = exactly(parse_rational(kappa));
    CHECK(agrees(*self_line(KeyLaw::sphere, k, 100), self));
    CHECK(agrees(condensation_line(KeyLaw::sphere, k, 100), condensed));
  };
  check("20", "1.026297622", "6.8185582");
  check("5", "1.123162596", "4.2828619");
  check("2", "1.42654435", "4.3223948");
  check("1", "2.456059371", "6.8708874");
  check("1/2", "9.916984054", "27.04792");
}

TEST_CASE("random phases: the annealed equation at finite n tends to the self line") {
  for (const auto& [log_n, g] : std::vector<std::pair<long, const char*>>{
           {20, "1.430502246"}, {100, "1.42733691"}, {1000, "1.426623623"}}) {
    // E W = 1 at kappa = 2, with ln(n - 1) in place of ln n where n is so large.
    const Bits bits = 120;
    const Ball ln(log_n, bits), m = 2 * ln, b = ln * Ball(parse_rational(g), bits);
    const Ball log_w = log(exp(ln) - 1) + log(sphere_moment(m, b));
    CHECK(certainly(less(abs(log_w), Ball(Rational(log_n, 1000000000), 64))));
  }
}

TEST_CASE("random phases: any digits, at both ends, and inverse to each other") {
  for (const char* kappa : {"1/1000", "1/20", "1", "7/2", "100", "1000000"}) {
    INFO("kappa = " << kappa);
    const Rational k = parse_rational(kappa);
    for (const Bits bits : {60L, 400L}) {
      const Ball g = *self_line(KeyLaw::sphere, exactly(k), bits);
      CHECK(g.accurate_bits() >= bits - 8);
      CHECK(certainly(less(g, condensation_line(KeyLaw::sphere, exactly(k), bits))));
    }
    // kappa(g) at g's own kappa.
    const Parameter g = [&](Bits bits) { return *self_line(KeyLaw::sphere, exactly(k), bits + 64); };
    if (k <= 100 && k >= Rational(1, 20)) {
      const auto back = kappa_on_self_line(
          KeyLaw::sphere, [&](Bits b) { return g(b).center(); }, 100);
      REQUIRE(back);
      CHECK(certainly(less(abs(*back - Ball(k, 200)), Ball(k, 64) * scaled(Ball(1, 64), Integer(-60)))));
    }
  }
  CHECK(!kappa_on_self_line(KeyLaw::sphere, exactly(1), 64));
  const std::vector<Ball> both = kappas_on_condensation_line(KeyLaw::sphere, exactly(5), 100);
  REQUIRE(both.size() == 2);
  for (const Ball& kappa : both)
    CHECK(overlaps(condensation_line(
                       KeyLaw::sphere, [&](Bits) { return kappa; }, 80),
                   Ball(5, 64)));
  CHECK(kappas_on_condensation_line(KeyLaw::sphere, exactly(4), 100).empty());
}

TEST_CASE("random phases: the series at both ends") {
  const std::vector<Rational> far = self_line_at_infinity(4);
  CHECK(far[0] == 1);
  CHECK(far[1] == Rational(1, 2));
  const std::vector<Rational> condensed = condensation_line_at_infinity(3);
  CHECK(condensed[0] == 1);
  CHECK(condensed[1] == Rational(3, 2));
  CHECK(self_line_at_zero(2)[0] == 1);
  CHECK(condensation_line_at_zero(2)[1] == Rational(-1, 2));
  // The error of k terms falls like the next power.
  for (const long terms : {3L, 6L, 9L}) {
    const Bits bits = 300;
    const Ball kappa(1000, bits), x = 1 / kappa;
    const Parameter at = exactly(1000);
    const Ball error = abs(sum(self_line_at_infinity(static_cast<std::size_t>(terms)), x) -
                           *self_line(KeyLaw::sphere, at, bits));
    CHECK(certainly(less(error, 1000 * pow(x, Integer(terms)))));
    const Ball other =
        abs(sqrt(2 * kappa) * sum(condensation_line_at_infinity(static_cast<std::size_t>(terms)), x) -
            condensation_line(KeyLaw::sphere, at, bits));
    CHECK(certainly(less(other, 1000 * pow(x, Integer(terms)))));
    const Parameter tenth = exactly(Rational(1, 10));
    const Ball k = Ball(Rational(1, 10), bits), X = exp(1 - 2 / k), Y = exp(-(2 / k));
    const Ball near = abs(k / X * sum(self_line_at_zero(static_cast<std::size_t>(terms)), X) -
                          *self_line(KeyLaw::sphere, tenth, bits));
    CHECK(certainly(less(near, 1000 * k / X * pow(X, Integer(terms)))));
    const Ball last = abs(k / Y * sum(condensation_line_at_zero(static_cast<std::size_t>(terms)), Y) -
                          condensation_line(KeyLaw::sphere, tenth, bits));
    CHECK(certainly(less(last, 1000 * k / Y * pow(Y, Integer(terms)))));
  }
}

TEST_CASE("random phases: phases beside the lines") {
  const Parameter two = exactly(2);
  CHECK(phase_at(KeyLaw::sphere, true, two, exactly(parse_rational("1.4265"))) == RandomPhase::spread);
  CHECK(phase_at(KeyLaw::sphere, true, two, exactly(parse_rational("1.4266"))) == RandomPhase::self);
  CHECK(phase_at(KeyLaw::sphere, false, two, exactly(parse_rational("4.3223"))) == RandomPhase::spread);
  CHECK(phase_at(KeyLaw::sphere, false, two, exactly(parse_rational("4.3225"))) == RandomPhase::condensed);
  CHECK(phase_at(KeyLaw::gaussian, true, exactly(1), exactly(2)) == RandomPhase::condensed);
  CHECK(!self_line(KeyLaw::gaussian, exactly(1), 64));
  CHECK(agrees(*self_line(KeyLaw::gaussian, exactly(8), 100), "1.07179677"));
}

TEST_CASE("random transitions: certified roots") {
  const Keys keys = sphere("12");
  const PowerProduct n(2000);
  const Ball g = self_transition(keys, n, 15), annealed = annealed_transition(keys, n, 15);
  for (const Ball& x : {g, annealed}) CHECK(has_digits(x, 15));
  const auto b = [&](const Ball& at) { return [&, at](Bits bits) { return at.center() * log(n, bits); }; };
  const Ball half(Rational(1, 2), 64);
  const auto self_at = [&](const Ball& at) {
    return expectations_at(keys, n, b(at), {Expectation::self_weight}, 90)[0];
  };
  const Ball nudge(Rational(1, 1000000000000), 64);
  CHECK(certainly(less(self_at(g - nudge), half)));
  CHECK(certainly(greater(self_at(g + nudge), half)));
  CHECK(certainly(
      greater(expectations_at(keys, n, b(annealed - nudge), {Expectation::annealed_log_others}, 90)[0],
              Ball(0, 64))));
  CHECK(
      certainly(less(expectations_at(keys, n, b(annealed + nudge), {Expectation::annealed_log_others}, 90)[0],
                     Ball(0, 64))));
  CHECK_THROWS_WITH(self_transition(gaussian("4"), n, 10), Catch::Contains("Gaussian keys may outdo"));
}

}  // namespace critscale::random
