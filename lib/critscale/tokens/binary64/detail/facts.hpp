// Explicit tokens in binary64 with proved error bounds: what depends on the tokens alone. The letters and
// the proofs are in THEORY-tokens.md. Private to tokens/; uses facts.hpp and kernels.hpp.
#pragma once

#include <memory>
#include <vector>

#include "critscale/tokens/binary64/detail/bounded.hpp"
#include "critscale/tokens/binary64/detail/kernels.hpp"
#include "critscale/tokens/detail/facts.hpp"

namespace critscale {

/// gamma_k = k u/(1 - k u) from above, for k <= 2^20.
inline double gamma_bound(std::size_t k) { return static_cast<double>(k) * Bounded::u * (1 + 0x1p-30); }

/// Bounds of this kind are sums and products of a few dozen numbers >= 0: their own rounding, and the second
/// order that THEORY-tokens.md leaves to it, is covered by this factor.
inline constexpr double bound_slack = 1.01;

/// The enclosure [v - e, v + e]; the whole line where e is not finite.
Ball to_ball(Bounded x);
/// An enclosure as a double and a bound; e is infinite where the doubles do not reach it.
Bounded to_bounded(const Ball& x);

/// Rows of about equal work for threads: [first, last).
struct RowBlock {
  std::size_t first, last;
  std::size_t size() const { return last - first; }
};
std::vector<RowBlock> row_blocks(std::size_t n);

struct TokenDoubles {
  /// Products of all pairs are kept for so many tokens; of more they are made by blocks, as often as needed.
  static constexpr std::size_t most_kept = std::size_t{1} << 15;
  /// Empty for sets this path leaves to Ball arithmetic: on one line, or too large for its bounds.
  static std::shared_ptr<const TokenDoubles> make(const TokenSet& tokens, const TokenFacts& facts,
                                                  const TokenKernels& kernels, std::size_t kept = most_kept);

  const TokenKernels& kernels;
  std::size_t n, d;
  std::size_t height_n, height_d;        ///< summation_height(n), of d
  std::vector<double> centre;            ///< c, exactly these numbers
  std::vector<double> W;                 ///< w_i = y_i - c, row by row, |error of w_i| <= 5u omega_i
  std::vector<double> K;                 ///< <w_i, w_j>, |error| <= kappa omega_i omega_j; may be empty
  std::vector<double> s, omega, omega2;  ///< K_ii; upper bounds of |w_i| and of its square
  double omega_max, kappa;
  double kappa_distance;   ///< |error of D_ij| <= kappa_distance (omega_i + omega_j)^2
  std::vector<Ball> norm;  ///< r_i 2^-scale, the smallest about 1
  long scale;
  std::vector<double> inverse_norm2;

  /// <w_i, w_j> for the block's rows i, each with room for n numbers, and j < width at least; `room` is
  /// filled where they are not kept.
  const double* products(RowBlock rows, std::size_t width, std::vector<double>& room) const;
  /// D_ij for j < width, ties exactly 0, from row i of the products.
  void distances(const TokenFacts& facts, std::size_t i, const double* products, std::size_t width,
                 double* D) const;
  /// D_ij from the difference of the two tokens: better for close pairs.
  Bounded close_distance(std::size_t i, std::size_t j) const;

 private:
  TokenDoubles(const TokenSet& tokens, const TokenKernels& kernels, bool keep);
};

}  // namespace critscale
