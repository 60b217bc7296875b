// Gap counting from enclosures of the gaps.
#include "critscale/tokens/gap_counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace critscale {

namespace {

/// An interval of doubles around ln(m + 2)/gap, each end right to 2^-20; nan where that has no meaning.
struct RoughSlope {
  double low, high;
};

/// Lambda and its contact; `gap(m)` encloses the m-th smallest gap (from 0). Only gaps that can attain the
/// supremum by the rough slopes are looked at.
template <class Gap>
RowGaps supremum(const std::vector<RoughSlope>& rough, const Gap& gap, Bits bits) {
  constexpr double margin = 1 - 0x1p-16;
  double best = 0;
  for (const RoughSlope& x : rough) best = std::max(best, std::isfinite(x.low) ? x.low : 0.0);
  struct Candidate {
    Ball gap, slope;
  };
  std::vector<Candidate> candidates;
  std::optional<Ball> lambda;
  for (std::size_t m = 0; m < rough.size(); ++m) {
    if (rough[m].high < best * margin) continue;
    const Ball at = gap(m);
    // ln N/t exceeds every bound as t falls to the maximum's second key.
    if (!certainly(at.is_positive())) return {};
    candidates.push_back({at, log(Ball(m + 2, bits)) / at});
    lambda = lambda ? max(std::move(*lambda), candidates.back().slope) : candidates.back().slope;
  }
  std::optional<Ball> contact;
  for (const Candidate& c : candidates)
    if (possibly(greater_equal(c.slope, *lambda)))
      contact = contact ? hull(std::move(*contact), c.gap) : c.gap;
  return {lambda, contact};
}

double approximately(const Ball& x) { return arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR); }

}  // namespace

std::vector<Ball> sorted_enclosures(const std::vector<Ball>& values, Bits bits) {
  std::vector<Dyadic> lower, upper;
  for (const Ball& x : values) {
    lower.push_back(x.lower());
    upper.push_back(x.upper());
  }
  const auto less = [](const Dyadic& a, const Dyadic& b) { return a < b; };
  std::sort(lower.begin(), lower.end(), less);
  std::sort(upper.begin(), upper.end(), less);
  std::vector<Ball> r;
  for (std::size_t i = 0; i < values.size(); ++i)
    r.push_back(lower[i] == upper[i] ? Ball::exactly(lower[i], bits) : Ball(lower[i], upper[i], bits));
  return r;
}

RowGaps count_gaps(const std::vector<Ball>& gaps, Bits bits) {
  for (const Ball& gap : gaps)
    if (certainly(gap.is_zero())) return {};
  const std::vector<Ball> sorted = sorted_enclosures(gaps, bits);
  std::vector<RoughSlope> rough;
  for (std::size_t m = 0; m < sorted.size(); ++m) {
    const Ball logarithm = log(Ball(m + 2, 64));
    rough.push_back({approximately(logarithm / Ball::exactly(sorted[m].upper(), 64)),
                     approximately(logarithm / Ball::exactly(sorted[m].lower(), 64))});
  }
  return supremum(
      rough, [&](std::size_t m) { return sorted[m]; }, bits);
}

std::vector<double> gap_logarithms(std::size_t n) {
  std::vector<double> r;
  for (std::size_t m = 0; m + 1 < n; ++m) r.push_back(approximately(log(Ball(m + 2, 64))));
  return r;
}

RowGaps count_gaps(std::vector<double> lower, std::vector<double> upper, std::span<const double> logarithms) {
  std::sort(lower.begin(), lower.end());
  std::sort(upper.begin(), upper.end());
  std::vector<RoughSlope> rough;
  for (std::size_t m = 0; m < lower.size(); ++m)
    rough.push_back({logarithms[m] / upper[m],
                     lower[m] > 0 ? logarithms[m] / lower[m] : std::numeric_limits<double>::quiet_NaN()});
  return supremum(
      rough, [&](std::size_t m) { return Ball(Dyadic::exactly(lower[m]), Dyadic::exactly(upper[m]), 64); },
      64);
}

GapBounds gap_bounds(const RowGaps& row, const Ball& beta) {
  GapBounds b;
  b.ratio = row.lambda ? beta / *row.lambda : Ball(0, beta.precision());
  const Ball &r = b.ratio, one(1, r.precision());
  if (certainly(greater(r, one))) {
    const Ball R = r / (r - 1L);
    b.partition_max = R;
    b.largest_weight_min = 1L - 1L / r;
    b.entropy_max = log(R) + sqr(R) - 1L;
  } else if (certainly(less(r, one))) {
    b.weight_gap_max = r / ((1L - r) * exp(one));
  }
  return b;
}

Summary summarise(const std::vector<std::optional<Ball>>& values, Bits bits) {
  std::vector<Ball> finite;
  for (const auto& x : values)
    if (x) finite.push_back(*x);
  const std::vector<Ball> sorted = sorted_enclosures(finite, bits);
  const auto at = [&](std::size_t i) {
    return i < sorted.size() ? std::optional<Ball>(sorted[i]) : std::nullopt;
  };
  const std::size_t n = values.size();
  Summary s{at(0), at(n / 2), at(n - 1)};
  if (n % 2 == 0 && s.median) s.median = (*at(n / 2 - 1) + *s.median) / 2L;
  return s;
}

}  // namespace critscale
