// Squared Frobenius norms of the blocks of the layer's Jacobian ([jacobian]), written once for every geometry
// and number type. Includes nothing, so that code compiled for several instruction sets can use it.
#pragma once

namespace critscale {

/// x^2: a number type's own, or the one of layer/real.hpp, which defines this template.
template <class Real>
Real sqr(const Real& x);

/// d and the powers of beta that the norms are sums of, in one unit: {d - 1, beta, beta^2, d} gives the
/// norms, {1 - 1/d, beta/d, beta^2/d, 1} gives them over d, in which form no factor grows with n. A geometry
/// that measures distances in a unit of its own multiplies beta by it.
template <class Real>
struct JacobianUnits {
  Real d_minus_1, beta, beta2, d;
};

/// |block(i,i)|^2 for a = A_ii, T = tr(C_i P_i), V = |C_i P_i|_F^2 and r = |x_i|, with q = r^2.
template <class Real>
Real own_block_norm2(const JacobianUnits<Real>& unit, const Real& a, const Real& T, const Real& V,
                     const Real& q, const Real& r, const Real& alpha) {
  const Real rank = a * unit.d_minus_1, moved = unit.beta * T;
  return (a * (rank + 2 * moved) + unit.beta2 * V) / q + 2 * alpha / r * (rank + moved) + sqr(alpha) * unit.d;
}

/// |block(i,k)|^2 r_k^2/A_ik^2 for k != i, with lead = G_ik <m_i,y_k> - <m_i,y_i> and
/// spread = |y_k - m_i|^2 (1 - G_ik^2).
template <class Real>
Real other_block_factor(const JacobianUnits<Real>& unit, const Real& lead, const Real& spread) {
  return unit.d_minus_1 + 2 * unit.beta * lead + unit.beta2 * spread;
}

}  // namespace critscale
