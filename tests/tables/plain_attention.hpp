// Attention forward and backward as people write it, in doubles, with the mistakes people make. Knows nothing
// of formulas and allowances; shares with the library the reading of a question.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "critscale/tables/detail/attention_question.hpp"

namespace critscale::test {

enum class AttentionSlip {
  none,
  no_scale,
  scale_of_model,    ///< 1/sqrt(heads d)
  mask_off_by_one,   ///< the row's own key is not seen
  aligned_top_left,  ///< a bottom-right mask at the top left
  aligned_bottom_right,
  window_off_by_one,  ///< one key more
  sink_dropped,
  sink_twice,
  cap_after_mask,  ///< hidden keys have the score -c
  dealt_heads,     ///< key head a mod K for query head a
  lse_base_2,
  dq_without_scale,
  first_head_alone,  ///< gradients of keys and values of the first query head of a group
  no_D,              ///< dP in place of dP - D
  no_slope,          ///< the cap's derivative is left out
  finite_mask        ///< a large number in place of minus infinity in masks; this code subtracts no maximum
};

class PlainAttention {
 public:
  PlainAttention(const AttentionQuestion& a, AttentionSlip slip) : a_(a), slip_(slip) {}

  std::vector<double> run() const {
    std::vector<double> r(a_.shape().size(), 0.0);
    for (std::size_t h = 0; h < a_.heads; ++h)
      for (std::size_t i = 0; i < a_.m; ++i) row(h, i, r);
    return r;
  }

 private:
  bool is(AttentionSlip s) const { return slip_ == s; }
  double scale() const {
    if (is(AttentionSlip::no_scale)) return 1;
    const double d = static_cast<double>(is(AttentionSlip::scale_of_model) ? a_.d * a_.heads : a_.d);
    return a_.options.scale ? static_cast<double>(*a_.options.scale) : 1 / std::sqrt(d);
  }
  std::size_t key_head(std::size_t h) const {
    return is(AttentionSlip::dealt_heads) ? h % a_.key_heads : h / (a_.heads / a_.key_heads);
  }
  /// Whether row i sees key j by its place.
  bool sees(std::size_t i, std::size_t j) const {
    bool right = a_.options.causal == Causal::bottom_right;
    if (is(AttentionSlip::aligned_top_left)) right = false;
    if (is(AttentionSlip::aligned_bottom_right)) right = true;
    const long place =
        static_cast<long>(i) + (right ? static_cast<long>(a_.n) - static_cast<long>(a_.m) : 0L);
    const long distance = place - static_cast<long>(j);
    const bool causal = a_.options.causal != Causal::none;
    if (causal && distance < (is(AttentionSlip::mask_off_by_one) ? 1 : 0)) return false;
    const long more = is(AttentionSlip::window_off_by_one) ? 1 : 0;
    return !a_.options.window || distance < static_cast<long>(*a_.options.window) + more;
  }
  double capped(double s) const {
    if (!a_.options.softcap) return s;
    const double c = static_cast<double>(*a_.options.softcap);
    return c * std::tanh(s / c);
  }

  void row(std::size_t h, std::size_t i, std::vector<double>& r) const {
    const AttentionHead head = a_.head(h);
    const std::size_t d = a_.d, e = a_.e, n = a_.n, kh = key_head(h);
    const double* q = head.q.data() + i * d;
    const double *k = a_.k.data() + kh * n * d, *v = a_.v.data() + kh * n * e;
    std::vector<double> w(n, 0.0), score(n, -HUGE_VAL), slope(n, 1.0), g(n, 0.0);
    double most = a_.options.sink ? static_cast<double>(*a_.options.sink) : -HUGE_VAL, z = 0;
    for (std::size_t j = 0; j < n; ++j) {
      double raw = 0;
      for (std::size_t l = 0; l < d; ++l) raw += q[l] * k[j * d + l];
      raw *= scale();
      double b = a_.mask.empty() ? 0 : a_.mask[i * n + j];
      bool seen = sees(i, j);
      if (is(AttentionSlip::finite_mask) && std::isinf(b)) b = -600;
      double s = 0;
      if (is(AttentionSlip::cap_after_mask) && a_.options.softcap) {
        const double hidden = seen ? b : -HUGE_VAL;
        const double c = static_cast<double>(*a_.options.softcap), t = std::tanh((raw + hidden) / c);
        s = c * t;
        slope[j] = 1 - t * t;
        seen = true;
      } else {
        const double inside = a_.options.softcap_after_bias && std::isfinite(b) ? raw + b : raw;
        s = capped(inside) + (a_.options.softcap_after_bias && std::isfinite(b) ? 0 : b);
        if (a_.options.softcap) {
          const double t = std::tanh(inside / static_cast<double>(*a_.options.softcap));
          slope[j] = 1 - t * t;
        }
      }
      if (is(AttentionSlip::no_slope)) slope[j] = 1;
      if (seen) score[j] = s;
      most = std::max(most, score[j]);
    }
    if (std::isinf(most)) most = 0;
    for (std::size_t j = 0; j < n; ++j) z += w[j] = std::exp(score[j] - most);
    double sink = a_.options.sink ? std::exp(static_cast<double>(*a_.options.sink) - most) : 0;
    if (is(AttentionSlip::sink_dropped)) sink = 0;
    if (is(AttentionSlip::sink_twice)) sink *= 2;
    z += sink;
    if (a_.quantity == AttentionQuantity::lse) {
      r[h * a_.m + i] = (most + std::log(z)) / (is(AttentionSlip::lse_base_2) ? std::log(2.0) : 1);
      return;
    }
    if (z == 0) return;
    for (double& x : w) x /= z;
    if (a_.quantity == AttentionQuantity::output) {
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t l = 0; l < e; ++l) r[(h * a_.m + i) * e + l] += w[j] * v[j * e + l];
      return;
    }
    const double* out = a_.d_out_of(h).data() + i * e;
    double D = 0;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < e; ++l) g[j] += out[l] * v[j * e + l];
      D += w[j] * g[j];
    }
    if (a_.quantity == AttentionQuantity::dsink) {
      r[h] -= sink / z * D;
      return;
    }
    const bool counts = !is(AttentionSlip::first_head_alone) || h % (a_.heads / a_.key_heads) == 0;
    const double f = scale();
    for (std::size_t j = 0; j < n; ++j) {
      const double ds = w[j] * (g[j] - (is(AttentionSlip::no_D) ? 0 : D)) * slope[j];
      for (std::size_t l = 0; l < d; ++l) {
        if (a_.quantity == AttentionQuantity::dq)
          r[(h * a_.m + i) * d + l] += (is(AttentionSlip::dq_without_scale) ? 1 : f) * ds * k[j * d + l];
        if (a_.quantity == AttentionQuantity::dk && counts) r[(kh * n + j) * d + l] += f * ds * q[l];
      }
      for (std::size_t l = 0; l < e; ++l)
        if (a_.quantity == AttentionQuantity::dv && counts) r[(kh * n + j) * e + l] += w[j] * out[l];
    }
  }

  const AttentionQuestion& a_;
  AttentionSlip slip_;
};

}  // namespace critscale::test
