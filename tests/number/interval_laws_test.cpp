// Laws of Interval on random inputs biased to corners: exact values are contained, ends are the
// nearest ones, two precisions and two arithmetics agree, a larger input set gives a larger output
// set, the caller's exponent range does not matter.
#include <fmt/format.h>
#include <mpfr.h>

#include <catch2/catch.hpp>

#include "critscale/number/ball.hpp"
#include "critscale/number/interval.hpp"
#include "number/random_intervals.hpp"

using namespace critscale;
using test::Operation;
using test::operations;
using test::Random;

namespace {

std::string text(const Interval& x) {
  return fmt::format("[{}, {}] at {} bits", x.lower().to_hex(), x.upper().to_hex(), x.precision());
}

bool same(const Interval& a, const Interval& b) { return a.lower() == b.lower() && a.upper() == b.upper(); }
bool contains_set(const Interval& a, const Interval& b) { return b.is_empty() || a.contains(b); }

Ball as_ball(const Interval& x, Bits bits) {
  return x.is_finite() ? Ball(x.lower(), x.upper(), bits) : Ball::whole_line(bits);
}

/// Draws pairs of sets and checks a law for every operation; a failure shows operands and result.
template <class Law>
void for_random_operands(unsigned seed, int rounds, Law law) {
  Random random(seed);
  for (int i = 0; i < rounds; ++i) {
    const Interval x = random.set(53), y = random.set(53);
    for (const Operation& op : operations())
      if (!law(random, op, x, y))
        FAIL_CHECK(fmt::format("{} with x = {}, y = {} gives {}", op.name, text(x), text(y),
                               text(op.interval(x, y))));
  }
}

}  // namespace

TEST_CASE("Interval contains the value at every member") {
  int decided = 0;
  for_random_operands(
      1, 3000, [&](Random& random, const Operation& op, const Interval& x, const Interval& y) {
        const Dyadic a = random.member(x), b = random.member(y);
        const Ball value = op.ball(Ball::exactly(a, 400), Ball::exactly(b, 400));
        // Outside the domain, and where Arb gives up on the exponent, there is nothing to compare.
        if (!value.is_finite()) return true;
        ++decided;
        const Interval set = op.interval(x, y);
        return value.is_exact() ? set.contains(value.midpoint())
                                : set.lower() <= value.upper(1000) && value.lower(1000) <= set.upper();
      });
  CHECK(decided > 50000);
}

TEST_CASE("Interval and Ball overlap") {
  int decided = 0;
  for_random_operands(2, 2000, [&](Random&, const Operation& op, const Interval& x, const Interval& y) {
    const Interval set = op.interval(x, y);
    if (set.is_empty()) return true;
    const Ball ball = op.ball(as_ball(x, 64), as_ball(y, 64));
    if (ball.is_finite()) ++decided;
    return ball.lower() <= set.upper() && set.lower() <= ball.upper();
  });
  CHECK(decided > 15000);
}

TEST_CASE("every end is the nearest one: more bits, rounded outward, give the same set") {
  for_random_operands(3, 2000, [&](Random&, const Operation& op, const Interval& x, const Interval& y) {
    const Interval close = op.interval(x.at(300), y.at(300)), coarse = op.interval(x, y);
    return same(close.at(53), coarse) && contains_set(coarse, close) &&
           same(op.interval(x, y.at(90)).at(53), op.interval(x, y));
  });
}

TEST_CASE("a larger input set gives a larger output set") {
  int proper = 0;
  for_random_operands(
      4, 2000, [&](Random& random, const Operation& op, const Interval& x, const Interval& y) {
        const Interval large = op.interval(x, y), small = op.interval(random.subset(x), random.subset(y));
        if (!small.is_empty() && !same(large, small)) ++proper;
        return contains_set(large, small);
      });
  CHECK(proper > 10000);
}

TEST_CASE("hull and intersection are those of the sets") {
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    const Interval x = random.set(53), y = random.set(60);
    const Interval both = intersection(x, y), either = hull(x, y);
    INFO(text(x) << " and " << text(y));
    REQUIRE(both.is_empty() == !overlaps(x, y));
    REQUIRE((either.contains(x) && either.contains(y)));
    REQUIRE((contains_set(x, both) && contains_set(y, both)));
    const Dyadic a = random.member(x);
    REQUIRE(both.contains(a) == y.contains(a));
    REQUIRE((random.subset(x).is_empty() || x.contains(random.subset(x))));
  }
}

TEST_CASE("comparisons hold for all members") {
  Random random(6);
  int yes = 0, no = 0;
  const auto agrees = [&](Truth t, bool of_members) {
    (t == Truth::yes ? yes : no) += t != Truth::unknown;
    return t == Truth::unknown || t == truth(of_members);
  };
  for (int i = 0; i < 20000; ++i) {
    const Interval x = random.set(53), y = random.below(4) ? random.set(60) : x;
    const Dyadic a = random.member(x), b = random.member(y);
    INFO(text(x) << " and " << text(y));
    REQUIRE(agrees(less(x, y), a < b));
    REQUIRE(agrees(less_equal(x, y), a <= b));
    REQUIRE(agrees(equal(x, y), a == b));
    REQUIRE(agrees(x.is_positive(), a.sign() > 0));
    REQUIRE(agrees(x.is_nonnegative(), a.sign() >= 0));
    REQUIRE(agrees(x.is_negative(), a.sign() < 0));
    REQUIRE(agrees(x.is_zero(), a.is_zero()));
    // Of points everything is known.
    const Interval p(a, a, 53), q(b, b, 60);
    REQUIRE(less(p, q) == truth(a < b));
    REQUIRE(less_equal(p, q) == truth(a <= b));
    REQUIRE(equal(p, q) == truth(a == b));
  }
  CHECK(yes > 20000);
  CHECK(no > 20000);
}

