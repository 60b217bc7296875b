// Boxes some of whose ranges have no upper end. Such a range is kept as [lo, top] with a finite top, so that
// it can be halved like any other: the part that ends at the top stands for everything from its lower end on.
// Uses rational_box.hpp.
#pragma once

#include "critscale/number/rational_box.hpp"

namespace critscale {

/// How far above its lower end the top of a range without upper end is put.
inline constexpr long open_width = 64;

/// [lo, infinity) as it is kept.
inline RationalBox open_range(const Rational& lo) { return {lo, lo + open_width}; }

/// Which coordinates of `leaf`, a part of `whole`, have no upper end: those of `open` that reach the top.
inline std::vector<bool> unbounded_in(const Box& leaf, const Box& whole, const std::vector<bool>& open) {
  std::vector<bool> u(leaf.size());
  for (std::size_t i = 0; i < leaf.size(); ++i)
    u[i] = i < open.size() && open[i] && leaf[i].hi == whole[i].hi;
  return u;
}

/// A range either end of which may be infinite, and then is missing.
struct Ends {
  std::optional<Rational> lo, hi;
};

/// The range of the form a - b over a leaf whose coordinates that are set in `unbounded` have no upper end,
/// cut at 0 where a - b is one of the forms known not to be negative at any point that matters.
inline Ends range_of_difference(const LinearForm& a, const LinearForm& b, const Box& leaf,
                                const std::vector<bool>& unbounded,
                                const std::vector<LinearForm>& nonnegative) {
  static const Rational none = 0;
  const auto weight = [](const LinearForm& e, std::size_t i) -> const Rational& {
    return i < e.weights.size() ? e.weights[i] : none;
  };
  const std::size_t count = std::max(a.weights.size(), b.weights.size());
  Rational lo = a.constant - b.constant, hi = lo;
  bool down = false, up = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (weight(a, i) == weight(b, i)) continue;
    const Rational w = weight(a, i) - weight(b, i);
    const bool rises = w > 0;
    lo += w * (rises ? leaf[i].lo : leaf[i].hi);
    hi += w * (rises ? leaf[i].hi : leaf[i].lo);
    if (i < unbounded.size() && unbounded[i]) (rises ? up : down) = true;
  }
  const bool known = std::any_of(nonnegative.begin(), nonnegative.end(), [&](const LinearForm& form) {
    if (form.constant != a.constant - b.constant) return false;
    for (std::size_t i = 0; i < std::max(count, form.weights.size()); ++i)
      if (weight(form, i) != weight(a, i) - weight(b, i)) return false;
    return true;
  });
  if (known) lo = down ? none : std::max(lo, none), hi = std::max(hi, none), down = false;
  return {down ? std::nullopt : std::optional(std::move(lo)),
          up ? std::nullopt : std::optional(std::move(hi))};
}

/// A range of numbers x, with or without an upper end.
struct Ray {
  Rational lo;
  std::optional<Rational> hi;
};

/// Takes from y what no x >= lowest gives when y_i = base_i + slope_i x for every i. Where open[i] is set,
/// y_i stands for [y_i.lo, infinity); it is cleared, and y_i given its true upper end, where the other
/// equations bound it. No slope changes its sign within its range, but it may reach 0. Returns a range of
/// those x; nothing where the y contradict each other.
inline std::optional<Ray> narrow_open(Box& y, std::vector<bool>& open, const Box& base, const Box& slope,
                                      const Rational& lowest) {
  const auto fixed = [](const RationalBox& s) { return s.lo > 0 || s.hi < 0; };
  Ray x{lowest, std::nullopt};
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!fixed(slope[i])) continue;
    const RationalBox of_lo = (RationalBox{y[i].lo, y[i].lo} - base[i]) / slope[i],
                      all = open[i] ? of_lo : (y[i] - base[i]) / slope[i];
    const bool rises = slope[i].lo > 0;
    if (!open[i] || rises) x.lo = std::max(x.lo, all.lo);
    if (!open[i] || !rises) x.hi = x.hi ? std::min(*x.hi, all.hi) : all.hi;
  }
  if (x.hi && x.lo > *x.hi) return std::nullopt;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const RationalBox at_lo = base[i] + slope[i] * RationalBox{x.lo, x.lo};
    // Without an upper end of x, y_i is bounded on one side by its value at the least x.
    std::optional<Rational> low, high;
    if (x.hi) {
      const RationalBox values = base[i] + slope[i] * RationalBox{x.lo, *x.hi};
      low = values.lo, high = values.hi;
    } else {
      if (slope[i].lo >= 0) low = at_lo.lo;
      if (slope[i].hi <= 0) high = at_lo.hi;
    }
    if (low) y[i].lo = std::max(y[i].lo, *low);
    if (high) y[i].hi = open[i] ? *high : std::min(y[i].hi, *high), open[i] = false;
    if (!open[i] && is_empty(y[i])) return std::nullopt;
    if (open[i]) y[i].hi = std::max(y[i].hi, y[i].lo);
  }
  return x;
}

}  // namespace critscale
