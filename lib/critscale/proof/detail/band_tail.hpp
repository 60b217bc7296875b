// The forward quantities of [bands] on three bands {self; near; far}, written in variables that vanish as
// n grows ([band-tails]). Uses number/,
// layer/real.hpp and difference.hpp.
#pragma once

#include <utility>

#include "critscale/layer/real.hpp"
#include "critscale/proof/difference.hpp"

namespace critscale {

/// u = 1/n, near1 = 1/N_1, far1 = N_1/n. Up to a common factor the self token has weight w0, the near
/// band w1 (1 - near1), the far band w2 (1 - far1); one of w0, w1, w2 is 1 (on a boundary two) and the others
/// vanish.
template <class T>
struct BandTailInputs {
  T u, near1, far1, w0, w1, w2;
  T r, rho, depth1, depth2, drop;  ///< depth1 = 1 - r, depth2 = 1 - rho, drop = r - rho
  T sigma, residual;               ///< 1/(1+s) and s/(1+s), s = alpha sqrt q
  T alpha, root_q;                 ///< needed by the Jacobian norm only
  T one_minus_inverse_d;           ///< 1 - 1/d
  T beta_over_d, beta2_over_d;     ///< beta/d, beta^2/d
};

template <class T>
class BandTail {
 public:
  explicit BandTail(BandTailInputs<T> inputs) : in_(std::move(inputs)) {
    total_ = in_.w0 + in_.w1 * (1 - in_.near1) + in_.w2 * (1 - in_.far1);
    a_ = in_.w0 / total_;
    M1_ = in_.w1 * (1 - in_.near1) / total_;
    M2_ = in_.w2 * (1 - in_.far1) / total_;
    b1_ = in_.w1 * in_.near1 / total_;
    b2_ = in_.w2 * in_.u / total_;
    B2_ = in_.w2 * in_.far1 / total_;
    own1_ = (in_.w0 + in_.w1 * (1 - in_.near1)) / total_;
    self_ = refine(T(in_.residual + in_.sigma * a_), T(1 - in_.sigma * (M1_ + M2_)));
    cluster_ = refine(T(in_.residual + in_.sigma * own1_), T(1 - in_.sigma * M2_));
    own_ = in_.depth1 * M1_ + in_.depth2 * M2_;
    near_ = in_.depth1 * (1 - b1_) + in_.drop * M2_;
    far_ = in_.depth1 * (1 - b2_) + in_.drop * (1 - B2_);
    trace_ = a_ * own_ + M1_ * near_ + M2_ * far_;
    norm2_ = 1 - in_.sigma * (2 * in_.residual * own_ + in_.sigma * trace_);
  }

  const T& total() const { return total_; }
  const T& self_weight() const { return a_; }
  const T& near_mass() const { return M1_; }
  const T& far_mass() const { return M2_; }
  T near_inner_product() const { return 1 - near_turn(); }
  T far_inner_product() const { return 1 - far_turn(); }
  /// The mean over pairs: a share far1 (1 - near1)/(1 - u) of them is near.
  T angle_ratio() const {
    return (in_.far1 * (1 - in_.near1) * (near_turn() / in_.depth1) +
            (1 - in_.far1) * (far_turn() / in_.depth2)) /
           (1 - in_.u);
  }
  /// eta = (D + O)/d ([jacobian]), every term of it exact: for sizes that are no whole numbers C_i is no
  /// covariance, and neither T <= tr C nor V <= (tr C)^2 need hold.
  T jacobian_norm() const {
    const auto bracket = [&](const T& depth, const T& r, const T& short_of) {
      return T(in_.one_minus_inverse_d - 2 * in_.beta_over_d * (depth - own_ + r * short_of) +
               in_.beta2_over_d * ((2 * short_of - trace_) * depth * (1 + r)));
    };
    const T beta_T = in_.beta_over_d * trace_off_self();
    return 1 / sqr(in_.root_q) *
               (sqr(a_) * in_.one_minus_inverse_d + 2 * a_ * beta_T + in_.beta2_over_d * norm2_off_self() +
                M1_ * b1_ * bracket(in_.depth1, in_.r, near_) +
                M2_ * b2_ * bracket(in_.depth2, in_.rho, far_)) +
           2 * in_.alpha / in_.root_q * (a_ * in_.one_minus_inverse_d + beta_T) + sqr(in_.alpha);
  }