TEST_CASE("fractions: exact results are contained") {
  Random random(7);
  const auto fraction = [&] { return Rational(random.below(2001) - 1000, 1 + random.below(1000)); };
  for (int i = 0; i < 3000; ++i) {
    const Rational a = fraction(), b = fraction();
    const Bits bits = 2 + random.below(80);
    const Interval x(a, bits), y(b, 40);
    INFO(to_string(a) << " and " << to_string(b) << " at " << bits << " bits");
    REQUIRE((x.contains(a) && x.at(2).contains(a)));
    REQUIRE((x + y).contains(Rational(a + b)));
    REQUIRE((x - y).contains(Rational(a - b)));
    REQUIRE((x * y).contains(Rational(a * b)));
    if (b != 0 && !y.contains_zero()) REQUIRE((x / y).contains(Rational(a / b)));
    REQUIRE(sqr(x).contains(Rational(a * a)));
    REQUIRE(pow(x, 3).contains(Rational(a * a * a)));
    REQUIRE(abs(x).contains(a < 0 ? Rational(-a) : a));
    REQUIRE((7 - x / 9).contains(Rational(7 - a / 9)));
    REQUIRE(Interval::hull(std::min(a, b), std::max(a, b), bits).contains(Rational((a + 2 * b) / 3)));
  }
}

TEST_CASE("the caller's exponent range does not matter and comes back") {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  for_random_operands(8, 1000, [&](Random&, const Operation& op, const Interval& x, const Interval& y) {
    const Interval wide = op.interval(x, y);
    mpfr_set_emin(-3);
    mpfr_set_emax(3);
    const Interval x2(x.lower(), x.upper(), 53), y2(Interval(y).at(60));
    Interval narrow = op.interval(x2, y2), copy(narrow);
    const bool kept = mpfr_get_emin() == -3 && mpfr_get_emax() == 3;
    const bool alike = same(x2, x) && same(y2, y) && same(copy.at(53), wide) && same(narrow, copy);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    return kept && alike;
  });
  mpfr_set_emin(-3);
  mpfr_set_emax(3);
  CHECK(Interval(1000).contains(Rational(1000)));
  CHECK(Interval(1000).is_exact());
  CHECK(Interval(Rational(1, 1000), 20).contains(Rational(1, 1000)));
  CHECK(Interval(-1000, 2).contains(Rational(-1000)));
  CHECK((Interval(1) + 1000UL).is_exact());
  CHECK(Interval::exactly(1e300).is_exact());
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
}

TEST_CASE("exponents up to 2^62, and outward beyond") {
  const auto power = [](const Integer& e) { return Dyadic::exactly(1).scaled(e); };
  const Integer e61 = Integer(1) << 61;
  const Interval huge = Interval::exactly(power(e61), 64), tiny = Interval::exactly(power(-e61), 64);
  CHECK(huge.is_exact());
  CHECK((huge * tiny).contains(Rational(1)));
  CHECK((huge * tiny).is_exact());
  CHECK(log(huge).is_finite());
  CHECK(same(log(huge), -log(tiny)));
  CHECK(same(sqrt(huge), Interval::exactly(power(Integer(1) << 60), 64)));
  CHECK(same(huge / huge, Interval(1)));
  CHECK(log1p(huge).contains(log(huge)));
  CHECK(sqr(tiny).is_exact());
  // Past the largest number: the lower end stays, the upper end is unbounded.
  const Interval past = sqr(huge);
  CHECK(past.lower() > power(2 * e61 - 2));
  CHECK(past.upper() == Dyadic::infinity());
  CHECK(past.is_positive() == Truth::yes);
  CHECK(same(past, exp(huge)));
  CHECK(same(-past, huge * -huge));
  const Interval under = sqr(tiny) / 2;
  CHECK(under.lower() == Dyadic());
  CHECK(under.upper() > Dyadic());
  CHECK(under.upper() < power(-2 * e61 + 2));
  CHECK(same(under, exp(-huge)));
  // Ends beyond the range of MPFR.
  const Dyadic giant = power(Integer(1) << 100), speck = power(-(Integer(1) << 100));
  for (const Dyadic& v :
       {giant, -giant, speck, -speck, power(2 * e61), power(-2 * e61), power(2 * e61 - 2)}) {
    const Interval x = Interval::exactly(v, 64);
    INFO(text(x));
    CHECK(x.contains(v));
    CHECK((x.lower() <= v && v <= x.upper()));
    CHECK(x.is_positive() ==
          (v.sign() > 0 ? (x.lower().is_zero() ? Truth::unknown : Truth::yes) : Truth::no));
  }
  CHECK(Interval::exactly(giant, 64).lower().is_finite());
  CHECK(Interval(speck, giant, 64).contains(Rational(1)));
}
