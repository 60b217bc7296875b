// Interval: construction, end points, domains, infinite ends, the empty set, comparison, exponents.
#include "critscale/number/interval.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "critscale/number/errors.hpp"

using namespace critscale;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Interval make(double lo, double hi, Bits bits = 64) {
  return Interval(Dyadic::exactly(lo), Dyadic::exactly(hi), bits);
}

/// The same two ends exactly; the empty set is the same as itself.
bool same(const Interval& a, const Interval& b) { return a.lower() == b.lower() && a.upper() == b.upper(); }

Dyadic power_of_two(const Integer& e) { return Dyadic::exactly(1).scaled(e); }

template <class T>
concept HasLess = requires(const T& a) {
  a < a;
};
template <class T>
concept HasEqual = requires(const T& a) {
  a == a;
};

}  // namespace

TEST_CASE("what would round silently or answer for unknown does not compile") {
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Interval, double>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Interval, float, Bits>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<int, Interval>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Interval, bool>);
  STATIC_REQUIRE_FALSE(HasLess<Interval>);
  STATIC_REQUIRE_FALSE(HasEqual<Interval>);
}

TEST_CASE("Interval: the result has the larger precision") {
  const Interval a(Rational(1, 3), 100), b(Rational(1, 7), 200);
  CHECK((a + b).precision() == 200);
  CHECK((b * a).precision() == 200);
  CHECK((Interval(a) - b).precision() == 200);
  CHECK((b / Interval(a)).precision() == 200);
  CHECK((a / 3).precision() == 100);
  CHECK((3 - a).precision() == 100);
  CHECK((Interval() + a).precision() == 100);
  Interval sum;
  sum += a;
  sum *= b;
  CHECK(sum.precision() == 200);
  CHECK(same(sum, a * b));
  CHECK(exp(a).precision() == 100);
  CHECK_THROWS_AS(Interval(1, 1), InputError);
}

TEST_CASE("Interval: construction rounds outward, once") {
  const Interval third(Rational(1, 3), 10);
  CHECK(third.contains(Rational(1, 3)));
  CHECK(third.lower().to_hex() == "0x1.55p-2");
  CHECK(third.upper().to_hex() == "0x1.558p-2");
  CHECK(Interval(7).is_exact());
  CHECK(Interval(std::numeric_limits<long>::min()).lower() == -power_of_two(63));
  CHECK(Interval(std::numeric_limits<unsigned long>::max()).is_exact());
  CHECK(Interval(1023, 9).lower() == Dyadic::exactly(1022));
  CHECK(Interval(1023, 9).upper() == Dyadic::exactly(1024));
  CHECK(same(Interval(Integer(-5), 8), Interval(-5)));
  CHECK(same(Interval::exactly(0.1), make(0.1, 0.1)));
  CHECK(same(Interval::exactly(0.1, 20), make(0.1, 0.1).at(20)));
  CHECK_FALSE(Interval::exactly(0.1, 20).is_exact());
  const Interval box = Interval::hull(Rational(-1, 3), Rational(1, 7), 64);
  CHECK(box.contains(Rational(-1, 3)));
  CHECK(box.contains(Rational(1, 7)));
  CHECK_FALSE(box.contains(Rational(1, 6)));
  CHECK_THROWS_AS(Interval::hull(Rational(1), Rational(0), 64), InputError);
  CHECK_THROWS_AS(make(2, 1), InputError);
  CHECK_THROWS_AS(make(infinity, infinity), InputError);
  CHECK_THROWS_AS(Interval(Dyadic::nan(), Dyadic(), 64), InputError);
  CHECK_THROWS_AS(Interval::exactly(infinity), InputError);
}

TEST_CASE("Interval: end points, midpoint, accuracy") {
  const Interval x = make(1, 2);
  CHECK(x.midpoint() == Dyadic::exactly(1.5));
  CHECK(x.center().is_exact());
  CHECK(make(-infinity, 3).midpoint() == Dyadic::exactly(3));
  CHECK(make(-1, infinity).midpoint() == Dyadic::exactly(-1));
  CHECK(Interval::whole_line(64).midpoint() == Dyadic());
  CHECK_THROWS_AS(Interval::empty(64).midpoint(), UndefinedError);
  CHECK(Interval(Rational(1, 3), 100).lower(10).to_hex() == "0x1.55p-2");
  CHECK(Interval(Rational(1, 3), 100).upper(10).to_hex() == "0x1.558p-2");
  CHECK(Interval(5).accurate_bits() == std::numeric_limits<long>::max());
  CHECK(Interval::whole_line(64).accurate_bits() == -std::numeric_limits<long>::max());
  const long bits = Interval(Rational(1, 3), 100).accurate_bits();
  CHECK(bits >= 98);
  CHECK(bits <= 101);
  CHECK(x.accurate_bits() <= 1);
}

