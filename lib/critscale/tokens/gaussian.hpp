// The paper's tokens ([gaussian-tokens]): x_i = sqrt(rho) z_0 + sqrt(1-rho) z_i, z standard Gaussian in R^d
// divided by sqrt d; exact doubles that are the same on every machine. Uses set.hpp.
#pragma once

#include <cstdint>

#include "critscale/tokens/set.hpp"

namespace critscale {

/// The Gaussian vectors z_0, ..., z_n of one seed, from which the tokens of every rho are made. A
/// coordinate depends on the seed, the vector's number and the coordinate's number only: larger n or d
/// adds numbers and changes none.
class GaussianDraw {
 public:
  /// Standard Gaussians g by Box and Muller from Philox4x32-10, each rounded correctly to a double.
  /// Throws InputError unless n >= 2, d >= 1 and (n+1) d <= 2^31.
  GaussianDraw(std::size_t n, std::size_t d, std::uint64_t seed);

  std::size_t n() const { return n_; }
  std::size_t d() const { return d_; }
  /// sqrt(d) z_i, row by row, i = 0..n.
  std::span<const double> gaussians() const { return g_; }

  /// x_ik = fma(a, g_0k, b g_ik) with a and b the doubles next to sqrt(rho/d) and sqrt((1-rho)/d).
  /// Throws InputError unless 0 <= rho <= 1.
  TokenSet tokens(const Rational& rho) const;

 private:
  std::size_t n_, d_;
  std::vector<double> g_;
};

/// Standard Gaussians for queries, keys and values, rows x width numbers, each the binary32 number next to
/// the transformation of Box and Muller of Philox4x32-10: quick to draw, and of a size that models use. A
/// number depends on the seed, `array` (0, 1, 2 ... for arrays that are independent), its row and its column
/// only. Throws InputError for more than 2^32 rows.
std::vector<double> gaussian_array(std::size_t rows, std::size_t width, std::uint64_t seed,
                                   std::uint32_t array);

/// GaussianDraw(n, d, seed).tokens(rho).
TokenSet gaussian_tokens(std::size_t n, std::size_t d, const Rational& rho, std::uint64_t seed);

}  // namespace critscale
