// One attention layer on a banded (ultrametric) configuration with any number of levels ([bands]):
// every quantity as a sum of positive terms over groups of clusters, at a cost polynomial in the
// number of levels and free of n. Uses real.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "critscale/layer/real.hpp"

namespace critscale {

/// What the layer needs to know of nested clusters of sizes N_0 = 1, N_1, ..., N_L = n: two tokens
/// whose smallest common cluster is at level l have inner product r_l, r_0 = 1 >= r_1 >= ... >= r_L >= 0.
/// Vectors are indexed by the level l; entry 0 belongs to the token itself.
template <class Real>
struct BandInputs {
  Real d, beta, q, root_q, alpha;
  std::vector<Real> size;   ///< N_l, l = 0..L
  std::vector<Real> count;  ///< members of band l: N_l - N_(l-1), and 1 for l = 0
  std::vector<Real> r;      ///< r_l, l = 0..L
  std::vector<Real> depth;  ///< 1 - r_l, formed from the exact r_l
  std::vector<Real> drop;   ///< D_l = r_l - r_(l+1), with r_(L+1) = 0
  std::vector<Real> odds;  ///< mass of band l over the self mass: count_l exp(-beta depth_l), and 1 for l = 0
  std::vector<Real> fall;  ///< 1 - exp(-beta D_l) for l = 0..L-1, through expm1
  std::vector<bool> tied;  ///< whether r_l = 1 exactly
};

/// The quantities of [layer] on a banded configuration; band b = 1..L, innermost first.
template <class Real>
class BandedLayer {
 public:
  explicit BandedLayer(BandInputs<Real> inputs) : in_(std::move(inputs)), L_(in_.size.size() - 1) {
    for (std::size_t l = 1; l <= L_; ++l) others_ += in_.odds[l];
    const Real self = 1 / (1 + others_);
    for (std::size_t l = 0; l <= L_; ++l) {
      mass_.push_back(in_.odds[l] * self);
      if (is_wide(in_.odds[l])) mass_[l] = either(mass_[l], share(l));
      weight_.push_back(mass_[l] / in_.count[l]);
      own_.push_back(l == 0 ? mass_[0] : own_[l - 1] + mass_[l]);
    }
    outside_.resize(L_ + 1);
    for (std::size_t l = L_; l > 0; --l) outside_[l - 1] = outside_[l] + mass_[l];
    residual_ = in_.alpha * in_.root_q;
    for (std::size_t l = 0; l <= L_; ++l) {
      Real level = sqr(Real(own_[l] + residual_));
      for (std::size_t t = l + 1; t <= L_; ++t) level += mass_[t] * cluster_mass(l, t);
      norm2_ += in_.drop[l] * level;
    }
  }

  const BandInputs<Real>& inputs() const { return in_; }
  std::size_t bands() const { return L_; }

  /// ln Z = beta + ln(1 + sum of odds).
  Real log_partition() const { return in_.beta + log1p(others_); }
  const Real& self_weight() const { return weight_[0]; }
  /// A_ij for j in band b.
  const Real& band_weight(std::size_t b) const { return weight_[b]; }
  /// Sum of A_ij over band b.
  const Real& band_mass(std::size_t b) const { return mass_[b]; }
  const Real& output_norm2() const { return norm2_; }
  /// <y'_i, y'_j> for j in band b.
  Real inner_product(std::size_t b) const {
    return either(Real(output_product(b) / norm2_), Real(1 - one_minus_inner_product(b)));
  }
  /// 1 - <y'_i, y'_j> = |x'_i - x'_j|^2/(2 |x'|^2) for j in band b.
  Real one_minus_inner_product(std::size_t b) const { return half_distance2(b) / norm2_; }
  /// lambda: the mean of (1 - <y'_i, y'_j>)/(1 - r_b) over all pairs that are not tied. Meaningless
  /// (the caller refuses it) when every band is tied.
  Real angle_ratio() const {
    Real sum{}, pairs{};
    for (std::size_t b = 1; b <= L_; ++b) {
      if (in_.tied[b]) continue;
      sum += in_.count[b] * (half_distance2(b) / in_.depth[b]);
      pairs += in_.count[b];
    }
    return sum / (pairs * norm2_);
  }
  /// 1 / sum_j A_ij^2.
  Real participation() const {
    Real sum{};
    for (std::size_t b = 0; b <= L_; ++b) sum += mass_[b] * weight_[b];
    return 1 / sum;
  }
  /// - sum_j A_ij ln A_ij = ln(1 + sum of odds) + beta sum_b (1 - r_b) mass_b.
  Real entropy() const {
    Real sum{};
    for (std::size_t b = 1; b <= L_; ++b) sum += in_.depth[b] * mass_[b];
    return log1p(others_) + in_.beta * sum;
  }
  /// eta = (D + O)/d.
  Real jacobian_norm() const { return (diagonal_block() + other_blocks()) / in_.d; }

