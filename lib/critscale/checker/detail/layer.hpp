// The layer as the checker knows it: nested clusters N_0 = 1, N_1, ..., N_L = n ([bands]; L = 1 is the
// simplex) in terms of the attention masses, by formulas of its own ([checker]). T is
// Interval for values, Scaled for tails, Rational for limits. Every formula is an identity, so that it also
// holds where sizes are no whole numbers. Uses intervals.hpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "critscale/checker/detail/intervals.hpp"

namespace critscale::checker {

inline Rational sqr(const Rational& x) { return x * x; }
inline Rational refine(const Rational& a, const Rational& b) {
  if (a != b) throw Error("two formulas for one number contradict each other");
  return a;
}
/// h/(u h + b), where u h + b is `whole`.
template <class T>
T part(const T& h, const T&, const T&, const T& whole) {
  return h / whole;
}
template <class T>
struct LayerInputs {
  std::vector<T> weight;              ///< of band t = 0..L (0 is the token), had it N_t members; any factor
  std::vector<std::vector<T>> ratio;  ///< N_l/N_t for l < t
  std::vector<std::vector<T>> fall;   ///< 1 - exp(-beta (r_t - r_b)) for t < b, where it is known
  std::vector<T> r, depth;            ///< r_t, and (1 - r_t)/unit, the unit being any number
  std::size_t tied = 0;               ///< how many of the inner bands have r_t = 1
  T unit, alpha, root_q;
  T sigma, residual;           ///< 1/(1+s), s/(1+s) with s = alpha sqrt(q)
  T freedom, beta_d, beta2_d;  ///< 1 - 1/d, beta unit/d, (beta unit)^2/d
};

template <class T>
class Layer {
 public:
  explicit Layer(LayerInputs<T> inputs)
      : in(std::move(inputs)), L(in.weight.size() - 1), sigma(in.sigma), residual(in.residual) {
    for (std::size_t t = 0; t <= L; ++t) {
      M.push_back(t == 0 ? in.weight[0] : in.weight[t] * (1 - in.ratio[t - 1][t]));
      total = total + M[t];
    }
    G.resize(L + 1, std::vector<T>(L + 1));
    for (std::size_t t = 0; t <= L; ++t) {
      M[t] = M[t] / total;
      for (std::size_t l = 0; l < t; ++l) G[l][t] = in.weight[t] * in.ratio[l][t] / total;
    }
    G[0][0] = M[0];
    own = outside = drop = std::vector<T>(L + 1);
    for (std::size_t l = L; l-- > 0;) outside[l] = outside[l + 1] + M[l + 1];
    for (std::size_t l = 0; l <= L; ++l)
      own[l] = refine(T(l == 0 ? M[0] : own[l - 1] + M[l]), T(1 - outside[l]));
    for (std::size_t l = 0; l < L; ++l) drop[l] = in.depth[l + 1] - in.depth[l];
    for (std::size_t t = 0; t <= L; ++t) {
      seen.push_back(seen_by(drop, t));
      unseen.push_back(T{});
      for (std::size_t l = 0; l < t; ++l) unseen[t] = unseen[t] - drop[l] * G[l][t];
      for (std::size_t l = t + 1; l <= L; ++l) unseen[t] = unseen[t] + (in.depth[l] - in.depth[t]) * M[l];
      square = square + M[t] * seen[t];
      weights2 = weights2 + M[t] * G[0][t];
    }
  }

  T quantity(const std::string& name, std::size_t b) const {
    if (name == "self_weight") return M[0];
    if (name == "band_weights") return G[0][b];
    if (name == "band_masses") return M[b];
    if (name == "participation") return 1 / weights2;
    if (name == "output_norm2") return product(0) / sqr(sigma);
    if (name == "inner_products") {
      const T own = product(0), other = product(b), by_product = other / own;
      return b <= in.tied ? by_product
                          : refine(by_product, T(1 - in.unit * in.depth[b] * turn(b, other, own)));
    }
    if (name == "angle_ratio") {
      // The mean over the n - N_tied pairs that are not tied: N_t - N_(t-1) of them are in band t.
      const T own = product(0);
      T sum{}, before{};
      for (std::size_t t = in.tied + 1; t <= L; ++t) {
        const T share =
            t == L ? T(1 - before) : (in.ratio[t][L] - in.ratio[t - 1][L]) / (1 - in.ratio[in.tied][L]);
        sum = sum + share * turn(t, product(t), own);
        before = before + share;
      }
      return sum;
    }
    if (name == "jacobian_norm") return jacobian_norm();
    throw InputError("the claim names a quantity that does not exist");
  }

