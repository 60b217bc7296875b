// The Jacobian of many layers on a simplex by its action on invariant subspaces: the cost of a layer is
// free of n and d. The derivation is in provers/THEORY-layers.md. Uses simplex.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "critscale/model/simplex.hpp"

namespace critscale {

/// sqrt x of a number that is known not to be negative, though its enclosure may reach below 0.
template <class Real>
Real root_of_nonnegative(const Real& x) {
  return sqrt(x);
}
inline Ball root_of_nonnegative(Ball x) {
  arb_sqrtpos(x.raw(), x.raw(), x.precision());
  return x;
}

/// grad_X X' of a simplex layer commutes with the permutations of the tokens (acting on the index and on
/// the span alike). The perturbations R^n x R^d split, for d >= n >= 3, into
///   the span's complement: tokens alike (dimension d-n), and tokens summing to 0 ((n-1)(d-n));
///   the span: trivial twice, standard (n-1 dimensions) three times, symmetric and antisymmetric with zero
///   row sums and diagonal (n(n-3)/2 and (n-1)(n-2)/2 dimensions) once each.
/// A layer acts on each by a 1x1, 2x2 or 3x3 matrix in an orthonormal basis that does not depend on the
/// layer, so products of layers are products of these matrices.
template <class Real>
class ComposedJacobian {
 public:
  /// The identity on n tokens in dimension d; d_minus_n is exactly 0 when d = n.
  ComposedJacobian(Real n, Real d, Real d_minus_n)
      : n_(std::move(n)), d_(std::move(d)), d_minus_n_(std::move(d_minus_n)) {
    for (std::size_t i = 0; i < 2; ++i) trivial_[i][i] = Real(1);
    for (std::size_t i = 0; i < 3; ++i) standard_[i][i] = Real(1);
  }

  /// Multiplies by the layer's Jacobian from the left.
  void apply(const SimplexLayer<Real>& layer) {
    const auto& in = layer.inputs();
    const Real &a = layer.self_weight(), &b = layer.band_weight(), &alpha = in.alpha;
    const Real lead = a * in.fall;  // a - b
    const Real kappa = in.beta * b * in.delta;
    const Real inverse = 1 / in.root_q;
    const Real sigma = root_of_nonnegative(in.delta), h = sqrt(Real(in.delta + n_ * in.rho));
    alike_ *= inverse + alpha;
    differences_ *= lead * inverse + alpha;
    symmetric_ *= (lead + 2 * kappa) * inverse + alpha;
    antisymmetric_ *= lead * inverse + alpha;
    const Real root_n = sqrt(n_);
    {
      // The direction of y_k, which normalisation projects out.
      const std::array<Real, 2> u{h / root_n, sigma * sqrt(Real((n_ - 1) / n_))};
      step<2>(trivial_, u, inverse, alpha, [&](auto& x) { x[1] *= lead + 2 * n_ * kappa * a; });
    }
    const std::array<Real, 3> u{h / root_n, sigma / root_n, sigma * sqrt(Real((n_ - 2) / n_))};
    step<3>(standard_, u, inverse, alpha, [&](auto& x) {
      x[0] *= lead;
      x[1] -= n_ * kappa * b * sqrt(Real(n_ - 2)) * x[2];
      x[2] *= lead + n_ * kappa * (a + b);
    });
  }

  /// eta of the composed map: (1/(n d)) |grad_X X^(L)|_F^2.
  Real jacobian_norm() const {
    const Real outside = d_minus_n_ * (sqr(alike_) + (n_ - 1) * sqr(differences_));
    const Real pairs = n_ * (n_ - 3) / 2 * sqr(symmetric_) + (n_ - 1) * (n_ - 2) / 2 * sqr(antisymmetric_);
    return (outside + norm2(trivial_) + (n_ - 1) * norm2(standard_) + pairs) / (n_ * d_);
  }

 private:
  template <std::size_t K>
  using Matrix = std::array<std::array<Real, K>, K>;

  /// Multiplies by attend((I - u u^T)/|x_i|) + alpha I from the left. The layer's matrix is formed first: a
  /// projection applied as x - u <u, x> would double the radius of an enclosure in every layer.
  template <std::size_t K, class F>
  static void step(Matrix<K>& m, const std::array<Real, K>& u, const Real& inverse, const Real& alpha,
                   F&& attend) {
    std::array<std::array<Real, K>, K> columns;
    for (std::size_t j = 0; j < K; ++j) {
      for (std::size_t i = 0; i < K; ++i) {
        const Real entry = u[i] * u[j];
        columns[j][i] = (i == j ? Real(1 - entry) : Real(-entry)) * inverse;
      }
      attend(columns[j]);
      columns[j][j] += alpha;
    }
    Matrix<K> product{};
    for (std::size_t i = 0; i < K; ++i)
      for (std::size_t j = 0; j < K; ++j)
        for (std::size_t k = 0; k < K; ++k) product[i][j] += columns[k][i] * m[k][j];
    m = std::move(product);
  }
  template <std::size_t K>
  static Real norm2(const Matrix<K>& m) {
    Real sum{};
    for (const auto& row : m)
      for (const Real& x : row) sum += sqr(x);
    return sum;
  }

  Real n_, d_, d_minus_n_;
  Real alike_{1}, differences_{1}, symmetric_{1}, antisymmetric_{1};
  Matrix<2> trivial_{};
  Matrix<3> standard_{};
};

}  // namespace critscale
