// Parameters that are boxes: the enclosure holds for every point, and shrinks with the box.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <optional>

#include "critscale/text/print.hpp"
#include "model/random_inputs.hpp"

using namespace model_test;

namespace {

constexpr Bits bits = 100;

RationalBox box(const char* text) { return parse_box(text); }

/// A random box inside a box.
Configuration part(Configuration c, RandomInputs& random) {
  for (RationalBox* side : box_parameters(c)) {
    Rational a = random.inside(*side), b = random.inside(*side);
    if (b < a) std::swap(a, b);
    *side = {a, b};
  }
  return c;
}

/// A random point; sides at their ends every other time.
Configuration point_of(Configuration c, RandomInputs& random) {
  for (RationalBox* side : box_parameters(c))
    *side = point(random.below(2) == 0 ? random.inside(*side) : random.one_of({side->lo, side->hi}));
  return c;
}

/// Whether a lies in b, or sticks out by less than one part in 10^6 of b's size: the radius of a ball
/// is rounded up to some 30 bits.
bool inside(const Ball& a, const Ball& b) {
  if (!b.is_finite() || b.contains(a)) return true;
  const Ball excess = Ball(tenth_to(6), 64) * abs(b);
  return !certainly(less(Ball::exactly(a.lower(), 64), Ball::exactly(b.lower(), 64) - excess)) &&
         !certainly(greater(Ball::exactly(a.upper(), 64), Ball::exactly(b.upper(), 64) + excess));
}

/// The width of an enclosure is at most `most` times the span of values met at points, or a rounding.
void check_width(const Ball& enclosure, const Ball& points, double most) {
  const auto width = [](const Ball& x) {
    return Ball::exactly(x.upper(), 64) - Ball::exactly(x.lower(), 64);
  };
  REQUIRE(enclosure.is_finite());
  CHECK_FALSE(certainly(greater(
      width(enclosure), Ball::exactly(most) * width(points) + Ball(tenth_to(6), 64) * abs(enclosure))));
}

/// Values at 40 random points must lie in the enclosure over the box, the enclosure over a part of the
/// box too, and the enclosure must not be much wider than the points' span.
void check_box(const Configuration& c, RandomInputs& random, std::optional<double> most) {
  INFO(describe(c));
  const NamedValues<Ball> over_box = ball_values(c, bits);
  NamedValues<Ball> span;
  for (int i = 0; i < 40; ++i) {
    const Configuration p = point_of(c, random);
    INFO("at " << describe(p));
    const NamedValues<Ball> at_point = ball_values(p, bits + 40);
    for (const auto& [name, value] : over_box) {
      const Ball& x = find(at_point, name);
      INFO(name << ": " << describe(value) << ", at the point " << describe(x));
      CHECK(value.contains(x.midpoint()));
      CHECK(overlaps(value, x));
    }
    for (std::size_t k = 0; k < over_box.size(); ++k) {
      const Ball& x = find(at_point, over_box[k].name);
      if (i == 0) span.push_back({over_box[k].name, x});
      span[k].value = hull(span[k].value, x);
    }
  }
  for (std::size_t k = 0; k < over_box.size(); ++k) {
    const Ball &value = over_box[k].value, &points = span[k].value;
    INFO(over_box[k].name << ": " << describe(value) << ", points " << describe(points));
    if (most) check_width(value, points, *most);
  }
  const Configuration inner = part(c, random);
  INFO("part " << describe(inner));
  for (const auto& [name, value] : ball_values(inner, bits)) {
    INFO(name << ": " << describe(find(over_box, name)) << ", over the part " << describe(value));
    // Where no tightness is promised a part may be enclosed less tightly than the whole, but never apart from
    // it.
    if (most)
      CHECK(inside(value, find(over_box, name)));
    else
      CHECK(overlaps(value, find(over_box, name)));
  }
}

}  // namespace

TEST_CASE("a box of simplex parameters encloses every point of it") {
  RandomInputs random(21);
  Configuration c = simplex(ten_to(6), Rational(1, 3), 1);
  std::get<Simplex>(c.geometry).rho = box("[3/10,2/5]");
  check_box(c, random, 1.2);
  c.scale.coefficient = box("[1,2]");
  check_box(c, random, 2);
  c.alpha = box("[0,1/10]");
  c.q = box("[1,2]");
  check_box(c, random, 4);

  c = simplex(ten_to(Rational(1000000000000000)), Rational(1, 3), 1);
  c.scale.coefficient = box("[1,2]");
  check_box(c, random, std::nullopt);
  c.alpha = box("[0,1]");
  check_box(c, random, std::nullopt);

  c = with_layer(simplex(PowerProduct(10), 0, Rational(3, 2)), Rational(1, 2), 2);
  std::get<Simplex>(c.geometry).rho = box("[0,99/100]");
  check_box(c, random, 2);
}

TEST_CASE("a box of band parameters encloses every point of it") {
  RandomInputs random(22);
  Configuration c = banded({{Rational(4, 5), ten_to(3)}, {Rational(1, 5), ten_to(6)}}, 1);
  c.scale.coefficient = box("[1,11/10]");
  check_box(c, random, 2);
  // lambda leaves pairs out where r = 1, so that nothing is known of it over this box.
  std::get<Bands>(c.geometry).bands[0].r = box("[4/5,1]");
  check_box(c, random, std::nullopt);
  c = banded({{Rational(4, 5), ten_to(3)}, {Rational(1, 5), ten_to(6)}, {Rational(1, 10), ten_to(12)}}, 1);
  c.scale.offset = box("[0,1]");
  check_box(c, random, 2);
}

TEST_CASE("where all pairs are tied somewhere in a box, lambda alone is undefined") {
  Configuration c = simplex(PowerProduct(10), 0, 1);
  std::get<Simplex>(c.geometry).rho = box("[1/2,1]");
  const Evaluation e = evaluate(c, all_quantities(), bits);
  for (const QuantityValues& q : e.quantities) {
    INFO(name(q.quantity));
    CHECK(q.values.empty() == (q.quantity == Quantity::angle_ratio));
    CHECK(q.undefined.has_value() == (q.quantity == Quantity::angle_ratio));
  }
}
