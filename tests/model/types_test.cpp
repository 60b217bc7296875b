// The evaluators in the number types they are written for beside Ball and Interval.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "model/other_types.hpp"
#include "model/random_inputs.hpp"

using namespace model_test;

namespace {

const Configuration simplex_case =
    with_layer(simplex(PowerProduct(1000), Rational(1, 3), Rational(7, 5)), Rational(1, 2), Rational(9, 4));
const Configuration bands_case = with_layer(banded({{Rational(4, 5), PowerProduct(10)},
                                                    {Rational(1, 5), PowerProduct(200)},
                                                    {Rational(1, 7), PowerProduct(1000)}},
                                                   Rational(6, 5)),
                                            Rational(1, 3), Rational(5, 7));

/// |a - b| <= tolerance |b|.
bool close(const Ball& a, const Ball& b, const Rational& tolerance) {
  return certainly(less_equal(abs(a - b), Ball(tolerance, 64) * abs(b)));
}

}  // namespace

TEST_CASE("double and fixed mpfr_float agree with Ball as far as their digits go") {
  for (const Configuration& c : {simplex_case, bands_case}) {
    INFO(describe(c));
    const NamedValues<Ball> exact = ball_values(c, 300), fixed = fixed_values(c);
    const NamedValues<double> doubles = double_values(c);
    REQUIRE(doubles.size() == exact.size());
    REQUIRE(fixed.size() == exact.size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      INFO(exact[i].name << ": " << describe(exact[i].value) << ", fixed " << describe(fixed[i].value)
                         << ", double " << doubles[i].value);
      CHECK(exact[i].name == fixed[i].name);
      CHECK(exact[i].name == doubles[i].name);
      CHECK(close(fixed[i].value, exact[i].value, tenth_to(45)));
      CHECK(close(Ball::exactly(doubles[i].value), exact[i].value, tenth_to(11)));
    }
  }
}

TEST_CASE("Dual carries the value, and derivatives that difference quotients confirm") {
  for (const Configuration& c : {simplex_case, bands_case}) {
    // Dual knows derivatives by parameters that are proper boxes: boxes far narrower than the step.
    const Rational step = tenth_to(30), half_width = tenth_to(90);
    Configuration narrow = c;
    for (RationalBox* side : box_parameters(narrow)) *side = {side->lo - half_width, side->lo + half_width};
    const NamedValues<Dual<Ball>> duals = dual_values(narrow, 600);
    const NamedValues<Ball> values = ball_values(c, 600);
    REQUIRE(duals.size() == values.size());
    for (std::size_t i = 0; i < duals.size(); ++i) {
      INFO(duals[i].name);
      CHECK(overlaps(duals[i].value.value(), values[i].value));
    }
    Configuration moved = c;
    const std::vector<RationalBox*> sides = box_parameters(moved);
    for (std::size_t k = 0; k < sides.size(); ++k) {
      const RationalBox at = *sides[k];
      *sides[k] = point(at.lo + step);
      const NamedValues<Ball> up = ball_values(moved, 600);
      *sides[k] = point(at.lo - step);
      // The offset of beta may be moved below zero: beta itself stays positive.
      const NamedValues<Ball> down = ball_values(moved, 600);
      *sides[k] = at;
      for (std::size_t i = 0; i < duals.size(); ++i) {
        const Ball slope = (up[i].value - down[i].value) / (2 * Ball(step, 600));
        const Ball derivative = duals[i].value.derivative(k);
        INFO("parameter " << k << " of " << describe(c) << "\n"
                          << duals[i].name << ": slope " << describe(slope) << ", derivative "
                          << describe(derivative));
        CHECK(derivative.is_finite());
        CHECK(certainly(less(abs(slope - derivative), Ball(tenth_to(30), 64) * (1 + abs(slope)))));
      }
    }
  }
}

TEST_CASE("the number of operations does not depend on n") {
  const auto bands = [](const PowerProduct& n) {
    return banded({{Rational(4, 5), pow(n, Rational(1, 2))}, {Rational(1, 5), n}}, Rational(3, 2));
  };
  const PowerProduct small(100), huge = ten_to(Rational(100000000000000));
  CHECK(operation_counts(simplex(small, Rational(1, 3), Rational(3, 2))) ==
        operation_counts(simplex(huge, Rational(1, 3), Rational(3, 2))));
  CHECK(operation_counts(bands(small)) == operation_counts(bands(huge)));
  CHECK(operation_counts(simplex(small, Rational(1, 3), Rational(3, 2))).functions < 20);
  CHECK(operation_counts(bands(small)).functions < 30);
}