TEST_CASE("Interval: functions are evaluated on the part of their domain") {
  CHECK(same(sqrt(make(-1, 4)), make(0, 2)));
  CHECK(same(sqrt(make(-1, 0)), make(0, 0)));
  CHECK(same(log(make(-1, 1)), make(-infinity, 0)));
  CHECK(same(log(make(0, infinity)), Interval::whole_line(64)));
  CHECK(same(log1p(make(-5, 0)), make(-infinity, 0)));
  CHECK(same(log1p(make(-infinity, infinity)), Interval::whole_line(64)));
  CHECK(sqrt(make(-2, -1)).is_empty());
  CHECK(log(make(-2, 0)).is_empty());
  CHECK(log1p(make(-2, -1)).is_empty());
  const Interval x = make(-1, 4);
  CHECK(same(sqrt(x), sqrt(make(-1, 4))));
  CHECK(same(x, make(-1, 4)));
}

TEST_CASE("Interval: division by sets that contain 0") {
  CHECK((make(1, 2) / make(0, 0)).is_empty());
  CHECK((make(0, 0) / make(0, 0)).is_empty());
  CHECK(same(make(0, 0) / make(-1, 1), make(0, 0)));
  CHECK(same(make(1, 2) / make(-1, 1), Interval::whole_line(64)));
  CHECK(same(make(1, 2) / make(0, 4), make(0.25, infinity)));
  CHECK(same(make(-2, -1) / make(0, 4), make(-infinity, -0.25)));
  CHECK(same(make(1, 2) / make(-4, 0), make(-infinity, -0.25)));
  CHECK(same(make(-2, -1) / make(-4, 0), make(0.25, infinity)));
  CHECK(same(make(-2, 1) / make(0, 4), Interval::whole_line(64)));
  CHECK(same(1 / make(0, infinity), make(0, infinity)));
  CHECK(same(make(-1, 0) / make(-infinity, 0), make(0, infinity)));
  CHECK((1 / Interval(0)).is_empty());
  CHECK((Interval(1) /= 0).is_empty());
}

TEST_CASE("Interval: unbounded operands") {
  const Interval line = Interval::whole_line(64), up = make(1, infinity), down = make(-infinity, -1);
  CHECK(same(line * 0, make(0, 0)));
  CHECK(same(0 * up, make(0, 0)));
  CHECK(same(make(0, 1) * up, make(0, infinity)));
  CHECK(same(make(-1, 1) * up, line));
  CHECK(same(up * down, make(-infinity, -1)));
  CHECK(same(up / up, make(0, infinity)));
  CHECK(same(down / up, make(-infinity, 0)));
  CHECK(same(make(2, 4) / up, make(0, 4)));
  CHECK(same(up - up, line));
  CHECK(same(up + down, line));
  CHECK(same(exp(line), make(0, infinity)));
  CHECK(same(expm1(down + 1), make(-1, 0)));
  CHECK(same(sqr(line), make(0, infinity)));
  CHECK(same(abs(down), up));
  CHECK(same(-up, down));
  CHECK(same(min(up, make(0, 3)), make(0, 3)));
  CHECK(same(max(up, make(0, 3)), up));
  CHECK(same(hull(make(0, 1), make(3, 4)), make(0, 4)));
  CHECK(same(intersection(make(0, 3), up), make(1, 3)));
  CHECK(intersection(up, down).is_empty());
}

TEST_CASE("Interval: integer powers are tight") {
  CHECK(same(pow(make(-2, 3), 2), make(0, 9)));
  CHECK(same(pow(make(-2, 3), 3), make(-8, 27)));
  CHECK(same(pow(make(-2, 3), 0), make(1, 1)));
  CHECK(same(pow(make(0, 0), 0), make(1, 1)));
  CHECK(same(pow(make(-2, 4), -2), make(0.0625, infinity)));
  CHECK(same(pow(make(-2, 4), -1), Interval::whole_line(64)));
  CHECK(same(pow(make(0, 4), -1), make(0.25, infinity)));
  CHECK(same(pow(make(-4, 0), -3), make(-infinity, -0.015625)));
  CHECK(same(pow(make(-4, -2), -2), make(0.0625, 0.25)));
  CHECK(same(pow(make(-infinity, -2), -1), make(-0.5, 0)));
  CHECK(pow(make(0, 0), -1).is_empty());
  CHECK(pow(make(0, 0), -2).is_empty());
  CHECK(same(pow(make(1, 1), boost::multiprecision::pow(Integer(10), 40)), make(1, 1)));
  CHECK(same(pow(make(-1, -1), boost::multiprecision::pow(Integer(10), 40) + 1), make(-1, -1)));
}

