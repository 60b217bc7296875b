// Boxes of fractions: halves, quotients, narrowing and linear forms, against points drawn at random.
#include <catch2/catch.hpp>
#include <random>

#include "critscale/number/rational_box.hpp"

using namespace critscale;

namespace {

std::mt19937_64 engine(20261129);
Rational fraction(long lo, long hi) {
  return Rational(std::uniform_int_distribution<long>(24 * lo, 24 * hi)(engine), 24);
}
RationalBox range(long lo, long hi) {
  const Rational a = fraction(lo, hi), b = fraction(lo, hi);
  return {std::min(a, b), std::max(a, b)};
}
/// A point of a range, its ends often among them.
Rational inside(const RationalBox& r) {
  const long i = std::uniform_int_distribution<long>(-2, 10)(engine);
  return r.lo + (r.hi - r.lo) * Rational(std::clamp(i, 0L, 8L), 8);
}
bool contains(const RationalBox& r, const Rational& x) { return r.lo <= x && x <= r.hi; }

}  // namespace

TEST_CASE("halves share the exact midpoint and leave nothing out") {
  const Box box{{0, 1}, {Rational(1, 3), Rational(1, 2)}};
  const auto [first, second] = halves(box, 1);
  CHECK(first[0] == box[0]);
  CHECK(second[0] == box[0]);
  CHECK(first[1] == RationalBox{Rational(1, 3), Rational(5, 12)});
  CHECK(second[1] == RationalBox{Rational(5, 12), Rational(1, 2)});
}

TEST_CASE("sums, products and quotients of ranges are exact ranges") {
  for (int i = 0; i < 2000; ++i) {
    const RationalBox a = range(-3, 3), b = range(-3, 3);
    const Rational x = inside(a), y = inside(b);
    REQUIRE(contains(a + b, x + y));
    REQUIRE(contains(a - b, x - y));
    REQUIRE(contains(a * b, x * y));
    REQUIRE(contains(-a, -x));
    if (b.lo <= 0 && b.hi >= 0) continue;
    const RationalBox quotient = a / b;
    REQUIRE(contains(quotient, x / y));
    // No wider than the corners.
    REQUIRE(quotient == a * RationalBox{1 / b.hi, 1 / b.lo});
  }
}

TEST_CASE("narrowing keeps every solution of the lines and takes the rest away") {
  long kept = 0, contradictions = 0;
  for (int i = 0; i < 5000; ++i) {
    Box y, base, slope;
    for (int k = 0; k < 2; ++k) {
      y.push_back(range(-2, 4));
      base.push_back(range(-1, 1));
      const RationalBox s = range(1, 3);
      slope.push_back(fraction(0, 1) < Rational(1, 2) ? s : -s);
    }
    const Rational lowest = fraction(-1, 1);
    const Box whole = y;
    const auto x = narrow(y, base, slope, lowest);
    if (!x) ++contradictions;
    // An x and lines of the box; where their values lie in y, they must be kept.
    for (int tries = 0; tries < 8; ++tries) {
      const Rational at = lowest + fraction(0, 3),
                     v[] = {inside(base[0]) + inside(slope[0]) * at, inside(base[1]) + inside(slope[1]) * at};
      if (!contains(whole[0], v[0]) || !contains(whole[1], v[1])) continue;
      ++kept;
      REQUIRE(x);
      REQUIRE(contains(*x, at));
      REQUIRE(contains(y[0], v[0]));
      REQUIRE(contains(y[1], v[1]));
    }
  }
  CHECK(kept > 1000);
  CHECK(contradictions > 100);
  // y = x and y = 1 - x in [0, 1/4] and [1/4, 1]: x in [0, 1/4], so that the second is at least 3/4.
  Box y{{0, Rational(1, 4)}, {Rational(1, 4), 1}};
  const auto x = narrow(y, {{0, 0}, {1, 1}}, {{1, 1}, {-1, -1}}, 0);
  REQUIRE(x);
  CHECK(*x == RationalBox{0, Rational(1, 4)});
  CHECK(y[1] == RationalBox{Rational(3, 4), 1});
  Box apart{{0, 1}, {3, 4}};
  CHECK_FALSE(narrow(apart, {{0, 0}, {0, 0}}, {{1, 1}, {1, 1}}, 0));
}

TEST_CASE("linear forms are ranged over boxes, and cut at 0 only where they are known") {
  const Box box{{-1, 1}, {0, 2}};
  const LinearForm form{1, {2, -1}}, other{1, {2, -1, 0}};
  CHECK(form.over(box) == RationalBox{-3, 3});
  CHECK(form.over(box, {}) == RationalBox{-3, 3});
  CHECK(form.over(box, {LinearForm{1, {2}}}) == RationalBox{-3, 3});
  CHECK(form.over(box, {LinearForm{1, {2}}, other}) == RationalBox{0, 3});
  CHECK((form - other).is_zero());
  CHECK_FALSE((form - LinearForm{}).is_zero());
}
