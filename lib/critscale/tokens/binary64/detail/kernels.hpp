// The loops over n^2 numbers of the binary64 path, compiled once for every instruction set: matrix products,
// exponentials and elementwise formulas. THEORY-tokens.md proves the error bounds named here. Raw pointers
// and plain numbers only, because nothing else may cross between instruction sets. Uses nothing.
#pragma once

#include <cstddef>
#include <span>

namespace critscale {

/// Sums are taken in chunks of this many terms: a sum of k terms, in whatever order the terms of a chunk
/// are added, with or without fused multiplication, has an error of at most gamma_h times the sum of the
/// magnitudes, h = summation_height(k).
inline constexpr std::size_t summation_chunk = 64;
inline constexpr std::size_t summation_height(std::size_t k) {
  return (k < summation_chunk ? k : summation_chunk) + (k + summation_chunk - 1) / summation_chunk;
}

/// A row-major matrix that is somewhere else.
struct MatrixView {
  const double* data;
  std::size_t rows, cols, stride;
};

/// One row i of the Jacobian's blocks (i, k), k = 0..n-1 ([jacobian]), in the letters of THEORY-tokens.md.
struct BlockRow {
  std::size_t n;
  const double *A, *D, *Q, *s, *omega, *inverse_norm2;
  double omega_i, kappa, kappa_distance;  ///< |error of D_ik| <= kappa_distance (omega_i + omega_k)^2/2
  double nu;                              ///< |error of Q_ik| <= nu omega_k
  double mean2, mean2_error;              ///< sum_j A_ij s_j
  double length2, length2_error;          ///< |m_i - c|^2
  double distance, distance_error;        ///< sum_j A_ij D_ij
  double beta, beta_error, d_minus_1;
  /// Out: A_ik^2 / r_k^2 times the factor, and times its error bound.
  double *value, *error;
};

/// One row i of pairs (i, j), j < n.
struct PairRow {
  std::size_t n;
  const double *D, *omega;                  ///< input distances
  const double *P, *q, *gamma, *phi;        ///< <g_i, g_j>, |g_j|^2, its root from above, error of g_j
  const double *q_error, *chi, *chi_error;  ///< chi_j = <centre, g_j>
  const double *length, *length_error;      ///< |h_j|
  double omega_i, kappa_distance, kappa_output;
  double q_i, gamma_i, phi_i, q_i_error, chi_i, chi_i_error, length_i, length_i_error;
  /// Out: 1 - cos, its error bound, D's error bound, (1 - cos)/D and its error bound.
  double *complement, *complement_error, *distance_error, *ratio, *ratio_error;
};

/// One row i of gradients of attention, over the keys j = 0..n-1 ([attention-backward-binary64]).
struct ScoreGradientRow {
  std::size_t n, top;
  const double* P;           ///< weights
  double* x;                 ///< <dO_i, v_j - v_top>; out: dS_j = P_j (x_j + shift) slope_j
  const double* slope;       ///< of the softcap; null without one
  double shift;              ///< added to every x_j
  const double *kappa, *nu;  ///< |k_j|, |v_j| from above
  /// Errors added up for key j: |dS_j| (of_score_key kappa_j + of_score) + P_j (of_value nu_j + of_top), the
  /// terms of_value and of_top but for j = top, and P_j of_shift; then P_j (of_weight_key kappa_j +
  /// of_weight).
  double of_score_key, of_score, of_value, of_top, of_shift, of_weight_key, of_weight;
  double *key_error, *value_error;
};

struct TokenKernels {
  const char* instruction_set;
  /// C = A B^T and C = A B; C has the row stride given. `scratch` has room for as many numbers as C.
  void (*times_transposed)(MatrixView A, MatrixView B, double* C, std::size_t stride, double* scratch);
  void (*times)(MatrixView A, MatrixView B, double* C, std::size_t stride, double* scratch);
  /// out_i = sum_jk A_ij K_jk^2 A_ik for a symmetric K. `scratch` holds (A.rows + summation_chunk) n numbers.
  void (*quadratic_form)(MatrixView A, MatrixView K, double* out, double* scratch);
  /// D_j = max(0, (s_i + s_j)/2 - K_j).
  void (*distances)(std::size_t n, const double* K, const double* s, double s_i, double* D);
  /// E_j = exp(-beta D_j) with relative error at most 2^-50 against the exact exponential of the rounded
  /// product, and absolute error 2^-980.
  void (*exponentials)(std::size_t n, double beta, const double* D, double* E);
  double (*sum)(std::size_t n, const double* a);
  double (*dot)(std::size_t n, const double* a, const double* b);
  /// a_j *= factor.
  void (*scale)(std::size_t n, double factor, double* a);
  /// U_j = A_j (D_j - mean); returns sum_j U_j (D_j - mean).
  double (*deviations)(std::size_t n, const double* A, const double* D, double mean, double* U,
                       double* scratch);
  /// C = sum_j A_j (w_j - c)(w_j - c)^T for the n rows w_j of d numbers of W. `scratch` holds
  /// (2 summation_chunk + d) d numbers.
  void (*covariance)(std::size_t n, std::size_t d, const double* A, const double* W, const double* c,
                     double* C, double* scratch);
  void (*block_row)(const BlockRow& row);
  void (*pair_row)(const PairRow& row);
  /// |a - b|^2.
  double (*distance2)(std::size_t n, const double* a, const double* b);
  /// C += A^T B, the product of all rows computed apart in `scratch`, which has room for as many numbers as
  /// C.
  void (*add_transposed_times)(MatrixView A, MatrixView B, double* C, std::size_t stride, double* scratch);
  /// The largest number; minus infinity for none.
  double (*largest)(std::size_t n, const double* a);
  /// t_j = top - s_j.
  void (*gaps)(std::size_t n, double top, const double* s, double* t);
  /// a_j -= c.
  void (*shift)(std::size_t n, double c, double* a);
  /// c_j = a_j b_j.
  void (*products)(std::size_t n, const double* a, const double* b, double* c);
  /// sum_j |a_j| and sum_j |a_j| b_j.
  double (*sum_of_magnitudes)(std::size_t n, const double* a);
  double (*dot_of_magnitudes)(std::size_t n, const double* a, const double* b);
  void (*score_gradient_row)(const ScoreGradientRow& row);
};

/// The kernels this processor can run, the fastest first; the last runs everywhere.
std::span<const TokenKernels* const> token_kernels();

}  // namespace critscale
