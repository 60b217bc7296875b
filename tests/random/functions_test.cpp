// The sphere's moments: closed forms, another route, large orders and arguments.
#include <catch2/catch.hpp>

#include "critscale/number/detail/flint_special.hpp"
#include "critscale/random/detail/functions.hpp"
#include "random/support.hpp"

namespace critscale::random {

TEST_CASE("random functions: the sphere's moment for m = 3 and by Arb's series") {
  const Bits bits = 200;
  for (const long x : {1L, 7L, 300L, 20000L, 3000000L}) {
    INFO("x = " << x);
    // v is uniform: E exp(x (v - 1)) = (1 - exp(-2 x))/(2 x).
    const Ball b(x, bits);
    CHECK(overlaps(sphere_moment(Ball(3, bits), b), -expm1(-2 * b) / (2 * b)));
    CHECK(sphere_moment(Ball(3, bits), b).accurate_bits() > 180);
  }
  for (const auto& [m, x] :
       std::vector<std::pair<long, long>>{{2, 5}, {13, 40}, {4605, 3450}, {1000, 20000}}) {
    INFO("m = " << m << ", x = " << x);
    const Ball half = Ball(m, 300) / 2, z = sqr(Ball(x, 300)) / 4;
    Ball r(0, 300);
    arb_hypgeom_0f1(r.raw(), half.raw(), z.raw(), 0, 300);
    const Ball mine = sphere_moment(Ball(m, bits), Ball(x, bits));
    CHECK(overlaps(mine, r * exp(-Ball(x, 300))));
    CHECK(mine.accurate_bits() > 160);
  }
}

TEST_CASE("random functions: two precisions of a large moment overlap, and it is near its expansion") {
  // ln E e^(x (v - 1)) of Laplace's method: with m, x = s (1, 1) the stationary v has v/(1 - v^2) = x/m = 1.
  const Ball m(10000000, 160), x(10000000, 160);
  const Ball coarse = sphere_moment(m, x), fine = sphere_moment(m.at(260), x.at(260));
  CHECK(overlaps(coarse, fine));
  CHECK(coarse.accurate_bits() > 110);
  const Ball v = (sqrt(Ball(5, 160)) - 1) / 2;
  const Ball exponent = log1p(-sqr(v)) / 2 + v - 1;
  // ln M = m exponent + O(1).
  CHECK(certainly(less(abs(log(coarse) - m * exponent), Ball(3, 64))));
}

}  // namespace critscale::random