 private:
  /// Mass of band l, as 1 over a sum of odds relative to its own.
  Real share(std::size_t l) const {
    Real others{};
    for (std::size_t k = 0; k <= L_; ++k)
      if (k != l) others += in_.odds[k] / in_.odds[l];
    return 1 / (1 + others);
  }
  /// Mass of one level-l cluster that joins i's own at level t > l.
  Real cluster_mass(std::size_t l, std::size_t t) const { return in_.size[l] * weight_[t]; }
  /// Number of level-l clusters that join i's own at level t > l.
  Real clusters(std::size_t l, std::size_t t) const { return in_.count[t] / in_.size[l]; }
  /// The same number less one.
  Real other_clusters(std::size_t l, std::size_t t) const {
    return (in_.count[t] - in_.size[l]) / in_.size[l];
  }
  /// 1 - cluster_mass(l, t), summed directly.
  Real rest(std::size_t l, std::size_t t) const {
    Real sum = other_clusters(l, t) * cluster_mass(l, t);
    for (std::size_t s = 0; s <= L_; ++s)
      if (s != t) sum += mass_[s];
    return sum;
  }
  /// u_lk: mass of own_k minus own_l, l < k.
  Real between(std::size_t l, std::size_t k) const {
    Real sum{};
    for (std::size_t t = l + 1; t <= k; ++t) sum += mass_[t];
    return sum;
  }
  /// weight_l - weight_k for l <= k, as a sum of positive terms.
  Real weight_difference(std::size_t l, std::size_t k) const {
    Real sum{};
    for (std::size_t t = l; t < k; ++t) sum += weight_[t] * in_.fall[t];
    return sum;
  }
  /// Own level-l mass less the mass of a level-l cluster in band b > l, as a sum of positive terms.
  Real lead(std::size_t l, std::size_t b) const {
    Real sum{};
    for (std::size_t t = 0; t <= l; ++t) sum += in_.count[t] * weight_difference(t, b);
    return sum;
  }

  /// <x'_i, x'_j> for j in band b, from feature coordinates.
  Real output_product(std::size_t b) const {
    Real sum{};
    for (std::size_t l = 0; l <= L_; ++l) {
      Real level{};
      if (l >= b) {
        level = sqr(Real(own_[l] + residual_));
      } else {
        const Real g = cluster_mass(l, b);
        level = 2 * (own_[l] + residual_) * g;
        for (std::size_t t = l + 1; t < b; ++t) level += 2 * mass_[t] * g;
        // Level-l clusters that join both i and j at level b.
        level += (in_.count[b] - in_.size[b - 1]) / in_.size[l] * sqr(g);
      }
      for (std::size_t t = std::max(l, b) + 1; t <= L_; ++t) level += mass_[t] * cluster_mass(l, t);
      sum += in_.drop[l] * level;
    }
    return sum;
  }
  /// |x'_i - x'_j|^2/2 for j in band b, from coordinate differences.
  Real half_distance2(std::size_t b) const {
    Real sum{};
    for (std::size_t l = 0; l < b; ++l) {
      Real level = sqr(Real(lead(l, b) + residual_));
      for (std::size_t t = l + 1; t < b; ++t)
        level += clusters(l, t) * sqr(Real(in_.size[l] * weight_difference(t, b)));
      sum += in_.drop[l] * level;
    }
    return sum;
  }

  /// |y_k - m_i|^2 for k in band b.
  Real distance2_to_mean(std::size_t b) const {
    Real sum{};
    for (std::size_t l = 0; l <= L_; ++l) {
      Real level = l >= b ? sqr(outside_[l]) : sqr(own_[l]) + sqr(rest(l, b));
      for (std::size_t t = l + 1; t <= L_; ++t) {
        const Real g = cluster_mass(l, t);
        level += t == b ? Real(other_clusters(l, t) * sqr(g)) : Real(mass_[t] * g);
      }
      sum += in_.drop[l] * level;
    }
    return sum;
  }
  /// <m_i, y_i> - r_b <m_i, y_k> for k in band b.
  Real score_gap(std::size_t b) const {
    Real own{}, difference{};
    for (std::size_t l = 0; l <= L_; ++l) own += in_.drop[l] * own_[l];
    for (std::size_t l = 0; l < b; ++l) difference += in_.drop[l] * lead(l, b);
    return in_.depth[b] * own + in_.r[b] * difference;
  }