TEST_CASE("Interval: an empty operand gives an empty result, and no answers") {
  const Interval none = Interval::empty(64), one(1);
  CHECK(none.is_empty());
  CHECK_FALSE(none.is_finite());
  CHECK_FALSE(none.is_exact());
  CHECK(none.lower() == Dyadic::infinity());
  CHECK(none.upper() == -Dyadic::infinity());
  for (const Interval& x : {none + one,
                            one - none,
                            none * Interval(0),
                            0 * none,
                            one / none,
                            none / Interval(0),
                            none + 1,
                            1 - none,
                            1 / none,
                            -none,
                            exp(none),
                            expm1(none),
                            log(none),
                            log1p(none),
                            sqrt(none),
                            sqr(none),
                            abs(none),
                            min(one, none),
                            max(none, one),
                            pow(none, 0),
                            pow(none, 2),
                            pow(none, -1),
                            scaled(none, 3),
                            none.at(20),
                            hull(none, none),
                            intersection(none, one),
                            Interval(none) += one,
                            none.center()})
    CHECK(x.is_empty());
  CHECK(same(hull(none, one), one));
  CHECK(same(hull(one, none), one));
  CHECK_FALSE(none.contains_zero());
  CHECK_FALSE(none.contains(Rational(0)));
  CHECK_FALSE(none.contains(Dyadic()));
  CHECK_FALSE(Interval::whole_line(64).contains(none));
  CHECK_FALSE(none.contains(none));
  CHECK_FALSE(overlaps(none, Interval::whole_line(64)));
  for (const Truth t : {less(none, one), less(one, none), less_equal(none, one), greater(none, one),
                        greater_equal(one, none), equal(none, one), equal(none, none), none.is_zero(),
                        none.is_positive(), none.is_negative(), none.is_nonnegative()})
    CHECK(t == Truth::unknown);
}

TEST_CASE("Interval: comparisons have three values") {
  const Interval third(Rational(1, 3), 64);
  CHECK(less(third, Interval(1)) == Truth::yes);
  CHECK(less(Interval(1), third) == Truth::no);
  CHECK(less(third, third) == Truth::unknown);
  CHECK(less(Interval(1), Interval(1)) == Truth::no);
  CHECK(less_equal(Interval(1), Interval(1)) == Truth::yes);
  CHECK(less_equal(make(0, 1), make(1, 2)) == Truth::yes);
  CHECK(less(make(0, 1), make(1, 2)) == Truth::unknown);
  CHECK(less(make(1, 2), make(0, 1)) == Truth::no);
  CHECK(less_equal(make(1, 2), make(0, 1)) == Truth::unknown);
  CHECK(less(make(-infinity, 0), make(1, infinity)) == Truth::yes);
  CHECK(equal(Interval(2), Interval(2)) == Truth::yes);
  CHECK(equal(third, third) == Truth::unknown);
  CHECK(equal(third, Interval(2)) == Truth::no);
  CHECK(Interval().is_zero() == Truth::yes);
  CHECK(make(0, 1).is_zero() == Truth::unknown);
  CHECK(third.is_zero() == Truth::no);
  CHECK(make(0, 1).is_positive() == Truth::unknown);
  CHECK(make(0, 1).is_nonnegative() == Truth::yes);
  CHECK(make(0, 1).is_negative() == Truth::no);
  CHECK(make(-1, 0).is_positive() == Truth::no);
  CHECK(make(-1, -0.5).is_negative() == Truth::yes);
}

TEST_CASE("Interval: copies, moves and reuse of expiring operands") {
  const Interval a(Rational(1, 3), 100), b(Rational(-2, 7), 60);
  Interval c(a);
  CHECK(same(c, a));
  const Interval d(std::move(c));
  CHECK(same(d, a));
  c = b;
  CHECK(same(c, b));
  Interval e = Interval(a) + b;
  CHECK(same(e, a + b));
  CHECK(same(a + Interval(b), a + b));
  CHECK(same(Interval(a) * Interval(b), a * b));
  CHECK(same(b - Interval(a), b - a));
  CHECK(same(Interval(b) / a, b / a));
  e = a;
  e *= e;
  CHECK(same(e, a * a));
  e = a;
  const Interval& same_e = e;
  e -= same_e;
  CHECK(same(e, a - a));
}
