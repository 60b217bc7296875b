// Dual<Real>: a value together with its first derivatives, for mean-value forms. Uses exact.hpp
// and whatever Real is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "critscale/number/exact.hpp"

namespace critscale {

/// A function's value and gradient at a point, or, over a certified type, enclosures of all its
/// values and gradients over a set. Derivatives beyond the end of the gradient are zero, so that
/// constants carry none.
template <class Real>
class Dual {
 public:
  Dual() = default;
  template <SmallInteger I>
  explicit Dual(I v) : value_(v) {}
  /// A constant.
  explicit Dual(Real value) : value_(std::move(value)) {}
  /// A value with its gradient.
  Dual(Real value, std::vector<Real> gradient) : value_(std::move(value)), gradient_(std::move(gradient)) {}
  /// The independent variable number `index`.
  static Dual variable(Real value, std::size_t index) {
    std::vector<Real> gradient(index + 1);
    gradient[index] = Real(1);
    return Dual(std::move(value), std::move(gradient));
  }

  const Real& value() const { return value_; }
  /// The derivative with respect to variable `index`.
  Real derivative(std::size_t index) const { return index < gradient_.size() ? gradient_[index] : Real{}; }
  const std::vector<Real>& gradient() const { return gradient_; }

  Dual& operator+=(const Dual& o) { return *this = *this + o; }
  Dual& operator-=(const Dual& o) { return *this = *this - o; }
  Dual& operator*=(const Dual& o) { return *this = *this * o; }
  Dual& operator/=(const Dual& o) { return *this = *this / o; }

  /// f(value) with gradient slope * gradient.
  Dual chain(Real value, const Real& slope) const {
    std::vector<Real> gradient;
    gradient.reserve(gradient_.size());
    for (const Real& g : gradient_) gradient.push_back(slope * g);
    return Dual(std::move(value), std::move(gradient));
  }
  /// f(a, b) with gradient da * grad a + db * grad b.
  static Dual chain(Real value, const Dual& a, const Real& da, const Dual& b, const Real& db) {
    std::vector<Real> gradient(std::max(a.gradient_.size(), b.gradient_.size()));
    for (std::size_t i = 0; i < a.gradient_.size(); ++i) gradient[i] = da * a.gradient_[i];
    for (std::size_t i = 0; i < b.gradient_.size(); ++i) gradient[i] += db * b.gradient_[i];
    return Dual(std::move(value), std::move(gradient));
  }

  friend Dual operator+(const Dual& a, const Dual& b) {
    return chain(a.value_ + b.value_, a, Real(1), b, Real(1));
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return chain(a.value_ - b.value_, a, Real(1), b, Real(-1));
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return chain(a.value_ * b.value_, a, b.value_, b, a.value_);
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const Real inverse = 1 / b.value_, quotient = a.value_ * inverse;
    return chain(quotient, a, inverse, b, -(quotient * inverse));
  }
  friend Dual operator-(const Dual& a) { return a.chain(-a.value_, Real(-1)); }

  template <SmallInteger I>
  friend Dual operator+(const Dual& a, I v) {
    return Dual(a.value_ + v, a.gradient_);
  }
  template <SmallInteger I>
  friend Dual operator+(I v, const Dual& a) {
    return a + v;
  }
  template <SmallInteger I>
  friend Dual operator-(const Dual& a, I v) {
    return Dual(a.value_ - v, a.gradient_);
  }
  template <SmallInteger I>
  friend Dual operator-(I v, const Dual& a) {
    return -(a - v);
  }
  template <SmallInteger I>
  friend Dual operator*(const Dual& a, I v) {
    return a.chain(a.value_ * v, Real(v));
  }
  template <SmallInteger I>
  friend Dual operator*(I v, const Dual& a) {
    return a * v;
  }
  template <SmallInteger I>
  friend Dual operator/(const Dual& a, I v) {
    std::vector<Real> gradient;
    for (const Real& g : a.gradient_) gradient.push_back(g / v);
    return Dual(a.value_ / v, std::move(gradient));
  }
  template <SmallInteger I>
  friend Dual operator/(I v, const Dual& a) {
    const Real quotient = v / a.value_;
    return a.chain(quotient, -(quotient / a.value_));
  }

 private:
  Real value_{};
  std::vector<Real> gradient_;
};

template <class Real>
Dual<Real> exp(const Dual<Real>& x) {
  const Real e = exp(x.value());
  return x.chain(e, e);
}
template <class Real>
Dual<Real> expm1(const Dual<Real>& x) {
  return x.chain(expm1(x.value()), exp(x.value()));
}
template <class Real>
Dual<Real> log(const Dual<Real>& x) {
  return x.chain(log(x.value()), 1 / x.value());
}
template <class Real>
Dual<Real> log1p(const Dual<Real>& x) {
  return x.chain(log1p(x.value()), 1 / (1 + x.value()));
}
template <class Real>
Dual<Real> sqrt(const Dual<Real>& x) {
  const Real root = sqrt(x.value());
  return x.chain(root, 1 / (2 * root));
}
template <class Real>
Dual<Real> sqr(const Dual<Real>& x) {
  return x.chain(sqr(x.value()), 2 * x.value());
}

}  // namespace critscale
