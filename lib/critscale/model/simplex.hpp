// One attention layer on the simplex configuration ([simplex]): every quantity in O(1), by forms
// whose terms are positive or benign, so that no digits die at large n. Uses real.hpp.
#pragma once

#include <optional>
#include <utility>

#include "critscale/layer/real.hpp"

namespace critscale {

/// What the layer needs to know of a simplex: |x_i|^2 = q, <y_i, y_j> = rho for i != j.
template <class Real>
struct SimplexInputs {
  Real n;       ///< number of tokens, >= 2
  Real d;       ///< dimension, at least the rank of the Gram matrix
  Real beta;    ///< logit scale, >= 0
  Real rho;     ///< inner product, in [0, 1]
  Real delta;   ///< 1 - rho, formed from the exact rho
  Real q;       ///< squared norm, > 0
  Real root_q;  ///< sqrt q
  Real alpha;   ///< residual strength, >= 0
  Real odds;    ///< w = (n - 1) exp(-beta delta), the mass of all others over the self mass
  Real fall;    ///< 1 - exp(-beta delta), through expm1
};

/// The quantities of [layer] on a simplex. Each is an enclosure when Real is a certified type.
template <class Real>
class SimplexLayer {
 public:
  explicit SimplexLayer(SimplexInputs<Real> inputs) : in_(std::move(inputs)) {
    a_ = 1 / (1 + in_.odds);
    M_ = in_.odds * a_;
    if (is_wide(in_.odds)) M_ = either(M_, Real(1 / (1 + 1 / in_.odds)));
    const Real others = in_.n - 1;
    b_ = M_ / others;
    one_minus_b_ = 1 - b_;
    a2_ = sqr(a_);
    c_ = a_ * in_.fall + in_.alpha * in_.root_q;
    beta_delta_ = in_.beta * in_.delta;
    const Real m = 1 + others * in_.rho;
    c2_ = sqr(c_);
    // 2 c b m + b^2 n m: what is common to |x'_i|^2 and <x'_i, x'_j>.
    common_ = b_ * m * (2 * c_ + b_ * in_.n);
    norm2_ = c2_ + common_;
    lambda_ = c2_ / norm2_;
  }

  const SimplexInputs<Real>& inputs() const { return in_; }

  /// ln Z = beta + ln(1 + w).
  Real log_partition() const { return in_.beta + log1p_odds(); }
  /// a = A_ii.
  const Real& self_weight() const { return a_; }
  /// b = A_ij, j != i.
  const Real& band_weight() const { return b_; }
  /// M = 1 - a.
  const Real& band_mass() const { return M_; }
  /// |x'_i|^2.
  const Real& output_norm2() const { return norm2_; }
  /// <y'_i, y'_j>, j != i.
  Real inner_product() const {
    return either(Real((c2_ * in_.rho + common_) / norm2_), Real(1 - one_minus_inner_product()));
  }
  /// 1 - <y'_i, y'_j>.
  Real one_minus_inner_product() const { return in_.delta * lambda_; }
  /// lambda = (1 - <y'_i, y'_j>)/(1 - rho). Meaningless (the caller refuses it) when rho = 1.
  const Real& angle_ratio() const { return lambda_; }
  /// 1 / sum_j A_ij^2.
  Real participation() const { return 1 / (a2_ + M_ * b_); }
  /// - sum_j A_ij ln A_ij = ln(1 + w) + beta delta M.
  Real entropy() const { return log1p_odds() + beta_delta_ * M_; }

  /// eta = (D + O)/d.
  Real jacobian_norm() const { return (diagonal_block() + other_blocks()) / in_.d; }

 private:
  /// D = |dx'_i/dx_i|_F^2.
  Real diagonal_block() const {
    const auto& [n, d, beta, rho, delta, q, root_q, alpha, odds, fall] = in_;
    const Real T = delta * M_ * (a_ * rho + one_minus_b_);
    const Real V =
        sqr(delta) * M_ * (a2_ * (rho * M_ + (1 + rho) * b_) + b_ * (sqr(one_minus_b_) + (n - 2) * sqr(b_)));
    const Real trace = a_ * (d - 1), beta_T = beta * T;
    return (a_ * (trace + 2 * beta_T) + sqr(beta) * V) / q + 2 * alpha / root_q * (trace + beta_T) +
           sqr(alpha) * d;
  }
  /// O = sum over k != i of |dx'_i/dx_k|_F^2.
  Real other_blocks() const {
    const auto& [n, d, beta, rho, delta, q, root_q, alpha, odds, fall] = in_;
    const Real bracket = (d - 1) - 2 * beta_delta_ * (a_ + rho * one_minus_b_) +
                         sqr(beta_delta_) * (1 + a2_ - b_ * (1 + a_)) * (1 + rho);
    return M_ * b_ / q * bracket;
  }

  /// ln(1 + w), computed when first asked for: nothing else here costs as much.
  const Real& log1p_odds() const {
    if (!log1p_odds_) log1p_odds_ = log1p(in_.odds);
    return *log1p_odds_;
  }

  SimplexInputs<Real> in_;
  Real a_, M_, b_, one_minus_b_, a2_, beta_delta_, c_, c2_, common_, norm2_, lambda_;
  mutable std::optional<Real> log1p_odds_;
};

}  // namespace critscale
