// Ball: construction, precision, comparison, end points.
#include "critscale/number/ball.hpp"

#include <catch2/catch.hpp>

using namespace critscale;

TEST_CASE("a result has the larger precision of its operands") {
  const Ball a(Rational(1, 3), 100), b(Rational(1, 7), 200);
  CHECK((a + b).precision() == 200);
  CHECK((b * a).precision() == 200);
  CHECK((a / 3).precision() == 100);
  CHECK((Ball() + a).precision() == 100);
}

TEST_CASE("fractions are enclosed, integers are exact") {
  const Ball third(Rational(1, 3), 128);
  CHECK(third.contains(Rational(1, 3)));
  CHECK_FALSE(third.is_exact());
  CHECK((third * 3).contains(Rational(1)));
  CHECK(Ball(7).is_exact());
  CHECK((1 - Ball(7)).contains(Rational(-6)));
  CHECK((1 / Ball(8)).is_exact());
}

TEST_CASE("comparisons have three values") {
  const Ball third(Rational(1, 3), 64);
  CHECK(less(third, Ball(1)) == Truth::yes);
  CHECK(less(Ball(1), third) == Truth::no);
  CHECK(less(third, third + Ball()) == Truth::unknown);
  CHECK(equal(Ball(2), Ball(2)) == Truth::yes);
  CHECK((third - Ball(Rational(1, 3), 90)).is_zero() == Truth::unknown);
  CHECK((!Truth::unknown) == Truth::unknown);
  CHECK((Truth::unknown & Truth::no) == Truth::no);
  CHECK((Truth::unknown | Truth::yes) == Truth::yes);
}

TEST_CASE("functions outside their domain give the whole line, never less") {
  CHECK_FALSE(log(Ball(-1)).is_finite());
  CHECK(log(Ball(0)).lower() == -Dyadic::infinity());
  CHECK(sqrt(Ball(-1)).upper() == Dyadic::infinity());
  CHECK_FALSE((Ball(1) / Ball(0)).is_finite());
}

TEST_CASE("exponents have no limit") {
  const Ball e = exp(pow(Ball(10, 128), Integer(15)));
  CHECK(e.is_finite());
  CHECK(overlaps(log(e), pow(Ball(10, 128), Integer(15))));
  const Ball h = exp(pow(Ball(10, 600), Integer(100)));
  CHECK(h.is_finite());
  CHECK(overlaps(log(h), pow(Ball(10, 600), Integer(100))));
}

TEST_CASE("hexadecimal text round-trips exactly") {
  for (const char* text : {"0x1p+0", "-0x1.8p+3", "0x1p-1074", "0x1.921fb54442d18p+1", "0x0p+0", "inf",
                           "-inf", "0x1.23456789abcdef0123p+1000000000000000000000"})
    CHECK(Dyadic::from_hex(text).to_hex() == text);
  CHECK(Dyadic::exactly(0.1).to_hex() == "0x1.999999999999ap-4");
  CHECK(Dyadic::from_hex("0X.8P01").to_hex() == "0x1p+0");
  for (const char* text : {"", "0x", "0xp1", "0x1p", "0x1.2.3", "1.0", "0x1p+-3", "0xg"})
    CHECK_THROWS_AS(Dyadic::from_hex(text), InputError);
}