  /// O = sum over k != i of |dx'_i/dx_k|_F^2.
  Real other_blocks() const {
    Real sum{};
    for (std::size_t b = 1; b <= L_; ++b) {
      const Real bracket = (in_.d - 1) - 2 * in_.beta * score_gap(b) +
                           sqr(in_.beta) * distance2_to_mean(b) * in_.depth[b] * (1 + in_.r[b]);
      sum += mass_[b] * weight_[b] * bracket;
    }
    return sum / in_.q;
  }
  /// D = |dx'_i/dx_i|_F^2.
  Real diagonal_block() const {
    const Real& a = weight_[0];
    const Real T = trace_term(), V = square_term();
    return (sqr(a) * (in_.d - 1) + 2 * a * in_.beta * T + sqr(in_.beta) * V) / in_.q +
           2 * in_.alpha / in_.root_q * (a * (in_.d - 1) + in_.beta * T) + sqr(in_.alpha) * in_.d;
  }
  /// T_i = tr(C_i P_i).
  Real trace_term() const {
    Real sum{};
    for (std::size_t l = 0; l <= L_; ++l) {
      Real level{};
      for (std::size_t t = l + 1; t <= L_; ++t) level += mass_[t] * rest(l, t);
      for (std::size_t k = l + 1; k <= L_; ++k)
        level += in_.drop[k] * between(l, k) * (own_[l] + outside_[k]);
      sum += in_.drop[l] * level;
    }
    return sum;
  }
  /// V_i = |C_i P_i|_F^2: own cluster and groups of clusters of every level l.
  Real square_term() const {
    Real sum{};
    for (std::size_t l = 0; l <= L_; ++l) {
      Real level = square_row_own(l);
      for (std::size_t t = l + 1; t <= L_; ++t) level += clusters(l, t) * square_row_group(l, t);
      sum += in_.drop[l] * level;
    }
    return sum;
  }
  /// The bracket of V_i for the cluster c = own_l.
  Real square_row_own(std::size_t l) const {
    Real sum{};
    for (std::size_t k = 0; k <= L_; ++k) {
      Real row{};
      for (std::size_t s = k + 1; s <= L_; ++s) {
        // Clusters of level k that join at level s lie inside own_l if s <= l, else beside it.
        const Real& factor = s <= l ? outside_[l] : own_[l];
        row += mass_[s] * cluster_mass(k, s) * sqr(factor);
      }
      for (std::size_t t = k + 1; t <= L_; ++t) row += in_.drop[t] * sqr(own_covariance(l, k, t));
      sum += in_.drop[k] * row;
    }
    return sum;
  }
  /// Cov(own_l, own_t minus own_k), k < t.
  Real own_covariance(std::size_t l, std::size_t k, std::size_t t) const {
    if (l <= k) return own_[l] * between(k, t);
    if (l >= t) return between(k, t) * outside_[l];
    return between(k, l) * outside_[t] - own_[k] * between(l, t);
  }
  /// The bracket of V_i for one cluster c of level l that joins i's own at level t > l.
  Real square_row_group(std::size_t l, std::size_t t) const {
    const Real g = cluster_mass(l, t), others = rest(l, t);
    Real sum{};
    for (std::size_t k = 0; k <= L_; ++k) {
      Real row{};
      for (std::size_t s = k + 1; s <= L_; ++s) {
        const Real h = cluster_mass(k, s);
        if (s != t) {
          row += clusters(k, s) * sqr(Real(g * h));
        } else if (k <= l) {
          // N_l/N_k of these clusters lie inside c (c itself when k = l), the others beside it.
          row += in_.size[l] / in_.size[k] * sqr(Real(h * others)) +
                 (in_.count[t] - in_.size[l]) / in_.size[k] * sqr(Real(g * h));
        } else {
          // c lies inside exactly one of them.
          row += sqr(Real(g * rest(k, s))) + other_clusters(k, s) * sqr(Real(g * h));
        }
      }
      for (std::size_t s = k + 1; s <= L_; ++s) {
        // own_s minus own_k contains c if c joins at a level in (k, s], else they are disjoint.
        const bool inside = k < t && t <= s;
        const Real covariance = inside ? Real(g * (own_[k] + outside_[s])) : Real(g * between(k, s));
        row += in_.drop[s] * sqr(covariance);
      }
      sum += in_.drop[k] * row;
    }
    return sum;
  }

  BandInputs<Real> in_;
  std::size_t L_;
  Real others_{}, residual_{}, norm2_{};
  std::vector<Real> mass_, weight_, own_, outside_;
};

}  // namespace critscale
