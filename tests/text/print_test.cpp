// Decimal printing rounds outward; values are within one unit of their last digit.
#include "critscale/text/print.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "critscale/text/certify.hpp"

using namespace critscale;

namespace {

/// A reader of the program's own decimal text, exact and independent of the library's parser.
Rational read(std::string text) {
  const bool negative = text[0] == '-';
  if (negative) text.erase(0, 1);
  long exponent = 0;
  if (const auto e = text.find('e'); e != std::string::npos) {
    exponent = std::stol(text.substr(e + 1));
    text.erase(e);
  }
  if (const auto point = text.find('.'); point != std::string::npos) {
    exponent -= static_cast<long>(text.size() - point - 1);
    text.erase(point, 1);
  }
  text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
  Rational r{Integer(text)};
  Integer power = pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
  r = exponent < 0 ? Rational(r / Rational(power)) : Rational(r * Rational(power));
  return negative ? Rational(-r) : r;
}

}  // namespace

TEST_CASE("decimal text of simple enclosures") {
  const PrintedValue third = print(Ball(Rational(1, 3), 128), 10);
  CHECK(third.value == "0.3333333333");
  CHECK(third.lo == "0.3333333333");
  CHECK(third.hi == "0.3333333334");
  CHECK(third.digits == 10);
  CHECK(print(Ball(Rational(-2, 3), 128), 5).value == "-0.66667");
  CHECK(print(Ball(Rational(1, 3), 128) * Ball(3), 20).value == "1.0000000000000000000");
}

TEST_CASE("exact values are written exactly") {
  CHECK(print(Ball(1), 30).value == "1");
  CHECK(print(Ball(0), 30).value == "0");
  CHECK(print(Ball(-1) / 8, 30).value == "-0.125");
  CHECK(print(Ball(1200), 5).value == "1200");
  CHECK(print(pow(Ball(10, 400), Integer(100)), 5).value == "1e+100");
  CHECK(print(scaled(Ball(1), Integer(-20)), 30).value == "9.5367431640625e-7");
  // Too many digits to be written out: rounded, with ends around it.
  const PrintedValue p = print(scaled(Ball(1), Integer(-20)), 5);
  CHECK(p.value == "9.5367e-7");
  CHECK(p.lo == "9.5367e-7");
  CHECK(p.hi == "9.5368e-7");
}

TEST_CASE("no certain digit: no value, only ends") {
  const PrintedValue p = print(Ball::hull(Rational(-1), Rational(2), 64), 10);
  CHECK_FALSE(p.value);
  CHECK(p.digits == 0);
  CHECK(read(p.lo) <= -1);
  CHECK(read(p.hi) >= 2);
  const PrintedValue line = print(Ball::whole_line(64), 10);
  CHECK(line.lo == "-inf");
  CHECK(line.hi == "inf");
  const PrintedValue wide = print(Ball::hull(Rational(1, 1000000), Rational(1), 64), 10);
  CHECK_FALSE(wide.value);
  CHECK(read(wide.lo) > 0);
}

TEST_CASE("a few certain digits give a short value") {
  const PrintedValue p = print(Ball::hull(Rational(12345, 1000), Rational(12346, 1000), 64), 30);
  REQUIRE(p.value);
  CHECK(p.digits >= 2);
  CHECK(p.digits < 6);
}

TEST_CASE("carries and powers of ten") {
  CHECK(print(Ball(Rational(99999999, 10000000), 64) + Ball(Rational(1, 1000000000), 64), 3).value == "10.0");
  CHECK(print(Ball(Rational(999999, 1000000), 64), 4).value == "1.000");
  CHECK(print(Ball(Rational(1, 10), 64), 4).value == "0.1000");
}

TEST_CASE("exponents beyond every machine format") {
  const Ball n = pow(Ball(10, 256), pow(Integer(10), 15));
  const PrintedValue p = print(n, 12);
  CHECK(p.value == "1.00000000000e+1000000000000000");
  CHECK(print(1 / n, 3).value == "1.00e-1000000000000000");
}

