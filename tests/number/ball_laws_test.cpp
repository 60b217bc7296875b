// Laws of Ball on random inputs biased to corners: two precisions overlap, members are contained, a set's
// result meets that of every subset, functional equations hold, temporaries give what copies give.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>

#include "critscale/number/ball.hpp"
#include "number/random_intervals.hpp"

using namespace critscale;
using test::Operation;
using test::operations;
using test::Random;

namespace {

std::string text(const Ball& x) {
  return fmt::format("[{}, {}] at {} bits", x.lower().to_hex(), x.upper().to_hex(), x.precision());
}

Ball as_ball(const Interval& x, Bits bits) {
  return x.is_finite() ? Ball(x.lower(), x.upper(), bits) : Ball::whole_line(bits);
}

bool same(const Ball& a, const Ball& b) {
  return arb_equal(a.raw(), b.raw()) != 0 && a.precision() == b.precision();
}

/// Every operation on random pairs of sets; a failure shows operands and result.
template <class Law>
void for_random_operands(unsigned seed, int rounds, Law law) {
  Random random(seed);
  for (int i = 0; i < rounds; ++i) {
    const Interval x = random.set(53), y = random.set(53);
    for (const Operation& op : operations())
      if (!law(random, op, x, y)) {
        const Ball a = as_ball(x, 53), b = as_ball(y, 53);
        FAIL_CHECK(
            fmt::format("{} with x = {}, y = {} gives {}", op.name, text(a), text(b), text(op.ball(a, b))));
      }
  }
}

/// One equation f(x, y) = g(x, y), on balls where both sides are defined.
struct Equation {
  const char* name;
  std::function<Ball(const Ball&, const Ball&)> left, right;
};

const std::vector<Equation> equations{
    {"exp(x) exp(y) = exp(x + y)", [](auto& x, auto& y) { return exp(x) * exp(y); },
     [](auto& x, auto& y) { return exp(x + y); }},
    {"expm1(x) + 1 = exp(x)", [](auto& x, auto&) { return expm1(x) + 1; },
     [](auto& x, auto&) { return exp(x); }},
    {"log(x y) = log x + log y", [](auto& x, auto& y) { return log(x * y); },
     [](auto& x, auto& y) { return log(x) + log(y); }},
    {"log1p(x) = log(1 + x)", [](auto& x, auto&) { return log1p(x); },
     [](auto& x, auto&) { return log(1 + x); }},
    {"exp(log x) = x", [](auto& x, auto&) { return exp(log(x)); }, [](auto& x, auto&) { return x; }},
    {"sqrt(x)^2 = x", [](auto& x, auto&) { return sqr(sqrt(x)); }, [](auto& x, auto&) { return x; }},
    {"sqrt(x^2) = |x|", [](auto& x, auto&) { return sqrt(sqr(x)); }, [](auto& x, auto&) { return abs(x); }},
    {"(x + y)(x - y) = x^2 - y^2", [](auto& x, auto& y) { return (x + y) * (x - y); },
     [](auto& x, auto& y) { return sqr(x) - sqr(y); }},
    {"x/y = x (1/y)", [](auto& x, auto& y) { return x / y; }, [](auto& x, auto& y) { return x * (1 / y); }},
    {"x^3 = x x^2", [](auto& x, auto&) { return pow(x, Integer(3)); },
     [](auto& x, auto&) { return x * sqr(x); }},
    {"x^-5 = 1/x^5", [](auto& x, auto&) { return pow(x, Integer(-5)); },
     [](auto& x, auto&) { return 1 / pow(x, Integer(5)); }},
    {"min + max = x + y", [](auto& x, auto& y) { return min(x, y) + max(x, y); },
     [](auto& x, auto& y) { return x + y; }},
    {"-(x - y) = y - x", [](auto& x, auto& y) { return -(x - y); }, [](auto& x, auto& y) { return y - x; }},
    {"2^40 x 2^-40 = x", [](auto& x, auto&) { return scaled(scaled(x, Integer(40)), Integer(-40)); },
     [](auto& x, auto&) { return x; }},
    {"x*7/7 = x", [](auto& x, auto&) { return x * 7 / 7; }, [](auto& x, auto&) { return x; }},
};

}  // namespace

