// Attention forward and backward in simulated arithmetics, in the ways that kernels are written: the scale in
// the scores, in the queries, or half in queries and half in keys; weights as quotients or recomputed from
// the log-sum-exp; D from the weights or from the stored output; heads added up at once or one after the
// other. Knows nothing of allowances.
#pragma once

#include <cmath>
#include <vector>

#include "critscale/tables/detail/attention_question.hpp"
#include "tables/simulated.hpp"

namespace critscale::test {

struct KernelVariant {
  int scale = 0;                ///< 0 scores, 1 queries, 2 both
  bool after = false;           ///< the output is divided by the sum at the end
  bool recomputed = false;      ///< weights of the backward pass
  bool by_output = false;       ///< D
  bool products_apart = false;  ///< P dP - P D
  bool heads_apart = false;
};

class SimulatedAttention {
 public:
  SimulatedAttention(const AttentionQuestion& a, const Arithmetic& arithmetic, Order order, KernelVariant v)
      : a_(a), arithmetic_(arithmetic), code_(arithmetic, order), v_(v) {
    const auto e = [&](double x) { return code_.e(x); };
    f_ = a.options.scale ? e(static_cast<double>(*a.options.scale))
                         : e(1 / e(std::sqrt(static_cast<double>(a.d))));
    root_ = e(std::sqrt(f_));
    cap_ = a.options.softcap ? e(static_cast<double>(*a.options.softcap)) : 0;
  }

  std::vector<double> run() const {
    std::vector<double> r;
    std::vector<Row> rows;
    for (std::size_t h = 0; h < a_.heads; ++h)
      for (std::size_t i = 0; i < a_.m; ++i) rows.push_back(row(h, i));
    if (a_.quantity <= AttentionQuantity::lse)
      for (const Row& x : rows) r.insert(r.end(), x.answer.begin(), x.answer.end());
    else if (a_.quantity == AttentionQuantity::dq)
      for (std::size_t at = 0; at < rows.size(); ++at) query(rows[at], at / a_.m, r);
    else if (a_.quantity == AttentionQuantity::dsink)
      for (std::size_t h = 0; h < a_.heads; ++h) {
        std::vector<double> terms;
        for (std::size_t i = 0; i < a_.m; ++i)
          terms.push_back(e(rows[h * a_.m + i].sink * rows[h * a_.m + i].D));
        r.push_back(code_.out(-code_.sum(terms)));
      }
    else
      for (std::size_t g = 0; g < a_.key_heads; ++g)
        for (std::size_t j = 0; j < a_.n; ++j) key(rows, g, j, r);
    return r;
  }

 private:
  struct Row {
    std::vector<double> answer, P, dS;
    double sink = 0, D = 0;
  };
  double e(double x) const { return code_.e(x); }
  double c(double x) const { return code_.c(x); }
  double w(double x) const { return rounded(*arithmetic_.weights, x); }

  template <class A, class B>
  double dot(const A& a, const B& b, std::size_t n) const {
    std::vector<double> t;
    for (std::size_t l = 0; l < n; ++l) t.push_back(c(a(l) * b(l)));
    return e(code_.sum(std::move(t)));
  }

  bool sees(std::size_t i, std::size_t j) const {
    const long place =
        static_cast<long>(i) +
        (a_.options.causal == Causal::bottom_right ? static_cast<long>(a_.n) - static_cast<long>(a_.m) : 0L);
    const long distance = place - static_cast<long>(j);
    if (a_.options.causal != Causal::none && distance < 0) return false;
    if (a_.options.window && distance >= static_cast<long>(*a_.options.window)) return false;
    return a_.mask.empty() || std::isfinite(a_.mask[i * a_.n + j]);
  }

  double score(const AttentionHead& x, std::size_t i, std::size_t j, double& slope) const {
    const double *q = x.q.data() + i * a_.d, *k = x.k.data() + j * a_.d;
    double s = 0;
    if (v_.scale == 0)
      s = e(dot([&](std::size_t l) { return q[l]; }, [&](std::size_t l) { return k[l]; }, a_.d) * f_);
    else if (v_.scale == 1)
      s = dot([&](std::size_t l) { return e(q[l] * f_); }, [&](std::size_t l) { return k[l]; }, a_.d);
    else
      s = dot([&](std::size_t l) { return e(q[l] * root_); }, [&](std::size_t l) { return e(k[l] * root_); },
              a_.d);
    const double b = a_.mask.empty() ? 0 : a_.mask[i * a_.n + j];
    if (a_.options.softcap_after_bias && !a_.mask.empty()) s = e(s + b);
    if (cap_ > 0) {
      const double t = e(std::tanh(e(s / cap_)));
      slope = e(1 - e(t * t));
      s = e(cap_ * t);
    }
    return a_.options.softcap_after_bias || a_.mask.empty() ? s : e(s + b);
  }

