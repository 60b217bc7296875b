// Logarithms, exponentials, order and decimals of any size as intervals, against Ball and exact numbers.
#include <catch2/catch.hpp>

#include "critscale/number/ball.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/text/detail/interval_sizes.hpp"
#include "critscale/text/parse.hpp"

using namespace critscale;

namespace {

PowerProduct size(const char* text) { return parse_power_product(text); }

/// The interval contains a number that is known much better, and is not much wider than its precision asks.
void check_encloses(const Interval& x, const Ball& known) {
  CHECK(x.contains(known.lower()));
  CHECK(x.contains(known.upper()));
  const Bits p = x.precision();
  const Interval width = Interval::exactly(x.upper(), p) - Interval::exactly(x.lower(), p);
  CHECK(certainly(less_equal(width, abs(x) * pow(Interval(2, p), Integer(8 - p)))));
}

}  // namespace

TEST_CASE("logarithms of sizes are enclosed, of any size") {
  for (const char* n : {"2", "10^6", "10^(10^14)", "3*2^100", "7/3", "10^(-10^15)"})
    for (const Bits p : {64, 128, 1000}) {
      INFO(n << " at " << p);
      const Interval x = log_of(size(n), p);
      CHECK(x.precision() == p);
      check_encloses(x, log(size(n), p + 200));
    }
  CHECK(certainly(equal(log_of(PowerProduct(1), 64), Interval(0, 64))));
}

TEST_CASE("exponentials beyond MPFR's exponents are refused, not rounded to infinity or 0") {
  check_encloses(exp_in_range(Interval(Rational(1, 3), 200)), exp(Ball(Rational(1, 3), 400)));
  const Rational large(Integer(1) << 61);
  for (const Rational& x : {large, Rational(-large)}) {
    const Interval y = exp_in_range(Interval(x, 128));
    CHECK(certainly(y.is_positive()));
    CHECK(y.is_finite());
  }
  for (const Rational& x : {Rational(3 * large), Rational(-3 * large)})
    CHECK_THROWS_AS(exp_in_range(Interval(x, 128)), LimitError);
  CHECK_THROWS_AS(exp_in_range(Interval::hull(0, 3 * large, 128)), LimitError);
}

TEST_CASE("sizes are ordered however close or large they are") {
  CHECK(certainly_less(size("10^(10^14)"), size("10^(100000000000001)")));
  CHECK_FALSE(certainly_less(size("10^(100000000000001)"), size("10^(10^14)")));
  CHECK_FALSE(certainly_less(size("10^100"), size("10^100")));
  // ln(3^53/2^84) is about 0.002;
  CHECK(certainly_less(size("2^84"), size("3^53")));
  CHECK_FALSE(certainly_less(size("3^53"), size("2^84")));
  // 1 + 10^-30 against 1: 100 bits are needed.
  const Rational close = 1 + 1 / parse_rational("10^30");
  CHECK(certainly_less(PowerProduct(1), PowerProduct(close)));
  CHECK_FALSE(certainly_less(PowerProduct(close), PowerProduct(1)));
}

TEST_CASE("decimals of any exponent are enclosed, fractions exactly as they are read") {
  CHECK(parse_interval("1/3", 100).contains(Rational(1, 3)));
  CHECK(certainly(equal(parse_interval("-7/4", 100), Interval(Rational(-7, 4), 100))));
  CHECK(parse_interval("0.1", 100).contains(Rational(1, 10)));
  for (const char* text : {"1.25e-40", "-3e+7", "12e0", "7.5e300"}) {
    INFO(text);
    const Interval x = parse_interval(text, 100);
    CHECK(x.contains(parse_rational(text)));
    CHECK(x.contains(Interval(parse_rational(text), 400)));
  }
  // Far beyond what a fraction could hold.
  const Interval tiny = parse_interval("1e-1000000000000", 128);
  check_encloses(log(tiny), -(Ball(Integer("1000000000000"), 400) * log(Ball(10, 400))));
  for (const char* bad : {"", "1e", "e5", "1e0.5", "1e5e5", "1e--5", "1e+", "1/3e", "one", "1e5 ", " 1e5",
                          "1ef", "1e1000000000000000000000000000000"})
    CHECK_THROWS_AS(parse_interval(bad, 64), InputError);
}
