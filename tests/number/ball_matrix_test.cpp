// BallMatrix against sums of products of Balls, on random matrices with entries of very different sizes.
#include "critscale/number/detail/ball_matrix.hpp"

#include <catch2/catch.hpp>

#include "number/random_intervals.hpp"

using namespace critscale;
using test::Random;

namespace {

BallMatrix random_matrix(Random& random, std::size_t rows, std::size_t cols, Bits bits) {
  BallMatrix r(rows, cols, bits);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      const Dyadic a = random.number(), b = random.below(2) ? a : random.number();
      r.set(i, j, a <= b ? Ball(a, b, bits) : Ball(b, a, bits));
    }
  return r;
}

}  // namespace

TEST_CASE("products of matrices overlap sums of products, whatever the sizes of entries") {
  Random random(21);
  for (int round = 0; round < 60; ++round) {
    const auto size = [&] { return static_cast<std::size_t>(1 + random.below(9)); };
    const std::size_t m = size(), k = size(), n = size();
    const Bits bits = 20 + random.below(200);
    const BallMatrix A = random_matrix(random, m, k, bits), B = random_matrix(random, k, n, bits), P = A * B,
                     Bt = B.transposed();
    REQUIRE(P.rows() == m);
    REQUIRE(P.cols() == n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        Ball sum(0, bits), middle(0, 600);
        for (std::size_t l = 0; l < k; ++l) {
          sum += A(i, l) * B(l, j);
          middle += A(i, l).center().at(600) * B(l, j).center().at(600);
        }
        CHECK(overlaps(P(i, j), sum));
        CHECK(overlaps(P(i, j), middle));  // the product of two matrices of points inside
        CHECK(overlaps(A.dot(i, Bt, j), middle));
        CHECK(overlaps(A.dot(i, Bt, j), P(i, j)));
      }
  }
}

TEST_CASE("matrices are moved, and a moved one may be assigned to") {
  Random random(22);
  BallMatrix a = random_matrix(random, 3, 2, 64);
  const Ball entry = a(2, 1);
  BallMatrix b = std::move(a);
  CHECK(overlaps(b(2, 1), entry));
  a = std::move(b);
  CHECK(a.rows() == 3);
  CHECK(a.transposed().rows() == 2);
  CHECK(overlaps(a.transposed()(1, 2), entry));
}