  T total{};         ///< Z over the common factor of the weights
  std::vector<T> M;  ///< masses of the bands
  /// (r_t - <m_i, y_k>)/unit for k in band t; of the token itself the sum over j of (1 - <y_i, y_j>) A_ij.
  std::vector<T> unseen;

 private:
  /// (<m_i, y_k> - r_L)/unit for k in band t ([checker]): on level l, k shares a cluster of mass G_lt, or i's
  /// own.
  T seen_by(const std::vector<T>& drops, std::size_t t) const {
    T sum{};
    for (std::size_t l = 0; l < L; ++l) sum = sum + drops[l] * (l < t ? G[l][t] : own[l]);
    return sum;
  }
  /// <x'_i, x'_j>/(1+s)^2 for j in band b ([checker]): <m_i, m_j> adds up what i sees of j's keys, which join
  /// i where they join j, but for those of the two clusters that meet on level b. Also as r_b less what the
  /// means are short of y_i and y_j, which is tight where the token itself has the mass.
  T product(std::size_t b) const {
    T sum{}, lost{};
    for (std::size_t t = 0; t <= L; ++t) {
      const T mass = t > b || b == 0 ? M[t]
                     : t == b        ? T(own[b - 1] + (M[b] - G[b - 1][b]))
                     : t == 0        ? G[0][b]
                                     : T(G[t][b] - G[t - 1][b]);
      sum = sum + mass * seen[t];
      lost = lost + mass * (in.depth[t] - in.depth[b] + unseen[t]);
    }
    const T both = in.depth[L] - in.depth[b];
    return refine(
        T(in.r[L] + in.unit * (sqr(residual) * both + sigma * (2 * (residual * seen[b]) + sigma * sum))),
        T(in.r[b] - in.unit * (sigma * (2 * (residual * unseen[b]) + sigma * lost))));
  }
  /// M_t f_t of [checker]: how much more than a key of band b > t the keys of band t weigh, together.
  T excess(std::size_t t, std::size_t b) const {
    if (!in.fall.empty()) return M[t] * in.fall[t][b];
    return t == 0 ? M[0] - G[0][b] : M[t] - (G[t][b] - G[t - 1][b]);
  }
  /// (1 - <y'_i, y'_j>)/(1 - r_b) for j in band b ([checker]): x'_i - x'_j is u - v with u on i's cluster, v
  /// on j's, and |u - v|^2/2 = sum_l D_l [(u's mass on own_l)^2 + squares on the other clusters of level l].
  /// `other` is product(b), and `self` is product(0).
  T turn(std::size_t b, const T& other, const T& self) const {
    T sum{}, lead{};
    for (std::size_t l = 0; l < b; ++l) {
      lead = in.fall.empty() ? own[l] - G[l][b] : lead + excess(l, b);
      const T mass = refine(T(residual + sigma * lead), T(1 - sigma * (outside[l] + G[l][b])));
      T level = sqr(mass);
      for (std::size_t t = l + 1; t < b; ++t) {
        const T one = in.fall.empty() ? G[l][t] - G[l][b] : G[l][t] * in.fall[t][b];
        level = level + sqr(sigma) * (excess(t, b) * one);
      }
      const T below = l == 0 ? T{} : in.depth[l] / in.depth[b];  // D_l/(1 - r_b), exactly 1 where b = 1
      sum = sum + (l + 1 == b ? T(1 - below) : in.depth[l + 1] / in.depth[b] - below) * level;
    }
    return part(sum, T(in.unit * in.depth[b]), other, self);
  }
  /// V/unit^2 of [bands] for one or two levels, without cancellation: over the clusters c, tokens and larger
  /// ones, squares of covariances with clusters that are not i's and with differences of i's own.
  T off_self() const {
    const bool two = L == 2;
    const T near = two ? M[1] : T{}, far = M[L], cluster = two ? own[1] : M[0];
    const T far_cluster = two ? G[1][2] : G[0][1], d0 = drop[0], d1 = two ? drop[1] : T{};
    const T near2 = two ? T(near * G[0][1]) : T{}, far2 = far * G[0][L], self2 = sqr(M[0]), all2 = weights2;
    const T clusters2 = far * far_cluster, apart2 = sqr(far) + clusters2;
    const T across = sqr(T(1 - far_cluster)) + sqr(cluster) + (far - far_cluster) * far_cluster;
    const T near_self = in.unit * d1 * d0, self_all = d0 * in.r[L], cluster_all = d1 * in.r[L];
    T tokens = d0 * far2 * (1 - 2 * G[0][L] + all2) + self_all * (self2 * (sqr(outside[0]) + near2 + far2));
    if (!two) return d0 * tokens;
    tokens = tokens + d0 * near2 * (1 - 2 * G[0][1] + all2) +
             d1 * (far2 * sqr(T(1 - far_cluster)) + clusters2 * (all2 - G[0][2] * far_cluster)) +
             near_self * (near2 * sqr(T(1 - near)) + (self2 + far2) * sqr(near)) +
             cluster_all * ((self2 + near2) * sqr(far) + far2 * sqr(cluster));
    const T clusters = d0 * (near2 * apart2 + far2 * across) + d1 * clusters2 * across +
                       (near_self * sqr(near) + self_all * self2 + cluster_all * sqr(cluster)) * apart2;
    return d0 * tokens + d1 * clusters;
  }
  /// eta, from [jacobian], with inner products less r_L in units: c_t = (r_t - r_L)/unit. C_i does not
  /// feel what all keys have in common.
  T jacobian_norm() const {
    std::vector<T> squares(L + 1), moved(L + 1);
    T C2 = sqr(square), along{}, Cy2{}, sum{}, trace = M[0] * unseen[0];
    for (std::size_t l = 0; l < L; ++l)
      squares[l] = drop[l] * (2 * in.depth[L] - in.depth[l] - in.depth[l + 1]);  // c_l^2 - c_(l+1)^2
    for (std::size_t t = 0; t <= L; ++t) {
      const T away = unseen[0] - in.depth[t];  // (<y_i, y_k> - <y_i, m_i>)/unit
      C2 = C2 + M[t] * (seen_by(squares, t) - 2 * sqr(seen[t]));
      along = along + M[t] * sqr(away);
      moved[t] = (t == 0 ? T{} : moved[t - 1]) + M[t] * away;
      for (std::size_t l = 0; l < t; ++l) Cy2 = Cy2 + drop[l] * (M[t] * (G[l][t] * sqr(away)));
      Cy2 = Cy2 + drop[t] * sqr(moved[t]);
      if (t == 0) continue;
      trace = trace + M[t] * (in.depth[L] - seen[t]);  // tr C_i = sum_k A_ik (1 - <m_i, y_k>)
      const T turned = in.r[t] * (seen[0] - seen[t]) + in.depth[t] * (1 - in.unit * unseen[0]);
      const T apart = (in.depth[L] - 2 * seen[t] + square) * in.depth[t] * (1 + in.r[t]);
      sum = sum + M[t] * (G[0][t] * (in.freedom - 2 * (in.beta_d * turned) + in.beta2_d * apart));
    }
    const T turning = in.beta_d * (trace - in.unit * along), difference = C2 - in.unit * Cy2,
            V = L <= 2 ? refine(off_self(), difference) : difference;
    sum = sum + sqr(M[0]) * in.freedom + 2 * (M[0] * turning) + in.beta2_d * V;
    return sum / sqr(in.root_q) + 2 * (in.alpha / in.root_q * (M[0] * in.freedom + turning)) + sqr(in.alpha);
  }

  LayerInputs<T> in;
  std::size_t L;
  std::vector<std::vector<T>> G;  ///< mass of a cluster of level l that joins i's own at level t > l
  std::vector<T> own, outside, drop, seen;
  T square{}, weights2{};  ///< (|m_i|^2 - r_L)/unit, sum of A_ij^2
  T sigma, residual;
};

}  // namespace critscale::checker
