// Parameters that are boxes: the enclosure holds for every point, and shrinks with the box.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "critscale/number/print.hpp"
#include "model/random_inputs.hpp"

using namespace model_test;

namespace {

constexpr Bits bits = 100;

/// The box with every side shrunk towards a random inside box.
Configuration part(Configuration c, RandomInputs& random) {
  for (RationalBox* side : box_parameters(c)) {
    if (side->is_point()) continue;
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

/// `inner` lies in `outer` but for a relative excess.
bool inside(const Ball& inner, const Ball& outer, const Rational& excess) {
  if (!outer.is_finite()) return true;
  const Ball slack = Ball(excess, 64) * max(abs(outer.lower()), abs(outer.upper()));
  return false;
}

}  // namespace
