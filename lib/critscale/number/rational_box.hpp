// Arithmetic of boxes of fractions, exactly: ranges of sums, differences, products, quotients and linear
// forms. Uses parse.hpp (RationalBox).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "critscale/number/parse.hpp"

namespace critscale {

/// A box of exact parameters, one closed range a coordinate.
using Box = std::vector<RationalBox>;

inline RationalBox operator+(const RationalBox& a, const RationalBox& b) {
  return {a.lo + b.lo, a.hi + b.hi};
}
inline RationalBox operator-(const RationalBox& a, const RationalBox& b) {
  return {a.lo - b.hi, a.hi - b.lo};
}
inline RationalBox operator*(const RationalBox& a, const RationalBox& b) {
  const auto [lo, hi] = std::minmax(
      {Rational(a.lo * b.lo), Rational(a.lo * b.hi), Rational(a.hi * b.lo), Rational(a.hi * b.hi)});
  return {lo, hi};
}
/// For b.lo > 0.
inline RationalBox operator/(const RationalBox& a, const RationalBox& b) {
  return {a.lo / (a.lo > 0 ? b.hi : b.lo), a.hi / (a.hi > 0 ? b.lo : b.hi)};
}
/// What both contain; lo > hi where that is nothing.
inline RationalBox common(const RationalBox& a, const RationalBox& b) {
  return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}
inline bool is_empty(const RationalBox& a) { return a.lo > a.hi; }
/// The range of max(x, y).
inline RationalBox larger(const RationalBox& x, const RationalBox& y) {
  return {std::max(x.lo, y.lo), std::max(x.hi, y.hi)};
}

/// constant + sum of weight times coordinate, weights beyond the last being 0.
struct LinearForm {
  Rational constant = 0;
  std::vector<Rational> weights = {};

  RationalBox over(const Box& box) const {
    RationalBox r{constant, constant};
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] != 0) r = r + RationalBox{weights[i], weights[i]} * box[i];
    return r;
  }
  bool is_zero() const {
    return constant == 0 &&
           std::all_of(weights.begin(), weights.end(), [](const Rational& w) { return w == 0; });
  }
  friend LinearForm operator-(LinearForm a, const LinearForm& b) {
    a.constant -= b.constant;
    a.weights.resize(std::max(a.weights.size(), b.weights.size()));
    for (std::size_t i = 0; i < b.weights.size(); ++i) a.weights[i] -= b.weights[i];
    return a;
  }
};

}  // namespace critscale
