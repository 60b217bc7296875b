// PowerProduct: exactness, order and enclosures, against GMP integers and on numbers too large
// for them.
#include "critscale/number/power_product.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "critscale/text/parse.hpp"

using namespace critscale;

namespace {

namespace mp = boost::multiprecision;

PowerProduct read(const char* text) { return parse_power_product(text); }

/// What the class promises about its factors.
void check_form(const PowerProduct& x) {
  const auto& f = x.factors();
  for (std::size_t i = 0; i < f.size(); ++i) {
    CHECK(f[i].base >= 2);
    CHECK(f[i].exponent != 0);
    CHECK(mpz_perfect_power_p(f[i].base.backend().data()) == 0);
    for (std::size_t j = 0; j < i; ++j) {
      CHECK(f[j].base < f[i].base);
      CHECK(gcd(f[j].base, f[i].base) == 1);
      CHECK(f[j].exponent != f[i].exponent);
    }
  }
}

/// A random fraction whose numerator and denominator share many small factors.
Rational smooth_fraction(std::mt19937_64& random) {
  Rational v = 1;
  for (const int p : {2, 3, 4, 5, 6, 7, 9, 12, 36, 101, 1001, 1000003}) {
    const auto e = static_cast<unsigned>(random() % 3);
    const Integer power = mp::pow(Integer(p), e);
    if (random() % 2 == 0)
      v *= power;
    else
      v /= power;
  }
  return v;
}

std::strong_ordering order(const Rational& a, const Rational& b) {
  return a < b    ? std::strong_ordering::less
         : a == b ? std::strong_ordering::equal
                  : std::strong_ordering::greater;
}

}  // namespace

TEST_CASE("PowerProduct agrees with fractions on products, quotients, order and divisibility") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const Rational a = smooth_fraction(random), b = random() % 8 == 0 ? a : smooth_fraction(random);
    const PowerProduct x(a), y(b);
    INFO("a = " << a << ", b = " << b);
    check_form(x);
    check_form(x * y);
    CHECK(x.to_rational() == a);
    CHECK((x * y).to_rational() == a * b);
    CHECK((x / y).to_rational() == a / b);
    CHECK(x.is_rational());
    CHECK(x.is_integer() == is_integer(a));
    CHECK(divides(x, y) == is_integer(b / a));
    CHECK((x == y) == (a == b));
    CHECK((compare(x, y) == order(a, b)));
    CHECK(value(x, 80).contains(a));
    CHECK(read(x.to_string().c_str()) == x);
  }
}

TEST_CASE("PowerProduct follows the laws of powers") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const PowerProduct x(smooth_fraction(random)), y(smooth_fraction(random));
    const Rational s(static_cast<long>(random() % 25) - 12, 1 + random() % 6);
    const Rational t(static_cast<long>(random() % 25) - 12, 1 + random() % 6);
    INFO("x = " << x.to_string() << ", y = " << y.to_string() << ", s = " << s << ", t = " << t);
    check_form(pow(x, s) * pow(y, t));
    CHECK(pow(x * y, s) == pow(x, s) * pow(y, s));
    CHECK(pow(x, s) * pow(x, t) == pow(x, s + t));
    CHECK(pow(pow(x, s), t) == pow(x, s * t));
    CHECK((x / x).is_one());
    CHECK(pow(x, 0).is_one());
    CHECK(read(pow(x, s).to_string().c_str()) == pow(x, s));
    CHECK(read((pow(x, s) * pow(y, t)).to_string().c_str()) == pow(x, s) * pow(y, t));
    CHECK(overlaps(value(pow(x, s), 200) * value(pow(y, s), 200), value(pow(x * y, s), 200)));
  }
}

