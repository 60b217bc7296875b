// Arithmetic of boxes of fractions, exactly: halves, narrowing, ranges of sums, differences, products,
// quotients and linear forms. Uses exact.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "critscale/number/exact.hpp"

namespace critscale {

/// All real numbers between two fractions, lo <= hi.
struct RationalBox {
  Rational lo, hi;
  bool is_point() const { return lo == hi; }
  friend bool operator==(const RationalBox&, const RationalBox&) = default;
};

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
inline RationalBox operator-(const RationalBox& a) { return {-a.hi, -a.lo}; }
/// For a b that does not contain 0.
inline RationalBox operator/(const RationalBox& a, const RationalBox& b) {
  if (b.hi < 0) return -a / -b;
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

/// The two halves of a box along one coordinate, at the exact midpoint.
inline std::pair<Box, Box> halves(const Box& box, std::size_t coordinate) {
  std::pair<Box, Box> both{box, box};
  const Rational middle = (box[coordinate].lo + box[coordinate].hi) / 2;
  both.first[coordinate].hi = both.second[coordinate].lo = middle;
  return both;
}

/// Takes from y what no x >= lowest gives when y_i = base_i + slope_i x for every i, each slope a range
/// without 0. Returns a range of those x; nothing where the y contradict each other. y must not be empty.
inline std::optional<RationalBox> narrow(Box& y, const Box& base, const Box& slope, const Rational& lowest) {
  RationalBox x = (y.at(0) - base.at(0)) / slope.at(0);
  for (std::size_t i = 1; i < y.size(); ++i) x = common(x, (y[i] - base.at(i)) / slope.at(i));
  x.lo = std::max(x.lo, lowest);
  if (is_empty(x)) return std::nullopt;
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = common(y[i], base[i] + slope[i] * x);
    if (is_empty(y[i])) return std::nullopt;
  }
  return x;
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
  /// The same, cut at 0 for a form known not to be negative at any point that matters.
  RationalBox over(const Box& box, const std::vector<LinearForm>& nonnegative) const {
    RationalBox r = over(box);
    for (const LinearForm& known : nonnegative)
      if ((*this - known).is_zero()) r = larger(r, {0, 0});
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
