// Gap counting ([gap-counting]; Hayase and Karakida, arXiv 2605.12697): at which logit scale a row's largest
// attention weight takes over. Uses number/.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "critscale/number/ball.hpp"

namespace critscale {

/// A row's gaps are Delta_j = max_k G_ik - G_ij; of explicit tokens the maximum is G_ii = 1, so they are
/// D_ij. N(t) counts the gaps <= t, the row's own included.
struct RowGaps {
  /// Lambda = sup over t > 0 of ln N(t)/t. Empty: infinite, another key attains the maximum too.
  std::optional<Ball> lambda;
  /// The contact gap: the t > 0 at which the supremum is attained; an enclosure of all of them where there
  /// are several, or where the enclosures do not tell which it is.
  std::optional<Ball> contact;
  /// What is said where a gap's enclosure contains 0 and the gap may decide: the whole line for both.
  static RowGaps unknown(Bits bits);
};

/// Order statistics of numbers of which enclosures are known: the m-th smallest lies between the m-th
/// smallest lower and the m-th smallest upper end.
std::vector<Ball> sorted_enclosures(const std::vector<Ball>& values, Bits bits);

/// From the gaps of all other keys, at least one. With `logarithms`, gap_logarithms(n) for n keys, much
/// faster for many keys.
RowGaps count_gaps(const std::vector<Ball>& gaps, Bits bits, std::span<const double> logarithms = {});
/// The same from lower and upper ends; faster still, to about 10 digits.
RowGaps count_gaps(std::vector<double> lower, std::vector<double> upper, std::span<const double> logarithms);
/// ln(m + 2) for m = 0..n-2, to 2^-40.
std::vector<double> gap_logarithms(std::size_t n);

/// What r = beta/Lambda proves about a row at finite n ([gap-counting]); R = r/(r-1).
struct GapBounds {
  Ball ratio;
  /// r > 1: Z e^(-beta max) <= R, largest weight >= 1 - 1/r, entropy <= ln R + R^2 - 1.
  std::optional<Ball> partition_max, largest_weight_min, entropy_max;
  /// r < 1: largest weight - second largest <= r/((1-r) e).
  std::optional<Ball> weight_gap_max;
};
GapBounds gap_bounds(const RowGaps& row, const Ball& beta);

/// Smallest, median and largest of numbers that may be infinite (empty).
struct Summary {
  std::optional<Ball> min, median, max;
};
Summary summarise(const std::vector<std::optional<Ball>>& values, Bits bits);

}  // namespace critscale
