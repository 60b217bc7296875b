// The layer as the checker knows it: the quantities of a simplex and of three bands in terms of the
// attention masses, by formulas of its own (provers/THEORY-proofs.md §6). T is Scaled, or Rational
// with everything that vanishes set to 0. Of ours it uses exact.hpp.
#pragma once

#include <string>

#include "critscale/number/errors.hpp"
#include "critscale/number/exact.hpp"

namespace critscale::checker {

inline Rational sqr(const Rational& x) { return x * x; }

/// Attention weights: a on the token itself; on a simplex b on each other key, together M.
template <class T>
struct SimplexMasses {
  T a, M, b;
  T rho, delta, alpha, root_q;
  T sigma, residual;  ///< 1/(1+s), s/(1+s)
  T freedom;          ///< 1 - 1/d
  T beta_d, beta2_d;  ///< beta delta/d, (beta delta)^2/d
};

/// eta, from theory §1.1 with G_ik = rho: beta delta stands in one factor, so that T is over delta,
/// C_i and the differences of inner products are over delta.
template <class T>
T simplex_jacobian(const SimplexMasses<T>& m) {
  const T squares = sqr(m.a) + m.M * m.b, cubes = m.a * sqr(m.a) + m.M * sqr(m.b);
  const T trace = 1 - squares - m.delta * (m.a * m.M);
  const T C2 = squares - 2 * cubes + sqr(squares), Cy2 = m.delta * (sqr(m.a) * (1 - 2 * m.a + squares));
  const T other = m.freedom + 2 * (m.beta_d * (m.M + m.rho * m.b - (1 + m.rho))) +
                  m.beta2_d * ((1 - 2 * m.b + squares) * (1 + m.rho));
  const T weighted =
      sqr(m.a) * m.freedom + 2 * (m.a * (m.beta_d * trace)) + m.beta2_d * (C2 - Cy2) + m.M * m.b * other;
  return weighted / sqr(m.root_q) + 2 * (m.alpha / m.root_q * (m.a * m.freedom + m.beta_d * trace)) +
         sqr(m.alpha);
}

template <class T>
T simplex_quantity(const SimplexMasses<T>& m, const std::string& name) {
  if (name == "self_weight") return m.a;
  if (name == "band_masses[0]") return m.M;
  if (name == "jacobian_norm") return simplex_jacobian(m);
  // x'_i - x'_j = (a - b + s)(y_i - y_j) and |x'|^2 = (1+s)^2 - delta (2 s M + 1 - sum_j A_ij^2), from
  // <m_i, y_i> = 1 - delta M and |m_i|^2 = 1 - delta (1 - sum_j A_ij^2); all over (1+s)^2.
  const T squares = sqr(m.a) + m.M * m.b;
  const T norm2 = 1 - m.delta * (m.sigma * (2 * (m.residual * m.M) + m.sigma * (1 - squares)));
  const T angle = sqr(1 - m.sigma * (m.M + m.b)) / norm2;
  if (name == "angle_ratio") return angle;
  if (name == "inner_products[0]") return 1 - m.delta * angle;
  throw InputError("the claim names a quantity that does not exist");
}

/// Three bands: b1 and b2 on each near and far key, M1 and M2 together, B2 = N_1 b2; a share `near`
/// of all pairs is near.
template <class T>
struct BandMasses {
  T a, M1, M2, b1, b2, B2, near;
  T r, rho, depth, drop, delta;  ///< depth = 1 - r, drop = r - rho, delta = 1 - rho
  T sigma, residual;             ///< 1/(1+s), s/(1+s)
};

/// <m_i, y_k> for the token itself, a near key and a far key.
template <class T>
struct BandProducts {
  T own, near, far;
  explicit BandProducts(const BandMasses<T>& m)
      : own(1 - (m.depth * m.M1 + m.delta * m.M2)),
        near(m.r * (m.a + m.M1) + m.rho * m.M2 + m.depth * m.b1),
        far(m.rho + m.drop * m.B2 + m.depth * m.b2) {}
};

template <class T>
T band_quantity(const BandMasses<T>& m, const std::string& name) {
  if (name == "self_weight") return m.a;
  if (name == "band_masses[0]") return m.M1;
  if (name == "band_masses[1]") return m.M2;
  const BandProducts<T> p(m);
  // |x'|^2 = (1+s)^2 - 2 s (1 - <m_i, y_i>) - (1 - |m_i|^2), over (1+s)^2 like all that follows.
  const T missing = m.depth * m.M1 + m.delta * m.M2;
  const T spread = 1 - (m.a * p.own + m.M1 * p.near + m.M2 * p.far);
  const T norm2 = 1 - m.sigma * (2 * (m.residual * missing) + m.sigma * spread);
  // Half of |x'_i - x'_j|^2: near j, c (y_i - y_j); far j, also t times the difference of the sums
  // over the N_1 - 1 cluster mates of i and of j, K = (N_1 - 1) t.
  const T near = m.depth * sqr(1 - m.sigma * (m.M1 + m.M2 + m.b1));
  const T c = 1 - m.sigma * (m.M1 + m.M2 + m.b2), t = m.sigma * (m.b1 - m.b2),
          K = m.sigma * (m.M1 - m.B2 + m.b2);
  const T far = m.delta * sqr(c) + 2 * (c * K * m.drop) + K * (t * m.depth + K * m.drop);
  if (name == "inner_products[0]") return 1 - near / norm2;
  if (name == "inner_products[1]") return 1 - far / norm2;
  if (name == "angle_ratio") return (m.near * (near / m.depth) + (1 - m.near) * (far / m.delta)) / norm2;
  throw InputError("the claim names a quantity that does not exist");
}

}  // namespace critscale::checker
