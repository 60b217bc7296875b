// One attention layer on explicit vectors, by its definition alone and in long double: weights, outputs, and
// the derivative by the chain rule, direction by direction. It shares no formula with the library.
#pragma once

#include <cmath>
#include <vector>

namespace critscale::test {

using Real = long double;
using Vector = std::vector<Real>;

inline Real dot(const Vector& a, const Vector& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Unit vectors in R^d, d >= G.size(), with the inner products G (Cholesky).
inline std::vector<Vector> vectors_of(const std::vector<Vector>& G, std::size_t d) {
  std::vector<Vector> y(G.size(), Vector(d));
  for (std::size_t i = 0; i < G.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      Real rest = G[i][j];
      for (std::size_t k = 0; k < j; ++k) rest -= y[i][k] * y[j][k];
      y[i][j] = i == j ? std::sqrt(std::max(rest, Real(0))) : rest / y[j][j];
    }
  return y;
}

struct ExplicitLayer {
  std::vector<Vector> y;  ///< directions
  Vector norm;            ///< |x_i|
  Real beta, alpha;
  std::vector<Vector> A, m, out;
  Vector log_Z;

  ExplicitLayer(std::vector<Vector> directions, Vector norms, Real b, Real a)
      : y(std::move(directions)), norm(std::move(norms)), beta(b), alpha(a) {
    const std::size_t n = y.size(), d = y[0].size();
    for (std::size_t i = 0; i < n; ++i) {
      Vector row(n), mean(d), moved(d);
      Real Z = 0;
      for (std::size_t j = 0; j < n; ++j) Z += row[j] = std::exp(beta * (dot(y[i], y[j]) - 1));
      for (std::size_t j = 0; j < n; ++j) {
        row[j] /= Z;
        for (std::size_t c = 0; c < d; ++c) mean[c] += row[j] * y[j][c];
      }
      for (std::size_t c = 0; c < d; ++c) moved[c] = mean[c] + alpha * norm[i] * y[i][c];
      A.push_back(row), m.push_back(mean), out.push_back(moved), log_Z.push_back(beta + std::log(Z));
    }
  }
  Real inner_product(std::size_t i, std::size_t j) const {
    return dot(out[i], out[j]) / std::sqrt(dot(out[i], out[i]) * dot(out[j], out[j]));
  }
  Real displacement(std::size_t i) const {
    Real sum = 0;
    for (std::size_t c = 0; c < m[i].size(); ++c) sum += (m[i][c] - y[i][c]) * (m[i][c] - y[i][c]);
    return std::sqrt(sum);
  }
  Real angle_ratio() const {
    Real sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) sum += (1 - inner_product(i, j)) / (1 - dot(y[i], y[j]));
    return sum / (static_cast<Real>(y.size() * (y.size() - 1)) / 2);
  }
  /// (1/(n d)) times the sum of the squares of all derivatives.
  Real jacobian_norm() const {
    const std::size_t n = y.size(), d = y[0].size();
    Real total = 0;
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t e = 0; e < d; ++e) {
        Vector dy(d);
        for (std::size_t c = 0; c < d; ++c) dy[c] = ((c == e ? 1 : 0) - y[k][e] * y[k][c]) / norm[k];
        for (std::size_t i = 0; i < n; ++i) total += change2(i, k, e, dy);
      }
    return total / static_cast<Real>(n * d);
  }

 private:
  /// |the derivative of x'_i|^2 as x_k moves along e, and its direction along dy.
  Real change2(std::size_t i, std::size_t k, std::size_t e, const Vector& dy) const {
    const std::size_t n = y.size(), d = dy.size();
    Vector score(n), change(d);
    Real mean = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == k || i == k) score[j] = beta * dot(dy, i == k ? y[j] : y[i]) * (i == k && j == k ? 2 : 1);
      mean += A[i][j] * score[j];
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t c = 0; c < d; ++c)
        change[c] += A[i][j] * ((score[j] - mean) * y[j][c] + (j == k ? dy[c] : 0));
    if (i == k) change[e] += alpha;
    return dot(change, change);
  }
};

/// The simplex with n tokens after each of some layers, by explicit vectors.
inline std::vector<Real> inner_products_of_layers(std::size_t n, Real rho, Real gamma, Real alpha,
                                                  int layers) {
  std::vector<Vector> G(n, Vector(n, rho));
  for (std::size_t i = 0; i < n; ++i) G[i][i] = 1;
  std::vector<Vector> y = vectors_of(G, n);
  Vector norm(n, 1);
  std::vector<Real> products;
  for (int l = 0; l < layers; ++l) {
    const ExplicitLayer layer(y, norm, gamma * std::log(static_cast<Real>(n)), alpha);
    for (std::size_t i = 0; i < n; ++i) {
      norm[i] = std::sqrt(dot(layer.out[i], layer.out[i]));
      for (std::size_t c = 0; c < n; ++c) y[i][c] = layer.out[i][c] / norm[i];
    }
    products.push_back(dot(y[0], y[1]));
  }
  return products;
}

}  // namespace critscale::test
