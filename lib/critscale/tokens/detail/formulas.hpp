// The layer on explicit tokens, entry by entry ([layer], [jacobian]), for every number type: in squared
// distances D_ij = |y_i - y_j|^2/2 = 1 - G_ij and tokens w_j = y_j - c taken from any centre c, so that
// nearly collinear tokens lose nothing. THEORY-tokens.md derives each formula. Real brings its functions
// along (sqr, log1p), found by argument-dependent lookup; this file includes only jacobian.hpp,
// see bounded.hpp for why.
#pragma once

#include "critscale/layer/jacobian.hpp"

namespace critscale {

/// What row i of the attention matrix A gives once it is known: sums over j.
template <class Real>
struct TokenRow {
  Real rest;               ///< sum over j != i of exp(-beta D_ij) = exp(-beta) Z_i - 1
  Real rest2;              ///< sum over j != i of exp(-2 beta D_ij)
  Real distance;           ///< sum_j A_ij D_ij = 1 - <m_i, y_i>
  Real distance_variance;  ///< sum_j A_ij (D_ij - distance)^2 = y_i^T C_i y_i
  Real spread;             ///< tr C_i = 1 - |m_i|^2
  Real covariance2;        ///< |C_i|_F^2
  Real image2;             ///< |C_i y_i|^2

  Real self_weight() const { return 1 / (1 + rest); }
  Real participation() const { return sqr(Real(1 + rest)) / (1 + rest2); }
  /// ln Z_i - beta <m_i, y_i>, as a sum of terms that are not negative.
  Real entropy(const Real& beta) const { return log1p(rest) + beta * distance; }
};

/// |block(i,k)|^2 r_k^2 / A_ik^2 for k != i, with D = D_ik, B = 1 - <m_i, y_k>, B_own = 1 - <m_i, y_i> and
/// R = |y_k - m_i|^2: here G_ik p_ik - p_ii is B_own - B - D (1 - B).
template <class Real>
Real other_block_factor(const JacobianUnits<Real>& unit, const Real& D, const Real& B, const Real& B_own,
                        const Real& R) {
  return other_block_factor(unit, (B_own - B) - D * (1 - B), R * (D * (2 - D)));
}

/// |block(i,i)|^2.
template <class Real>
Real own_block(const TokenRow<Real>& row, const Real& norm, const Real& beta, const Real& alpha,
               const Real& d) {
  const Real T = row.spread - row.distance_variance, V = row.covariance2 - row.image2;
  return own_block_norm2<Real>({d - 1, beta, sqr(beta), d}, row.self_weight(), T, V, sqr(norm), norm, alpha);
}

/// 1 - cos of the angle between h_i and h_j, from their squared distance, their lengths, and the difference
/// of their squared lengths.
template <class Real>
Real one_minus_cosine(const Real& distance2, const Real& length2_difference, const Real& length_i,
                      const Real& length_j) {
  const Real difference = length2_difference / (length_i + length_j);
  return (distance2 - sqr(difference)) / (2 * (length_i * length_j));
}

}  // namespace critscale
