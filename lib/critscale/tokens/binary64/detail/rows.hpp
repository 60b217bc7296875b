// Rows of the attention matrix in binary64: weights, their sums, means and Jacobian blocks, each with its
// error bound ([token-weights], [token-jacobian]). Private to tokens/; uses facts.hpp and formulas.hpp.
#pragma once

#include <mutex>
#include <vector>

#include "critscale/tokens/binary64/detail/facts.hpp"
#include "critscale/tokens/detail/formulas.hpp"
#include "critscale/tokens/row_sharing.hpp"

namespace critscale {

/// Row i once its weights are known.
struct RowState {
  TokenRow<Bounded> moments;  ///< the Jacobian's sums where it is asked for
  double weight_error = 0;    ///< relative error of every A_ij
  /// Its part that differs from j to j, and the part that is one factor for the row.
  double scattered_error = 0, common_error = 0;
  double distance_error = 0;      ///< the largest absolute error of a D_ij in this row
  double reach1 = 0, reach2 = 0;  ///< sum_j A_ij omega_j, sum_j A_ij omega_j^2, from above
  Bounded mean2;                  ///< sum_j A_ij s_j
  double mean_error = 0;          ///< |error of m_i - c|
  double mean_length = 0;         ///< |m_i - c| from above
  Bounded length2;                ///< |m_i - c|^2
  Bounded jacobian;               ///< sum_k |block(i,k)|^2
};

/// Absolute errors: weights below 2^-980 that are taken for 0, and everything that underflows
/// [token-weights].
inline constexpr double least_bound = 0x1p-900;

/// Whether the Jacobian of a row is taken from the covariance itself, which needs no products of pairs.
inline bool covariance_is_small(std::size_t n, std::size_t d) { return d * d <= 2 * n; }

class DoubleRows {
 public:
  DoubleRows(const TokenFacts& facts, const TokenDoubles& t, const LayerRequest& request);

  /// Whether the bounds, which are of first order, apply to this beta and alpha.
  bool applies() const;
  /// Fills `rows`; `means` where asked for or needed. With `sharing`, each of its processes has all of them.
  void run(bool with_means, bool with_jacobian, const RowSharing* sharing = nullptr);
  /// Calls the request's checkpoint, one thread at a time.
  void checkpoint() const;

  std::vector<RowState> rows;
  std::vector<double> means;  ///< m_i - c, row by row
  const Bounded beta;
  const Ball alpha_ball;  ///< alpha 2^scale, for norms 2^-scale
  const Bounded alpha;

 private:
  double distance_error(double omega_i) const;
  double exponent_error(double omega_i) const;
  double projection_error(const RowState& row) const;
  void block(RowBlock b);
  void weights(std::size_t i, double* A, const double* D);
  void mean(std::size_t i);
  void jacobian_rows(RowBlock b, MatrixView A, MatrixView W, const double* D, double* scratch);
  /// tr C_i and |C_i|_F^2, from C_i itself or from K.
  struct Covariance {
    Bounded trace, square;
  };
  Covariance covariance_itself(std::size_t i, const double* A, double* scratch) const;
  Covariance covariance_by_products(std::size_t i, double squares, double form) const;
  Bounded own(std::size_t i, double variance, const Covariance& covariance, double image2);

  const TokenFacts& facts_;
  const TokenDoubles& t_;
  const TokenKernels& k_;
  const LayerRequest& request_;
  const std::size_t n_, d_;
  const double gamma_n_, gamma_d_;
  bool jacobian_ = false;
  mutable std::mutex mutex_;
};

/// A relative error as a bound.
inline Bounded relative_bound(double v, double error) {
  return {v, magnitude(v) * error * bound_slack + least_bound};
}

}  // namespace critscale
