// Attention code in simulated arithmetics: every operation is rounded to a format, in several orders and
// by several algorithms. Knows nothing of allowances.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "critscale/tables/arithmetic.hpp"

namespace critscale::test {

/// A double rounded to a format, ties to even, with subnormals and overflow. Sums, products, quotients and
/// roots of binary32 and narrower numbers formed in binary64 are rounded correctly so.
inline double rounded(const BinaryFormat& f, double x) {
  if (&f == &binary64 || !std::isfinite(x) || x == 0) return x;
  int e = 0;
  std::frexp(x, &e);  // |x| in [2^(e-1), 2^e)
  const int unit = std::max(e - f.precision, f.min_exponent - f.precision + 1);
  const double r = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - f.precision), f.max_exponent);
  return std::abs(r) > largest ? std::copysign(std::numeric_limits<double>::infinity(), x) : r;
}

enum class Order { forward, reversed, pairwise, online1, online7, online64 };
inline constexpr Order orders[] = {Order::forward, Order::reversed, Order::pairwise,
                                   Order::online1, Order::online7,  Order::online64};

class SimulatedCode {
 public:
  SimulatedCode(const Arithmetic& a, Order order) : a_(a), order_(order) {}

  double e(double x) const { return rounded(*a_.elementwise, x); }
  double c(double x) const { return rounded(*a_.accumulate, x); }
  double out(double x) const { return rounded(*a_.format, e(x)); }

  double sum(std::vector<double> t) const {
    if (order_ == Order::reversed) std::reverse(t.begin(), t.end());
    if (order_ == Order::pairwise) return pairwise(t.data(), t.size());
    double r = 0;
    for (const double v : t) r = c(r + v);
    return r;
  }

  /// Unnormalised weights relative to the maximum, and their sum.
  struct Weights {
    std::vector<double> terms;
    double maximum = 0, sum = 0;
  };
  Weights weights(const std::vector<double>& s) const {
    if (order_ >= Order::online1) return online(s);
    Weights w;
    w.maximum = *std::max_element(s.begin(), s.end());
    for (const double x : s) w.terms.push_back(e(std::exp(e(x - w.maximum))));
    w.sum = e(sum(w.terms));
    return w;
  }
  std::vector<double> probabilities(const std::vector<double>& s) const {
    Weights w = weights(s);
    for (double& t : w.terms) t = e(t / w.sum);
    return w.terms;
  }
  std::vector<double> softmax(const std::vector<double>& s) const {
    std::vector<double> p = probabilities(s);
    for (double& x : p) x = out(x);
    return p;
  }
  double logsumexp(const std::vector<double>& s) const {
    const Weights w = weights(s);
    return out(w.maximum + e(std::log(w.sum)));
  }
  /// -sum p ln p, or ln S + sum p (max - s).
  double entropy(const std::vector<double>& s, bool by_scores) const {
    const Weights w = weights(s);
    std::vector<double> t;
    for (std::size_t j = 0; j < s.size(); ++j) {
      const double p = e(w.terms[j] / w.sum);
      if (by_scores)
        t.push_back(p == 0 ? 0 : e(p * e(w.maximum - s[j])));
      else
        t.push_back(p == 0 ? 0 : e(-p * e(std::log(p))));
    }
    const double total = e(sum(t));
    return out(by_scores ? e(e(std::log(w.sum)) + total) : total);
  }
  /// Weights normalised before or after they meet the values.
  double output(const std::vector<double>& s, const std::vector<double>& v, bool after) const {
    const Weights w = weights(s);
    std::vector<double> t;
    for (std::size_t j = 0; j < s.size(); ++j) {
      const double p = rounded(*a_.weights, after ? w.terms[j] : e(w.terms[j] / w.sum));
      t.push_back(c(p * v[j]));
    }
    const double total = sum(t);
    return out(after ? e(total) / w.sum : total);
  }
  std::vector<double> scaled(const std::vector<double>& z, double d) const {
    const double factor = e(1 / e(std::sqrt(d)));
    std::vector<double> s;
    for (const double x : z) s.push_back(d == 1 ? x : e(x * factor));
    return s;
  }
  std::vector<double> capped(const std::vector<double>& s, double cap) const {
    std::vector<double> r;
    for (const double x : s) r.push_back(e(cap * e(std::tanh(e(x / cap)))));
    return r;
  }

 private:
  double pairwise(const double* t, std::size_t n) const {
    if (n == 0) return 0;
    if (n == 1) return t[0];
    return c(pairwise(t, n / 2) + pairwise(t + n / 2, n - n / 2));
  }
  /// A running maximum; what was summed is multiplied by exp(old - new) when it grows.
  Weights online(const std::vector<double>& s) const {
    const std::size_t block = order_ == Order::online1 ? 1 : order_ == Order::online7 ? 7 : 64;
    Weights w;
    w.maximum = -std::numeric_limits<double>::infinity();
    for (std::size_t start = 0; start < s.size(); start += block) {
      const std::size_t end = std::min(start + block, s.size());
      const double top = std::max(w.maximum, *std::max_element(s.begin() + static_cast<long>(start),
                                                               s.begin() + static_cast<long>(end)));
      if (std::isfinite(w.maximum) && top > w.maximum) {
        const double factor = c(std::exp(c(w.maximum - top)));
        w.sum = c(w.sum * factor);
        for (double& t : w.terms) t = c(t * factor);
      }
      w.maximum = top;
      double part = 0;
      for (std::size_t j = start; j < end; ++j) {
        w.terms.push_back(std::isfinite(s[j]) ? e(std::exp(e(s[j] - top))) : 0);
        part = c(part + w.terms.back());
      }
      w.sum = c(w.sum + part);
    }
    w.sum = e(w.sum);
    return w;
  }

  const Arithmetic& a_;
  Order order_;
};

}  // namespace critscale::test
