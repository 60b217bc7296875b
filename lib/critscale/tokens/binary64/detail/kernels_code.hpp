// The kernels' code; included once for every instruction set, with CRITSCALE_KERNELS naming it and Eigen
// renamed after it. Includes no header whose inline functions could be shared with other code.
#pragma once

#ifndef CRITSCALE_KERNELS
#error "CRITSCALE_KERNELS must name the instruction set"
#endif

#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_DEBUG
#include <Eigen/Core>

#include "critscale/tokens/binary64/detail/bounded.hpp"
#include "critscale/tokens/binary64/detail/kernels.hpp"
#include "critscale/tokens/detail/formulas.hpp"

namespace critscale {
inline namespace CRITSCALE_KERNELS {
namespace {

using Index = Eigen::Index;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;
using ConstMap = Eigen::Map<const Rows, 0, Stride>;
using Map = Eigen::Map<Rows, 0, Stride>;
using Vector = Eigen::Map<const Eigen::ArrayXd>;

Index index(std::size_t i) { return static_cast<Index>(i); }
ConstMap view(const MatrixView& A) {
  return ConstMap(A.data, index(A.rows), index(A.cols), Stride(index(A.stride)));
}

/// C = sum over chunks of the inner dimension of product(first, length), each computed apart in scratch.
template <class Product>
void in_chunks(std::size_t inner, Map C, double* scratch, const Product& product) {
  Map part(scratch, C.rows(), C.cols(), Stride(C.cols()));
  for (std::size_t k = 0; k < inner; k += summation_chunk) {
    const Index length = index(inner - k < summation_chunk ? inner - k : summation_chunk);
    if (k == 0) {
      C.noalias() = product(index(k), length);
    } else {
      part.noalias() = product(index(k), length);
      C += part;
    }
  }
}

void times_transposed(MatrixView A, MatrixView B, double* C, std::size_t stride, double* scratch) {
  const ConstMap a = view(A), b = view(B);
  in_chunks(A.cols, Map(C, a.rows(), b.rows(), Stride(index(stride))), scratch, [&](Index k, Index length) {
    return a.middleCols(k, length) * b.middleCols(k, length).transpose();
  });
}

void times(MatrixView A, MatrixView B, double* C, std::size_t stride, double* scratch) {
  const ConstMap a = view(A), b = view(B);
  in_chunks(A.cols, Map(C, a.rows(), b.cols(), Stride(index(stride))), scratch,
            [&](Index k, Index length) { return a.middleCols(k, length) * b.middleRows(k, length); });
}

double dot(std::size_t n, const double* a, const double* b) {
  double total = 0;
  for (std::size_t k = 0; k < n; k += summation_chunk) {
    const Index length = index(n - k < summation_chunk ? n - k : summation_chunk);
    total += (Vector(a + k, length) * Vector(b + k, length)).sum();
  }
  return total;
}

double sum(std::size_t n, const double* a) {
  double total = 0;
  for (std::size_t k = 0; k < n; k += summation_chunk)
    // Of an expression, not of the array: Eigen would begin at the first aligned address, and the last bits
    // would depend on where the array lies.
    total += (Vector(a + k, index(n - k < summation_chunk ? n - k : summation_chunk)) * 1.0).sum();
  return total;
}

void quadratic_form(MatrixView A, MatrixView K, double* out, double* scratch) {
  const std::size_t n = K.rows;
  const ConstMap a = view(A), kernel = view(K);
  double* squares = scratch + A.rows * n;
  for (std::size_t i = 0; i < A.rows; ++i) out[i] = 0;
  for (std::size_t k = 0; k < n; k += summation_chunk) {
    // Rows k.. of the chunk and columns from k on; the columns after the chunk stand for two blocks.
    const std::size_t height = n - k < summation_chunk ? n - k : summation_chunk, width = n - k;
    Map H(squares, index(height), index(width), Stride(index(width)));
    H = kernel.block(index(k), index(k), index(height), index(width)).cwiseAbs2();
    Map T(scratch, a.rows(), index(width), Stride(index(width)));
    T.noalias() = a.middleCols(index(k), index(height)) * H;
    for (std::size_t i = 0; i < A.rows; ++i) {
      const double* t = scratch + i * width;
      const double* row = A.data + i * A.stride + k;
      out[i] += dot(height, t, row) + 2 * dot(width - height, t + height, row + height);
    }
  }
}

void distances(std::size_t n, const double* K, const double* s, double s_i, double* D) {
  for (std::size_t j = 0; j < n; ++j) {
    const double x = 0.5 * (s_i + s[j]) - K[j];
    D[j] = x > 0 ? x : 0;
  }
}

void exponentials(std::size_t n, double beta, const double* D, double* E) {
  // ln 2 = high + low; high has 32 bits, so that its products with k < 2^11 are exact.
  constexpr double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33, log2_e = 0x1.71547652b82fep+0;
  constexpr double magic = 0x1.8p52, limit = 680;
  for (std::size_t j = 0; j < n; ++j) {
    const double product = beta * D[j], t = product < limit ? product : limit;
    const double shifted = t * log2_e + magic, k = shifted - magic;
    const double z = k * low - (t - k * high);
    double p = 1.0 / 6227020800;
    p = p * z + 1.0 / 479001600;
    p = p * z + 1.0 / 39916800;
    p = p * z + 1.0 / 3628800;
    p = p * z + 1.0 / 362880;
    p = p * z + 1.0 / 40320;
    p = p * z + 1.0 / 5040;
    p = p * z + 1.0 / 720;
    p = p * z + 1.0 / 120;
    p = p * z + 1.0 / 24;
    p = p * z + 1.0 / 6;
    p = p * z + 0.5;
    p = p * z + 1.0;
    p = p * z + 1.0;
    // The low bits of `shifted` are k; 2^-k by its exponent field.
    const auto bits = (1023UL << 52) - (__builtin_bit_cast(unsigned long, shifted) << 52);
    const double value = p * __builtin_bit_cast(double, bits);
    E[j] = product < limit ? value : 0.0;
  }
}

void scale(std::size_t n, double factor, double* a) {
  for (std::size_t j = 0; j < n; ++j) a[j] *= factor;
}

double deviations(std::size_t n, const double* A, const double* D, double mean, double* U, double* scratch) {
  for (std::size_t j = 0; j < n; ++j) {
    const double x = D[j] - mean;
    U[j] = A[j] * x;
    scratch[j] = x;
  }
  return dot(n, U, scratch);
}

void covariance(std::size_t n, std::size_t d, const double* A, const double* W, const double* c, double* C,
                double* scratch) {
  double *moved = scratch, *weighted = scratch + summation_chunk * d, *part = weighted + summation_chunk * d;
  Map sum(C, index(d), index(d), Stride(index(d))), addend(part, index(d), index(d), Stride(index(d)));
  sum.setZero();
  for (std::size_t j = 0; j < n; j += summation_chunk) {
    const std::size_t length = n - j < summation_chunk ? n - j : summation_chunk;
    for (std::size_t i = 0; i < length; ++i)
      for (std::size_t k = 0; k < d; ++k) {
        const double z = W[(j + i) * d + k] - c[k];
        moved[i * d + k] = z;
        weighted[i * d + k] = A[j + i] * z;
      }
    const Map Z(moved, index(length), index(d), Stride(index(d))),
        AZ(weighted, index(length), index(d), Stride(index(d)));
    addend.noalias() = AZ.transpose() * Z;
    sum += addend;
  }
}

void block_row(const BlockRow& r) {
  const Bounded beta{r.beta, r.beta_error}, d_minus_1{r.d_minus_1, 0}, own{r.distance, r.distance_error};
  const JacobianUnits<Bounded> unit{d_minus_1, beta, sqr(beta), d_minus_1};
  const Bounded mean2{r.mean2, r.mean2_error}, length2{r.length2, r.length2_error};
  for (std::size_t k = 0; k < r.n; ++k) {
    const double omega = r.omega[k], reach = r.omega_i + omega;
    const Bounded D{r.D[k], r.kappa_distance * (reach * reach)};
    const Bounded s{r.s[k], r.kappa * (omega * omega)}, Q{r.Q[k], r.nu * omega};
    const Bounded sum = mean2 + s;
    const Bounded B = Bounded{0.5 * sum.v, 0.5 * sum.e} - Q;
    const Bounded R = (s + length2) - 2 * Q;
    const Bounded f = other_block_factor(unit, D, B, own, R);
    const double weight = r.A[k] * r.A[k] * r.inverse_norm2[k];
    r.value[k] = weight * f.v;
    r.error[k] = weight * f.e;
  }
}

void pair_row(const PairRow& r) {
  const Bounded q_i{r.q_i, r.q_i_error}, chi_i{r.chi_i, r.chi_i_error},
      length_i{r.length_i, r.length_i_error};
  for (std::size_t j = 0; j < r.n; ++j) {
    const double reach = r.omega_i + r.omega[j];
    const Bounded D{r.D[j], r.kappa_distance * (reach * reach)};
    // The squared distance of the computed g, then of the exact ones.
    const double gamma = r.gamma_i + r.gamma[j], phi = r.phi_i + r.phi[j];
    const double computed = (r.q_i + r.q[j]) - 2 * r.P[j], positive = computed > 0 ? computed : 0;
    const double error = r.kappa_output * (gamma * gamma);
    const Bounded distance2{
        positive,
        (error + phi * (2 * __builtin_sqrt(positive + error) + phi)) * Bounded::up + Bounded::least};
    const Bounded q{r.q[j], r.q_error[j]}, chi{r.chi[j], r.chi_error[j]};
    const Bounded length{r.length[j], r.length_error[j]};
    const Bounded c = one_minus_cosine(distance2, 2 * (chi_i - chi) + (q_i - q), length_i, length);
    const Bounded ratio = c / D;
    r.complement[j] = c.v;
    r.complement_error[j] = c.e;
    r.distance_error[j] = D.e;
    r.ratio[j] = ratio.v;
    r.ratio_error[j] = ratio.e;
  }
}

double distance2(std::size_t n, const double* a, const double* b) {
  double total = 0;
  for (std::size_t k = 0; k < n; k += summation_chunk) {
    const Index length = index(n - k < summation_chunk ? n - k : summation_chunk);
    total += (Vector(a + k, length) - Vector(b + k, length)).square().sum();
  }
  return total;
}

void add_transposed_times(MatrixView A, MatrixView B, double* C, std::size_t stride, double* scratch) {
  const ConstMap a = view(A), b = view(B);
  Map sum(C, a.cols(), b.cols(), Stride(index(stride))), part(scratch, a.cols(), b.cols(), Stride(b.cols()));
  part.noalias() = a.transpose() * b;
  sum += part;
}

double largest(std::size_t n, const double* a) {
  return n == 0 ? -__builtin_inf() : (Vector(a, index(n)) * 1.0).maxCoeff();
}

void gaps(std::size_t n, double top, const double* s, double* t) {
  for (std::size_t j = 0; j < n; ++j) t[j] = top - s[j];
}

void shift(std::size_t n, double c, double* a) {
  for (std::size_t j = 0; j < n; ++j) a[j] -= c;
}

void products(std::size_t n, const double* a, const double* b, double* c) {
  for (std::size_t j = 0; j < n; ++j) c[j] = a[j] * b[j];
}

double sum_of_magnitudes(std::size_t n, const double* a) {
  double total = 0;
  for (std::size_t k = 0; k < n; k += summation_chunk)
    total += Vector(a + k, index(n - k < summation_chunk ? n - k : summation_chunk)).abs().sum();
  return total;
}

double dot_of_magnitudes(std::size_t n, const double* a, const double* b) {
  double total = 0;
  for (std::size_t k = 0; k < n; k += summation_chunk) {
    const Index length = index(n - k < summation_chunk ? n - k : summation_chunk);
    total += (Vector(a + k, length).abs() * Vector(b + k, length)).sum();
  }
  return total;
}

/// Keys [first, last) of a row.
template <bool capped>
void score_gradients(const ScoreGradientRow& r, std::size_t first, std::size_t last, double of_value,
                     double of_top) {
  const double* __restrict P = r.P, * __restrict slope = r.slope, * __restrict kappa = r.kappa, * __restrict nu = r.nu;
  double* __restrict x = r.x, * __restrict key_error = r.key_error, * __restrict value_error = r.value_error;
  const double all = of_top + r.of_shift, shift = r.shift, of_score_key = r.of_score_key,
               of_score = r.of_score, of_weight_key = r.of_weight_key, of_weight = r.of_weight;
  for (std::size_t j = first; j < last; ++j) {
    double g = P[j] * (x[j] + shift);
    if constexpr (capped) g *= slope[j];
    x[j] = g;
    key_error[j] += magnitude(g) * (of_score_key * kappa[j] + of_score) + P[j] * (of_value * nu[j] + all);
    value_error[j] += P[j] * (of_weight_key * kappa[j] + of_weight);
  }
}

template <bool capped>
void score_gradients(const ScoreGradientRow& r) {
  score_gradients<capped>(r, 0, r.top, r.of_value, r.of_top);
  score_gradients<capped>(r, r.top, r.top + 1, 0, 0);
  score_gradients<capped>(r, r.top + 1, r.n, r.of_value, r.of_top);
}

void score_gradient_row(const ScoreGradientRow& r) {
  if (r.slope)
    score_gradients<true>(r);
  else
    score_gradients<false>(r);
}

}  // namespace

extern const TokenKernels kernels;
const TokenKernels kernels{CRITSCALE_KERNELS_NAME,
                           times_transposed,
                           times,
                           quadratic_form,
                           distances,
                           exponentials,
                           sum,
                           dot,
                           scale,
                           deviations,
                           covariance,
                           block_row,
                           pair_row,
                           distance2,
                           add_transposed_times,
                           largest,
                           gaps,
                           shift,
                           products,
                           sum_of_magnitudes,
                           dot_of_magnitudes,
                           score_gradient_row};

}  // namespace CRITSCALE_KERNELS
}  // namespace critscale