TEST_CASE("equality sees through roots and composite bases") {
  const PowerProduct two(2), three(3);
  const Rational half(1, 2);
  CHECK(pow(PowerProduct(4), half) == two);
  CHECK(pow(two, half) * pow(PowerProduct(8), half) == PowerProduct(4));
  CHECK(pow(PowerProduct(12), half) == two * pow(three, half));
  CHECK(pow(PowerProduct(6), half) * pow(PowerProduct(10), half) == two * pow(PowerProduct(15), half));
  CHECK(read("12^(10^9)") == read("2^2000000000") * read("3^1000000000"));
  CHECK(read("4^(1/2)*10^(10^15)/2") == read("10^(10^15)"));
  CHECK_FALSE(read("10^(10^15)") == read("10^1000000000000001"));
  CHECK(pow(PowerProduct(36), half).is_integer());
  CHECK_FALSE(pow(two, half).is_rational());
  CHECK_FALSE(pow(PowerProduct(12), half).is_integer());
  CHECK((pow(PowerProduct(12), half) * pow(three, half)).is_integer());
  CHECK_FALSE(PowerProduct(Rational(3, 2)).is_integer());
}

TEST_CASE("integers written out are recognised as powers") {
  const auto check = [](const Integer& base, unsigned exponent) {
    const PowerProduct x(Integer(mp::pow(base, exponent)));
    REQUIRE(x.factors().size() == 1);
    CHECK(x.factors()[0] == PowerProduct::Factor{base, Rational(exponent)});
  };
  check(10, 300000);
  check(101, 4999);
  check(101, 5040);
  check(12, 30);
  check(Integer(10007) * 10007 * 10009, 77);
  check(mp::pow(Integer(10), 50u) + 151, 24);
  check(Integer(2) * 101 * 101, 2);
}

TEST_CASE("order is decided between the closest powers of 2 and 3") {
  // Convergents p/q of ln 2/ln 3 lie below it when their index is even: then 3^p < 2^q.
  const Ball ratio = log(PowerProduct(2), 8000) / log(PowerProduct(3), 8000);
  Rational rest = ratio.midpoint().to_rational();
  Integer p = 1, q = 0, p_before = 0, q_before = 1;
  for (int i = 0; q < mp::pow(Integer(10), 1000u); ++i) {
    const Integer quotient = numerator(rest) / denominator(rest);
    p_before = quotient * p + p_before;
    q_before = quotient * q + q_before;
    p.swap(p_before);
    q.swap(q_before);
    rest = 1 / (rest - quotient);
    if (i == 0 || (i > 10 && i % 100 != 0 && i % 101 != 0)) continue;
    INFO("convergent " << i << ": 2^" << q << " and 3^" << p);
    const PowerProduct x = PowerProduct::power(2, Rational(q)), y = PowerProduct::power(3, Rational(p));
    CHECK((compare(x, y) > 0) == (i % 2 == 0));
    CHECK((compare(y, x) < 0) == (i % 2 == 0));
    if (q < 100000) {
      CHECK((compare(x, y) > 0) == (x.to_integer() > y.to_integer()));
    }
  }
}

TEST_CASE("order is decided in near ties of huge numbers") {
  const PowerProduct big = read("10^(10^15)");
  const PowerProduct nudge(Rational(mp::pow(Integer(10), 3000u) + 1, mp::pow(Integer(10), 3000u)));
  CHECK((compare(big * nudge, big) > 0));
  CHECK((compare(big / nudge, big) < 0));
  CHECK((compare(big, read("10^1000000000000001")) < 0));
  CHECK((compare(big, big) == 0));
  CHECK((compare(read("10^(10^1000)"), read("10^(10^1000)*2")) < 0));
  CHECK((compare(read("2^(10^1000)"), read("3^(10^1000)")) < 0));
}