TEST_CASE("the value at every member lies in the ball of the set") {
  int decided = 0;
  for_random_operands(
      11, 1500, [&](Random& random, const Operation& op, const Interval& x, const Interval& y) {
        const Ball value =
            op.ball(Ball::exactly(random.member(x), 400), Ball::exactly(random.member(y), 400));
        if (!value.is_finite()) return true;
        const Ball set = op.ball(as_ball(x, 53), as_ball(y, 53));
        if (set.is_finite()) ++decided;
        return value.is_exact() ? set.contains(value.midpoint()) : overlaps(set, value);
      });
  CHECK(decided > 8000);
}

TEST_CASE("two precisions overlap, and more bits are not worse by much") {
  for_random_operands(12, 1500,
                      [](Random& random, const Operation& op, const Interval& x, const Interval& y) {
                        const Bits low = 2 + random.below(60), high = low + random.below(400);
                        // The operands are the same sets: their ends have 53 bits.
                        const Ball a = as_ball(x, 600), b = as_ball(y, 600);
                        Ball rough = op.ball(a.at(low), b.at(low)), fine = op.ball(a, b).at(high);
                        return overlaps(rough, fine);
                      });
}

TEST_CASE("the ball of a set meets the ball of every subset") {
  for_random_operands(
      13, 1500, [](Random& random, const Operation& op, const Interval& x, const Interval& y) {
        const Ball outer = op.ball(as_ball(x, 300), as_ball(y, 300));
        const Ball inner = op.ball(as_ball(random.subset(x), 300), as_ball(random.subset(y), 300));
        return overlaps(outer, inner);
      });
}

TEST_CASE("equations hold between balls") {
  Random random(14);
  int decided = 0;
  for (int i = 0; i < 3000; ++i) {
    const Bits p = 2 + random.below(200), q = 2 + random.below(200);
    const Ball x = as_ball(random.set(53), p), y = as_ball(random.set(53), q);
    for (const Equation& e : equations) {
      const Ball left = e.left(x, y), right = e.right(x, y);
      if (left.is_finite() && right.is_finite()) ++decided;
      if (!overlaps(left, right))
        FAIL_CHECK(fmt::format("{} with x = {}, y = {}: {} and {}", e.name, text(x), text(y), text(left),
                               text(right)));
    }
  }
  CHECK(decided > 15000);
}

TEST_CASE("temporaries are reused without changing a result") {
  Random random(15);
  for (int i = 0; i < 2000; ++i) {
    const Ball x = as_ball(random.set(53), 2 + random.below(100)),
               y = as_ball(random.set(53), 2 + random.below(100));
    const auto copy = [](const Ball& b) { return Ball(b); };
    CHECK(same(x + y, copy(x) + copy(y)));
    CHECK(same(x - y, copy(x) - y));
    CHECK(same(x * y, x * copy(y)));
    CHECK(same(x / y, copy(x) / copy(y)));
    CHECK(same(exp(x), exp(copy(x))));
    CHECK(same(hull(x, y), hull(copy(x), copy(y))));
    CHECK(same(3 - x, 3 - copy(x)));
    Ball z = x;
    z += z;
    CHECK(overlaps(z, 2 * x));
    z = x;
    Ball& same_z = z;
    z = std::move(same_z);
    CHECK(same(z, x));
  }
}

TEST_CASE("ends, hulls, intersections and comparisons agree with points") {
  Random random(16);
  for (int i = 0; i < 3000; ++i) {
    const Interval s = random.set(53), t = random.set(53);
    if (!s.is_finite() || !t.is_finite()) continue;
    const Bits bits = 2 + random.below(120);
    const Ball x = as_ball(s, bits), y = as_ball(t, bits);
    const Dyadic a = random.member(s), b = random.member(t);
    CHECK(x.contains(a));
    CHECK(x.lower() <= a);
    CHECK(a <= x.upper());
    CHECK(x.lower(2) <= x.lower());
    CHECK(x.upper() <= x.upper(2));
    CHECK(hull(x, y).contains(a));
    CHECK(hull(x, y).contains(b));
    if (x.contains(b)) CHECK(intersection(x, y).contains(b));
    if (certainly(less(x, y))) CHECK(a < b);
    if (less(x, y) == Truth::no) CHECK(b <= a);
    if (certainly(equal(x, y))) CHECK(a == b);
    if (certainly(x.is_positive())) CHECK(a.sign() > 0);
    if (x.is_zero() == Truth::no) CHECK(a.sign() != 0);
    if (a.sign() >= 0 && certainly(x.is_nonnegative())) CHECK(up_from_zero(x).contains(a));
    CHECK(x.at(2 + random.below(120)).contains(a));
  }
  CHECK_THROWS_AS(intersection(Ball(1), Ball(2)), Error);
}
