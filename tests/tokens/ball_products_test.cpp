// Products of large matrices by digits ([ball-products]): every product of matrices of points inside is
// enclosed, also at the ends of the Balls, and little is lost; and a layer of several blocks of rows.
#include <catch2/catch.hpp>

#include "critscale/text/print.hpp"
#include "critscale/tokens/ball/detail/product.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "number/random_intervals.hpp"
#include "tokens/token_sets.hpp"

using namespace critscale;
using test::Random;

namespace {

constexpr Bits fine_bits = 1200;

/// Entries of one size in a row, up to 2^-`spread`; radii of about 2^-`accuracy` of the entry, or none.
BallMatrix random_rows(Random& random, std::size_t rows, std::size_t cols, Bits bits, int spread,
                       int accuracy) {
  BallMatrix r(rows, cols, bits);
  for (std::size_t i = 0; i < rows; ++i) {
    const long size = random.below(400) - 200;
    for (std::size_t k = 0; k < cols; ++k) {
      const long numerator = random.below(2000001) - 1000000, exponent = size - random.below(spread + 1);
      Ball x = Ball(numerator, bits) / Ball(999983, bits);
      arb_mul_2exp_si(x.raw(), x.raw(), exponent);
      if (random.below(4) == 0) x = x.center();
      if (accuracy > 0 && random.below(3) == 0) arb_add_error_2exp_si(x.raw(), exponent - accuracy);
      r.set(i, k, x);
    }
  }
  return r;
}

/// A point of a Ball: its centre, or the end on the side of `sign`.
Ball point(const Ball& x, int sign) {
  if (sign == 0) return x.center().at(fine_bits);
  return (sign > 0 ? Ball::exactly(x.upper(), fine_bits) : Ball::exactly(x.lower(), fine_bits));
}

void check_entry(const BallMatrix& A, std::size_t i, const BallMatrix& B, std::size_t j,
                 const Ball& product) {
  Ball middle(0, fine_bits), highest(0, fine_bits), lowest(0, fine_bits);
  for (std::size_t k = 0; k < B.cols(); ++k) {
    const Ball a = A(i, k), b = B(j, k);
    middle += point(a, 0) * point(b, 0);
    // The ends of a b are products of ends.
    Ball high = point(a, 1) * point(b, 1), low = high;
    for (const auto& [s, t] : {std::pair{1, -1}, {-1, 1}, {-1, -1}}) {
      const Ball x = point(a, s) * point(b, t);
      high = max(std::move(high), x);
      low = min(std::move(low), x);
    }
    highest += high;
    lowest += low;
  }
  CHECK(product.contains(middle));
  CHECK(product.contains(highest));
  CHECK(product.contains(lowest));
}

}  // namespace

TEST_CASE("products by digits enclose every product of points inside") {
  Random random(31);
  for (const auto& [m, n, k, terms] :
       {std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>{70, 80, 60, 60},
        {1, 520, 600, 600},
        {140, 270, 9, 9},
        {64, 70, 100, 333},
        {3, 2, 4, 7}})
    for (const Bits bits : {Bits(20), Bits(64), Bits(128), Bits(200), Bits(700)})
      for (const int accuracy : {0, 15}) {
        const BallMatrix A = random_rows(random, m, terms, bits, 30, accuracy),
                         B = random_rows(random, n, k, bits, 30, accuracy);
        const RightFactor right(B.copy(), Checkpoint(), terms);
        LeftFactor left(A);
        const BallMatrix P = right.product(left), again = right.product(left);
        REQUIRE(P.rows() == m);
        REQUIRE(P.cols() == n);
        for (int draw = 0; draw < 25; ++draw) {
          const auto i = static_cast<std::size_t>(random.below(static_cast<long>(m))),
                     j = static_cast<std::size_t>(random.below(static_cast<long>(n)));
          INFO(m << " x " << n << " x " << k << " of " << terms << ", " << bits << " bits, entry " << i
                 << ", " << j);
          check_entry(A, i, B, j, P(i, j));
          CHECK(arb_equal(P.raw(i, j), again.raw(i, j)) != 0);
        }
      }
}

TEST_CASE("products by digits keep the bits that the largest entries of the rows leave") {
  Random random(32);
  const BallMatrix A = random_rows(random, 90, 256, 128, 0, 0), B = random_rows(random, 80, 256, 128, 0, 0);
  const BallMatrix P = RightFactor(B.copy(), Checkpoint()).product(A);
  for (std::size_t i = 0; i < 90; i += 7)
    for (std::size_t j = 0; j < 80; j += 7) {
      Ball size(0, 128);
      for (std::size_t k = 0; k < 256; ++k) size += abs(A(i, k) * B(j, k));
      // 128 bits of the sum of sizes, less what 256 roundings of the entries cost.
      CHECK(certainly(less(abs(P(i, j) - P(i, j).center()), scaled(size, Integer(-112)))));
    }
}

TEST_CASE("a layer of several blocks of rows has the same Jacobian norm in both arithmetics") {
  // With 40 dimensions the squares of all products are used, with 20 the second moments.
  for (const std::size_t d : {20, 40}) {
    const TokenModel model(gaussian_tokens(600, d, Rational(1, 2), 7));
    TokenOptions options;
    options.quantities = {Quantity::jacobian_norm};
    options.digits = 8;
    for (const Rational& gamma : {Rational(1, 2), Rational(3, 2), Rational(4)}) {
      const auto rough = model.evaluate(token_test::gamma_scale(gamma), Rational(1, 3), options);
      options.digits = 25;
      const auto fine = model.evaluate(token_test::gamma_scale(gamma), Rational(1, 3), options);
      options.digits = 8;
      REQUIRE(rough.jacobian_norm);
      REQUIRE(fine.jacobian_norm);
      CHECK(rough.jacobian_norm->contains(*fine.jacobian_norm));
      CHECK(has_digits(*fine.jacobian_norm, 25));
    }
  }
}
