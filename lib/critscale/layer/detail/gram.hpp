// One attention layer on any configuration, from its Gram matrix and norms ([layer], [jacobian]). The
// subtractions here lose digits at large n: for explicit configurations of moderate size and as a
// second formula, never for the symmetric geometries. Uses real.hpp.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "critscale/layer/jacobian.hpp"
#include "critscale/layer/real.hpp"

namespace critscale {

/// A square matrix, row by row.
template <class Real>
class SquareMatrix {
 public:
  explicit SquareMatrix(std::size_t n) : n_(n), entries_(n * n) {}
  std::size_t size() const { return n_; }
  Real& operator()(std::size_t i, std::size_t j) { return entries_[i * n_ + j]; }
  const Real& operator()(std::size_t i, std::size_t j) const { return entries_[i * n_ + j]; }

 private:
  std::size_t n_;
  std::vector<Real> entries_;
};

/// Flags share the class's interface; vector<bool> has no references to give.
template <>
class SquareMatrix<bool> {
 public:
  explicit SquareMatrix(std::size_t n) : n_(n), entries_(n * n) {}
  auto operator()(std::size_t i, std::size_t j) { return entries_[i * n_ + j]; }
  bool operator()(std::size_t i, std::size_t j) const { return entries_[i * n_ + j]; }

 private:
  std::size_t n_;
  std::vector<bool> entries_;
};

template <class Real>
struct GramInputs {
  SquareMatrix<Real> G;     ///< G_ij = <y_i, y_j>, unit diagonal
  std::vector<Real> norm;   ///< r_i = |x_i|
  Real d, beta, alpha;      ///< dimension, logit scale, residual strength
  SquareMatrix<bool> tied;  ///< whether G_ij = 1 exactly
};

/// The quantities of [layer], per token or per pair.
template <class Real>
class GramLayer {
 public:
  explicit GramLayer(GramInputs<Real> inputs)
      : in_(std::move(inputs)), n_(in_.norm.size()), A_(n_), p_(n_), products_(n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      Real sum{};
      for (std::size_t j = 0; j < n_; ++j) {
        A_(i, j) = exp(Real(in_.beta * (in_.G(i, j) - 1)));
        sum += A_(i, j);
      }
      for (std::size_t j = 0; j < n_; ++j) A_(i, j) /= sum;
      log_partition_.push_back(in_.beta + log(sum));
    }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k) {
        Real sum{};
        for (std::size_t j = 0; j < n_; ++j) sum += A_(i, j) * in_.G(j, k);
        p_(i, k) = sum;
      }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k) {
        Real sum{};
        for (std::size_t j = 0; j < n_; ++j) sum += p_(i, j) * A_(k, j);
        products_(i, k) = sum;
      }
  }

  std::size_t size() const { return n_; }
  const Real& log_partition(std::size_t i) const { return log_partition_[i]; }
  /// A_ij.
  const Real& weight(std::size_t i, std::size_t j) const { return A_(i, j); }
  const Real& self_weight(std::size_t i) const { return A_(i, i); }
  /// <x'_i, x'_j>.
  Real output_product(std::size_t i, std::size_t j) const {
    return products_(i, j) + in_.alpha * (in_.norm[j] * p_(i, j) + in_.norm[i] * p_(j, i)) +
           sqr(in_.alpha) * in_.norm[i] * in_.norm[j] * in_.G(i, j);
  }
  Real output_norm2(std::size_t i) const { return output_product(i, i); }
  /// <y'_i, y'_j>.
  Real inner_product(std::size_t i, std::size_t j) const {
    return output_product(i, j) / sqrt(Real(output_norm2(i) * output_norm2(j)));
  }
  /// Mean over the pairs that are not tied of (1 - <y'_i, y'_j>)/(1 - <y_i, y_j>).
  Real angle_ratio() const {
    Real sum{};
    long pairs = 0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (!in_.tied(i, j)) {
          sum += (1 - inner_product(i, j)) / (1 - in_.G(i, j));
          ++pairs;
        }
    return sum / pairs;
  }
  Real participation(std::size_t i) const {
    Real sum{};
    for (std::size_t j = 0; j < n_; ++j) sum += sqr(A_(i, j));
    return 1 / sum;
  }
  Real entropy(std::size_t i) const {
    Real sum{};
    for (std::size_t j = 0; j < n_; ++j) sum += A_(i, j) * in_.G(i, j);
    return log_partition_[i] - in_.beta * sum;
  }
  /// eta = (1/(n d)) |grad_X X'|_F^2.
  Real jacobian_norm() const {
    Real sum{};
    for (std::size_t i = 0; i < n_; ++i) {
      sum += diagonal_block(i);
      for (std::size_t k = 0; k < n_; ++k)
        if (k != i) sum += other_block(i, k);
    }
    return sum / (static_cast<long>(n_) * in_.d);
  }

 private:
  JacobianUnits<Real> units() const { return {in_.d - 1, in_.beta, sqr(in_.beta), in_.d}; }
  Real other_block(std::size_t i, std::size_t k) const {
    const Real G = in_.G(i, k);
    const Real lead = G * p_(i, k) - p_(i, i), spread = (1 - 2 * p_(i, k) + products_(i, i)) * (1 - sqr(G));
    return sqr(Real(A_(i, k) / in_.norm[k])) * other_block_factor(units(), lead, spread);
  }
  Real diagonal_block(std::size_t i) const {
    const Real &Y = products_(i, i), &p = p_(i, i), &a = A_(i, i), &r = in_.norm[i];
    // C_i = sum_j A_ij y_j y_j^T - m_i m_i^T; traces and norms through G.
    Real norm2 = sqr(Y), projected{}, image2{};
    std::vector<Real> u(n_);
    for (std::size_t j = 0; j < n_; ++j) u[j] = A_(i, j) * (in_.G(i, j) - p);
    for (std::size_t j = 0; j < n_; ++j) {
      norm2 -= 2 * A_(i, j) * sqr(p_(i, j));
      projected += A_(i, j) * sqr(Real(in_.G(i, j) - p));
      for (std::size_t k = 0; k < n_; ++k) {
        norm2 += A_(i, j) * A_(i, k) * sqr(in_.G(j, k));
        image2 += u[j] * u[k] * in_.G(j, k);
      }
    }
    const Real T = (1 - Y) - projected, V = norm2 - image2;
    return own_block_norm2<Real>(units(), a, T, V, sqr(r), r, in_.alpha);
  }

  GramInputs<Real> in_;
  std::size_t n_;
  SquareMatrix<Real> A_, p_, products_;
  std::vector<Real> log_partition_;
};

}  // namespace critscale