TEST_CASE("printed ends enclose, printed values are within one unit") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const long digits = 1 + static_cast<long>(random() % 25);
    const Bits bits = 8 + static_cast<Bits>(random() % 120);
    Rational v(static_cast<long>(random() % 2000001) - 1000000, 1 + random() % 1000);
    const long shift = static_cast<long>(random() % 61) - 30;
    const Integer power = pow(Integer(10), static_cast<unsigned>(std::abs(shift)));
    v = shift < 0 ? Rational(v / Rational(power)) : Rational(v * Rational(power));
    Ball x(v, bits);
    if (random() % 3 == 0) x = hull(x, Ball(Rational(v + v / (1 + random() % 100000)), bits));
    const PrintedValue p = print(x, digits);
    CAPTURE(to_string(v), digits, bits, p.lo, p.hi, p.value.value_or("none"));
    const Rational lo = read(p.lo), hi = read(p.hi);
    REQUIRE(lo <= x.lower().to_rational());
    REQUIRE(hi >= x.upper().to_rational());
    REQUIRE((lo <= v && v <= hi));
    if (!p.value) continue;
    const Rational value = read(*p.value);
    if (x.is_exact() && value == v) continue;
    // One unit in the last of p.digits digits: 10^(e - digits + 1) with 10^e <= |value|.
    Rational unit = 1;
    while (unit * Rational(pow(Integer(10), static_cast<unsigned>(p.digits))) > abs(value)) unit /= 10;
    while (unit * Rational(pow(Integer(10), static_cast<unsigned>(p.digits))) <= abs(value)) unit *= 10;
    REQUIRE(abs(Rational(value - v)) <= unit);
  }
}

TEST_CASE("an enclosure whose midpoint is zero has ends and no value") {
  const Dyadic one(Integer(1));
  const PrintedValue p = print(Ball(-one, one, 64), 10);
  CHECK_FALSE(p.value);
  CHECK(p.digits == 0);
  CHECK((read(p.lo) <= -1 && 1 <= read(p.hi)));
}

TEST_CASE("digits are certified or refused by name") {
  const Ball e = certify_digits(50, [](Bits bits) { return exp(Ball(1, bits)); });
  CHECK(print(e, 50).value == "2.7182818284590452353602874713526624977572470937000");
  // exp(x) - 1 - x for x = 10^-40 loses 80 digits before the first certain one.
  const auto cancels = [](Bits bits) {
    const Ball x(Rational(Integer(1), pow(Integer(10), 40)), bits);
    return exp(x) - 1 - x;
  };
  CHECK(print(certify_digits(20, cancels), 20).value == "5.0000000000000000000e-81");
  const auto never = [](Bits bits) { return Ball(Rational(1, 3), bits) * 3 - 1; };
  CHECK_THROWS_AS(certify_digits(5, never, 1000), LimitError);
  CHECK_THROWS_WITH(certify_digits(0, never), "digits must be between 1 and 100000, found 0");
  CHECK(certify_digits(5, [](Bits) { return Ball(); }).is_exact());
}

TEST_CASE("the value alone is the value of the whole print, at every size and sign") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 4000; ++i) {
    const long e = static_cast<long>(random() % 260) - 130, digits = 1 + static_cast<long>(random() % 40);
    Ball x =
        Ball(Rational(static_cast<long>(random() % 100000 + 1), 7), 200) * pow(Ball(10, 200), Integer(e));
    if (i % 5 == 0)
      x = pow(Ball(10, 200), Integer(e)) - pow(Ball(10, 200), Integer(e - 45));  // just below a power of ten
    if (i % 3 == 0) x = -x;
    CAPTURE(digits, hex_enclosure(x).lo);
    REQUIRE(print_value(x, digits) == print(x, digits).value);
  }
  for (const Ball& x : {Ball(0), Ball(5), Ball::whole_line(64), Ball(Rational(1, 3), 12)})
    CHECK(print_value(x, 10) == print(x, 10).value);
}