  Row row(std::size_t h, std::size_t i) const {
    const AttentionHead x = a_.head(h);
    Row r;
    r.P.assign(a_.n, 0);
    r.dS.assign(a_.n, 0);
    std::vector<std::size_t> keys;
    std::vector<double> s, slope;
    for (std::size_t j = 0; j < a_.n; ++j) {
      if (!sees(i, j)) continue;
      keys.push_back(j);
      slope.push_back(1);
      s.push_back(score(x, i, j, slope.back()));
    }
    if (a_.options.sink) s.push_back(static_cast<double>(*a_.options.sink));
    const bool forward = a_.quantity <= AttentionQuantity::lse;
    if (s.empty()) {
      if (forward && a_.quantity == AttentionQuantity::lse)
        r.answer = {-HUGE_VAL};
      else if (forward)
        r.answer.assign(a_.e, 0);
      return r;
    }
    if (a_.quantity == AttentionQuantity::lse) {
      r.answer = {code_.logsumexp(s)};
      return r;
    }
    std::vector<double> stored;
    for (std::size_t l = 0; l < a_.e; ++l) {
      std::vector<double> v;
      for (const std::size_t j : keys) v.push_back(x.v[j * a_.e + l]);
      if (a_.options.sink) v.push_back(0);
      stored.push_back(code_.output(s, v, v_.after));
    }
    if (forward) {
      r.answer = stored;
      return r;
    }
    backward(x, h, i, keys, s, slope, stored, r);
    return r;
  }

  void backward(const AttentionHead& x, std::size_t h, std::size_t i, const std::vector<std::size_t>& keys,
                const std::vector<double>& s, const std::vector<double>& slope,
                const std::vector<double>& stored, Row& r) const {
    const SimulatedCode::Weights weights = code_.weights(s);
    const double lse = c(weights.maximum + e(std::log(weights.sum)));
    std::vector<double> P;
    for (std::size_t a = 0; a < s.size(); ++a)
      P.push_back(v_.recomputed ? e(std::exp(e(s[a] - lse))) : e(weights.terms[a] / weights.sum));
    if (a_.options.sink) r.sink = P.back();
    const double* out = a_.d_out_of(h).data() + i * a_.e;
    std::vector<double> g, terms;
    for (std::size_t a = 0; a < keys.size(); ++a) {
      g.push_back(dot([&](std::size_t l) { return out[l]; },
                      [&](std::size_t l) { return x.v[keys[a] * a_.e + l]; }, a_.e));
      terms.push_back(c(P[a] * g.back()));
    }
    r.D = v_.by_output
              ? dot([&](std::size_t l) { return out[l]; }, [&](std::size_t l) { return stored[l]; }, a_.e)
              : e(code_.sum(terms));
    for (std::size_t a = 0; a < keys.size(); ++a) {
      double ds = v_.products_apart ? e(e(P[a] * g[a]) - e(P[a] * r.D)) : e(P[a] * e(g[a] - r.D));
      if (cap_ > 0) ds = e(ds * slope[a]);
      r.P[keys[a]] = w(P[a]);
      r.dS[keys[a]] = w(ds);
    }
  }

  void query(const Row& row, std::size_t h, std::vector<double>& r) const {
    const AttentionHead x = a_.head(h);
    for (std::size_t l = 0; l < a_.d; ++l) {
      std::vector<double> terms;
      for (std::size_t j = 0; j < a_.n; ++j) {
        const double k = x.k[j * a_.d + l];
        terms.push_back(c(row.dS[j] * (v_.scale == 2 ? e(k * root_) : k)));
      }
      r.push_back(code_.out(e(code_.sum(terms)) * (v_.scale == 2 ? root_ : f_)));
    }
  }

  void key(const std::vector<Row>& rows, std::size_t g, std::size_t j, std::vector<double>& r) const {
    const bool of_values = a_.quantity == AttentionQuantity::dv;
    const std::size_t group = a_.heads / a_.key_heads;
    for (std::size_t l = 0; l < (of_values ? a_.e : a_.d); ++l) {
      std::vector<double> terms;
      double apart = 0;
      for (std::size_t h = g * group; h < (g + 1) * group; ++h) {
        if (v_.heads_apart) terms.clear();
        for (std::size_t i = 0; i < a_.m; ++i) {
          const Row& row = rows[h * a_.m + i];
          const double q = a_.head(h).q[i * a_.d + (of_values ? 0 : l)];
          const double factor = of_values       ? a_.d_out_of(h)[i * a_.e + l]
                                : v_.scale == 2 ? e(q * root_)
                                : v_.scale == 1 ? e(q * f_)
                                                : q;
          terms.push_back(c((of_values ? row.P[j] : row.dS[j]) * factor));
        }
        if (v_.heads_apart) apart = code_.out(apart + code_.out(finished(terms, of_values)));
      }
      r.push_back(v_.heads_apart ? apart : code_.out(finished(terms, of_values)));
    }
  }
  double finished(const std::vector<double>& terms, bool of_values) const {
    const double sum = e(code_.sum(terms));
    if (of_values || v_.scale == 1) return sum;
    return sum * (v_.scale == 2 ? root_ : f_);
  }

  const AttentionQuestion& a_;
  const Arithmetic& arithmetic_;
  SimulatedCode code_;
  KernelVariant v_;
  double f_ = 1, root_ = 1, cap_ = 0;
};

}  // namespace critscale::test
