// The generator against its published test vectors, and the Gaussian tokens against their definition.
#include <catch2/catch.hpp>
#include <cmath>

#include "critscale/number/rounding.hpp"
#include "critscale/tokens/detail/philox.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "tokens/token_sets.hpp"

namespace {

using namespace token_test;
using Words = std::array<std::uint32_t, 4>;

}  // namespace

TEST_CASE("Philox4x32-10 gives the known answers of its authors") {
  // Random123, kat_vectors: zeros, ones, and the digits of pi.
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("Gaussians are Box and Muller's, rounded correctly, and belong to their place") {
  const std::uint64_t seed = 0x123456789abcdef0U;
  const GaussianDraw draw(6, 5, seed), larger(9, 8, seed);
  for (std::size_t i = 0; i <= 6; ++i)
    for (std::size_t k = 0; k < 5; ++k) {
      CHECK(draw.gaussians()[5 * i + k] == larger.gaussians()[8 * i + k]);
      const Words w = philox({static_cast<std::uint32_t>(k / 2), 0, static_cast<std::uint32_t>(i), 0},
                             {0x9abcdef0, 0x12345678});
      const auto uniform = [](std::uint32_t high, std::uint32_t low) {
        return scaled(Ball(Integer((Integer(high) << 33) + 2 * Integer(low) + 1), 400), -65);
      };
      const Ball radius = sqrt(-2L * log(uniform(w[0], w[1])));
      Ball sine(0, 400), cosine(0, 400);
      arb_sin_cos_pi(sine.raw(), cosine.raw(), (2L * uniform(w[2], w[3])).raw(), 400);
      CHECK(draw.gaussians()[5 * i + k] ==
            as_double(*round_to(binary64, radius * (k % 2 == 0 ? cosine : sine))));
    }
  CHECK(GaussianDraw(6, 5, seed + 1).gaussians()[0] != draw.gaussians()[0]);
}

TEST_CASE("tokens are sqrt(rho) z_0 + sqrt(1-rho) z_i, the same doubles on every machine") {
  const GaussianDraw draw(3, 4, 5);
  const TokenSet one = draw.tokens(1), none = draw.tokens(0), half = draw.tokens(Rational(1, 2));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 4; ++k) {
      // sqrt(1/4) = 1/2 exactly.
      CHECK(one.doubles()[4 * i + k] == 0.5 * draw.gaussians()[k]);
      CHECK(none.doubles()[4 * i + k] == 0.5 * draw.gaussians()[4 * (i + 1) + k]);
      const Ball exact = sqrt(Ball(Rational(1, 8), 200)) * (Ball::exactly(draw.gaussians()[k]) +
                                                            Ball::exactly(draw.gaussians()[4 * (i + 1) + k]));
      const Ball error = abs(exact - Ball::exactly(half.doubles()[4 * i + k], 200));
      CHECK(certainly(less(error, scaled(Ball(8, 200), -53))));
    }
  CHECK_THROWS_WITH(draw.tokens(Rational(3, 2)), "rho must lie in [0, 1], found 3/2");
  // Fixed for ever: a change of these numbers changes every published result made with them.
  const GaussianDraw fixed(2, 3, 1);
  CHECK(fixed.gaussians()[0] == -0x1.a7d4d42746e8bp-2);
  CHECK(fixed.gaussians()[8] == -0x1.61d7be6c5826dp-4);
}

TEST_CASE("Gaussians have the moments of a standard normal") {
  const GaussianDraw draw(999, 100, 77);
  double sum = 0, squares = 0, fourth = 0;
  const double n = static_cast<double>(draw.gaussians().size());
  for (const double g : draw.gaussians()) {
    sum += g;
    squares += g * g;
    fourth += g * g * g * g;
  }
  // Five standard deviations of each mean.
  CHECK(std::fabs(sum / n) < 5 / std::sqrt(n));
  CHECK(std::fabs(squares / n - 1) < 5 * std::sqrt(2 / n));
  CHECK(std::fabs(fourth / n - 3) < 5 * std::sqrt(96 / n));
}

TEST_CASE("arrays of Gaussians are Box and Muller's, rounded to binary32, and belong to their place") {
  const std::uint64_t seed = 77;
  const std::vector<double> a = gaussian_array(300, 5, seed, 2), wider = gaussian_array(301, 8, seed, 2);
  double square = 0;
  for (std::uint32_t i = 0; i < 300; ++i)
    for (std::uint32_t k = 0; k < 5; ++k) {
      CHECK(a[5 * i + k] == wider[8 * i + k]);
      const Words w = philox({k / 2, 3, i, 0}, {77, 0});
      const auto uniform = [](std::uint32_t high, std::uint32_t low) {
        return (Ball(std::uint64_t{high} << 32 | low, 200) + scaled(Ball(1, 200), -1)) *
               scaled(Ball(1, 200), -64);
      };
      const Ball radius = sqrt(-2L * log(uniform(w[0], w[1])));
      Ball sine(0, 200), cosine(0, 200);
      arb_sin_cos_pi(sine.raw(), cosine.raw(), (2L * uniform(w[2], w[3])).raw(), 200);
      const Ball right = radius * (k % 2 == 0 ? cosine : sine);
      // The nearest number of 24 bits.
      CHECK(a[5 * i + k] == static_cast<double>(static_cast<float>(a[5 * i + k])));
      const Ball away = abs(Ball::exactly(a[5 * i + k], 200) - right);
      CHECK(certainly(less_equal(away, scaled(abs(right), -24))));
      square += a[5 * i + k] * a[5 * i + k];
    }
  CHECK(square / 1500 == Approx(1).margin(0.2));
}
