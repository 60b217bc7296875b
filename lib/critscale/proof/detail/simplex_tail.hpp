// The quantities of [simplex] on a simplex, written in variables that vanish as n grows instead of
// n itself ([simplex-tails]). Uses number/,
// layer/real.hpp and difference.hpp.
#pragma once

#include <utility>

#include "critscale/layer/real.hpp"
#include "critscale/proof/difference.hpp"

namespace critscale {

/// u = 1/n; the self token has weight w0 and the others together w1 (1 - u), up to a common factor:
/// (1, n^(1-g)), or (n^(g-1), 1), whichever does not grow, where g = gamma (1 - rho).
template <class T>
struct SimplexTailInputs {
  T u, w0, w1;
  T rho, delta;
  T sigma, residual;      ///< 1/(1+s) and s/(1+s), s = alpha sqrt q
  T alpha, root_q;        ///< needed by the Jacobian norm only
  T one_minus_inverse_d;  ///< 1 - 1/d
  T beta_delta_over_d;    ///< beta delta/d
  T beta_delta_2_over_d;  ///< (beta delta)^2/d
};

/// A number known to lie in [0, 1], where a quotient of wide enclosures may say less.
inline Rational in_unit_interval(Rational x) { return x; }
inline Difference<Ball> in_unit_interval(Difference<Ball> x) {
  x.value = narrower(x.value, Ball::hull(Rational(0), Rational(1), x.value.precision()));
  return x;
}

template <class T>
class SimplexTail {
 public:
  explicit SimplexTail(SimplexTailInputs<T> inputs) : in_(std::move(inputs)) {
    // w0 + w1 (1 - u) = 1 + (the one that vanishes) - w1 u; kept as written where both are near 1.
    total_ = in_.w0 + in_.w1 * (1 - in_.u);
    // All between 0 and 1, as w0 >= w1 u.
    a_ = in_unit_interval(in_.w0 / total_);
    M_ = in_unit_interval(in_.w1 * (1 - in_.u) / total_);
    bn_ = in_unit_interval(in_.w1 / total_);
    b_ = bn_ * in_.u;
    // x'/(1+s): (a - b + s)/(1+s) in two ways, tight where the mass is far and where it is near.
    c_ = refine(T(in_.residual + in_.sigma * ((in_.w0 - in_.w1 * in_.u) / total_)),
                T(1 - in_.sigma * (M_ + b_)));
    // |x'|^2 = c^2 + common, where sigma n b (2c + sigma n b) = 1 - c^2 ([factors]).
    const T lost = in_.delta * (in_.sigma * (b_ * (2 * c_ + in_.sigma * bn_)));
    common_ = refine(T(in_.sigma * (b_ + in_.rho * M_) * (2 * c_ + in_.sigma * bn_)),
                     T(in_.rho * (1 - sqr(c_)) + lost));
    norm2_ = in_.rho + in_.delta * sqr(c_) + lost;
  }

  /// w0 + w1 (1 - u): Z over exp(beta rho) n or exp(beta).
  const T& total() const { return total_; }
  const T& self_weight() const { return a_; }
  const T& band_mass() const { return M_; }
  /// lambda = c^2/|x'|^2.
  T angle_ratio() const { return share(T(sqr(c_)), common_, norm2_); }
  T inner_product() const { return 1 - in_.delta * angle_ratio(); }

  /// At least rho |lambda - its limit| n^k (ln n)^-p below the threshold, for rho down to 0 ([factors]). Of a
  /// T with the members of Difference.
  auto angle_ratio_over_rho() const {
    const T own = sqr(c_), lost = in_.sigma * (b_ * (2 * c_ + in_.sigma * bn_));
    return abs(own.scaled) + abs(lost.scaled);
  }

  /// eta = (D + O)/d with every 1/d, beta/d and beta^2/d in its own factor; beta T carries
  /// beta delta, beta^2 V carries (beta delta)^2.
  T jacobian_norm() const {
    const T T_over_delta = M_ * (1 + a_ * in_.rho - b_);
    const T V_over_delta2 =
        M_ * (sqr(a_) * (in_.rho * M_ + (1 + in_.rho) * b_) + b_ * (sqr(T(1 - b_)) + b_ * bn_ - 2 * sqr(b_)));
    const T bracket = in_.one_minus_inverse_d - 2 * in_.beta_delta_over_d * (a_ + in_.rho * (1 - b_)) +
                      in_.beta_delta_2_over_d * ((1 + in_.rho) * (1 + sqr(a_) - b_ * (1 + a_)));
    const T beta_T = in_.beta_delta_over_d * T_over_delta;
    const T inverse_q = 1 / sqr(in_.root_q);
    return inverse_q * (sqr(a_) * in_.one_minus_inverse_d + 2 * a_ * beta_T +
                        in_.beta_delta_2_over_d * V_over_delta2 + M_ * b_ * bracket) +
           2 * in_.alpha / in_.root_q * (a_ * in_.one_minus_inverse_d + beta_T) + sqr(in_.alpha);
  }

 private:
  SimplexTailInputs<T> in_;
  T total_, a_, M_, b_, bn_, c_, common_, norm2_;
};

}  // namespace critscale