 private:
  /// T_i = tr(C_i P_i) ([bands], L = 2).
  T trace_off_self() const {
    return in_.depth1 * (M1_ * (1 - b1_) + M2_ * (1 - b2_)) + in_.drop * (M2_ * (1 - B2_)) +
           in_.depth1 * (in_.drop * (M1_ * (1 - M1_)) + in_.rho * (a_ * (M1_ + M2_))) +
           in_.drop * in_.rho * (own1_ * M2_);
  }
  /// V_i = |C_i P_i|_F^2 ([bands], L = 2): for every cluster c the squares of its covariances with the
  /// clusters that are not i's own, and with the differences of i's own ones; summed over the tokens c, then
  /// over the clusters c of N_1.
  T norm2_off_self() const {
    const T near2 = M1_ * b1_, far2 = M2_ * b2_, self2 = sqr(a_), tokens2 = self2 + near2 + far2;
    const T inside2 = self2 + near2, far_clusters2 = M2_ * B2_, outside = M1_ + M2_;
    // With one far cluster: of its tokens (1 - B2)^2, of what is outside of it B2^2.
    const T beside = sqr(own1_) + (M2_ - B2_) * B2_, apart = sqr(T(1 - B2_)) + beside;
    const T of_tokens = in_.depth1 * (near2 * (1 - 2 * b1_ + tokens2) + far2 * (1 - 2 * b2_ + tokens2)) +
                        in_.drop * (far2 * sqr(T(1 - B2_)) + far_clusters2 * (tokens2 - b2_ * B2_)) +
                        in_.depth1 * (in_.drop * (near2 * sqr(T(1 - M1_)) + (self2 + far2) * sqr(M1_)) +
                                      in_.rho * (self2 * (sqr(outside) + near2 + far2))) +
                        in_.drop * in_.rho * (inside2 * sqr(M2_) + far2 * sqr(own1_));
    const T of_clusters =
        in_.depth1 * (near2 * (sqr(M2_) + far_clusters2) + far2 * apart) +
        in_.drop * (far_clusters2 * apart) +
        in_.depth1 * ((in_.drop * sqr(M1_) + in_.rho * self2) * (sqr(M2_) + far_clusters2)) +
        in_.drop * in_.rho * (sqr(own1_) * (sqr(M2_) + far_clusters2));
    return in_.depth1 * of_tokens + in_.drop * of_clusters;
  }
  /// 1 - <y'_i, y'_j> for j near, far.
  T near_turn() const { return share(near_half_distance2(), near_product(), norm2_); }
  T far_turn() const { return share(far_half_distance2(), far_product(), norm2_); }
  // All of these are of x'/(1+s): feature coordinates self_, cluster_ and 1 of the own clusters.

  /// |x'_i - x'_j|^2/2 for j near, far.
  T near_half_distance2() const {
    return in_.depth1 *
           sqr(refine(T(in_.residual + in_.sigma * (a_ - b1_)), T(1 - in_.sigma * (M1_ + M2_ + b1_))));
  }
  T far_half_distance2() const {
    const T mates = M1_ * b1_ - 2 * (M1_ * b2_) + B2_ * b2_ - sqr(b2_);  // (N_1 - 1)(b1 - b2)^2
    return in_.depth1 * (sqr(T(self_ - in_.sigma * b2_)) + sqr(in_.sigma) * mates) +
           in_.drop * sqr(T(cluster_ - in_.sigma * B2_));
  }
  /// <x'_i, x'_j> for j near, far.
  T near_product() const {
    return in_.sigma * (in_.depth1 * (2 * self_ * b1_ + in_.sigma * ((M1_ - b1_) * b1_ + M2_ * b2_))) +
           in_.drop * (sqr(cluster_) + sqr(in_.sigma) * (M2_ * B2_)) + in_.rho;
  }
  T far_product() const {
    return in_.sigma * (in_.depth1 * (2 * cluster_ * b2_ + in_.sigma * ((M2_ - B2_) * b2_)) +
                        in_.drop * (2 * cluster_ * B2_ + in_.sigma * ((M2_ - B2_) * B2_))) +
           in_.rho;
  }
  BandTailInputs<T> in_;
  T total_, a_, M1_, M2_, b1_, b2_, B2_, own1_, self_, cluster_;
  T own_, near_, far_;  ///< 1 - <m_i, y_k> for k = i, near, far
  T trace_, norm2_;     ///< tr C = 1 - |m_i|^2, and |x'_i|^2/(1+s)^2 as 1 less what the means are short of 1
};

}  // namespace critscale