TEST_CASE("integers are written out up to a limit") {
  CHECK(read("10^30").to_integer() == mp::pow(Integer(10), 30u));
  CHECK(PowerProduct(1).to_integer() == 1);
  CHECK(read("2^20").to_integer(21) == 1048576);
  CHECK_THROWS_WITH(read("2^20").to_integer(20), "'1048576' is too large to write out: the limit is 20 bits");
  CHECK_THROWS_WITH(read("10^(10^15)").to_integer(),
                    "'10^(10^15)' is too large to write out: the limit is 16777216 bits");
  CHECK_THROWS_WITH(read("1/2").to_integer(), "'1/2' is not an integer");
  CHECK_THROWS_WITH(read("2^(1/2)").to_integer(), "'2^(1/2)' is not an integer");
  CHECK_THROWS_WITH(read("2^(1/2)").to_rational(), "'2^(1/2)' is not a fraction");
  CHECK_THROWS_WITH(PowerProduct(0), "the base of a power must be positive, found '0'");
  CHECK_THROWS_WITH(PowerProduct(Rational(-1, 2)), "the base of a power must be positive, found '-1'");
}

TEST_CASE("exponents have at most 100000 digits") {
  const Integer most = mp::pow(Integer(10), 100000u) - 1;
  const PowerProduct x = PowerProduct::power(10, Rational(most));
  CHECK(pow(x, -1) * x == PowerProduct());
  const char* message = "an exponent has more than 100000 digits, which is the limit";
  CHECK_THROWS_WITH(PowerProduct::power(10, Rational(Integer(most + 1))), message);
  CHECK_THROWS_WITH(x * PowerProduct(10), message);
  CHECK_THROWS_WITH(pow(x, 2), message);
  CHECK_THROWS_WITH(pow(PowerProduct(2), Rational(1, most + 1)), message);
}

TEST_CASE("logarithms and values are narrow at any size") {
  for (const char* text : {"10", "1000000", "3", "1/3", "2^(1/2)", "10^15", "10^400", "10^(10^15)",
                           "3*10^(10^15)", "10^(-10^15)", "10^(10^100)", "7*3^(10^100)*2^(-10^100)",
                           "10^(10^1000)", "2^301994*3^-190537", "1000000007^(12345/7)"}) {
    const PowerProduct x = read(text);
    for (const Bits bits : {10L, 64L, 500L}) {
      INFO(text << " at " << bits << " bits");
      const Ball l = log(x, bits), v = value(x, bits);
      CHECK(l.precision() == bits);
      CHECK(v.precision() == bits);
      CHECK(l.accurate_bits() >= bits - 2);
      CHECK(v.accurate_bits() >= bits - 2);
      CHECK(overlaps(l, log(x, 3000)));
      CHECK(overlaps(v, value(x, 3000)));
      CHECK(overlaps(log(v), l));
    }
  }
  CHECK(log(PowerProduct(), 100).is_zero() == Truth::yes);
  CHECK(value(PowerProduct(), 100).is_exact());
  CHECK(value(read("10^15"), 64).is_exact());
  CHECK(value(read("2^5000"), 5001).is_exact());
  CHECK(value(read("3^3000"), 4800).is_exact());
  CHECK_FALSE(value(read("10^30"), 64).is_exact());
}

TEST_CASE("text is canonical and reads back") {
  const char* const texts[] = {"1",
                               "2",
                               "12",
                               "1024",
                               "999999",
                               "10^6",
                               "10^15",
                               "10^(10^15)",
                               "1/2*10^24",
                               "3*10^100",
                               "2/3",
                               "10^-6",
                               "1/1000",
                               "12^100",
                               "2^(1/2)",
                               "10^(15/2)",
                               "3*10^(10^15)",
                               "10^(-10^15)",
                               "2^-100",
                               "1/3*2^100",
                               "2^100*3^-100",
                               "18446744073709551616",
                               "10^(10^1000)",
                               "1/2*10^(10^15)",
                               "10^1000000",
                               "10^(10^7)",
                               "3*2^(10^15)*5^2000000"};
  for (const char* text : texts) {
    CHECK(read(text).to_string() == text);
    CHECK(read(read(text).to_string().c_str()) == read(text));
  }
  CHECK(read("6/4").to_string() == "3/2");
  CHECK(read("2^15*5^15").to_string() == "10^15");
  CHECK(read("5*10^23").to_string() == "1/2*10^24");
  CHECK(read("1e-7").to_string() == "10^-7");
}
