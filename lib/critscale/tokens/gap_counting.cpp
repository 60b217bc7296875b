// Gap counting from enclosures of the gaps.
#include "critscale/tokens/gap_counting.hpp"

#include <algorithm>

namespace critscale {

namespace {

/// Bounds of ln(m + 2)/gap for the m-th smallest gap (from 0); without `high` where the gap may be 0.
template <class Number>
struct RoughSlope {
  Number low;
  std::optional<Number> high;
};

/// Lambda and its contact; `gap(m)` encloses the m-th smallest gap. Only gaps that can attain the supremum by
/// the rough slopes are looked at.
template <class Number, class Gap>
RowGaps supremum(const std::vector<RoughSlope<Number>>& rough, Gap&& gap, Bits bits) {
  const auto less = [](const auto& a, const auto& b) { return a.low < b.low; };
  const Number best = std::max_element(rough.begin(), rough.end(), less)->low;
  struct Candidate {
    Ball gap, slope;
  };
  std::vector<Candidate> candidates;
  std::optional<Ball> lambda;
  for (std::size_t m = 0; m < rough.size(); ++m) {
    if (rough[m].high && *rough[m].high < best) continue;
    const Ball at = gap(m);
    // ln N/t exceeds every bound as t falls to 0.
    if (!rough[m].high || !certainly(at.is_positive())) return RowGaps::unknown(bits);
    candidates.push_back({at, log(Ball(m + 2, bits)) / at});
    lambda = lambda ? max(std::move(*lambda), candidates.back().slope) : candidates.back().slope;
  }
  std::optional<Ball> contact;
  for (const Candidate& c : candidates)
    if (possibly(greater_equal(c.slope, *lambda)))
      contact = contact ? hull(std::move(*contact), c.gap) : c.gap;
  return {lambda, contact};
}

/// The m-th smallest of numbers of which enclosures are known, without sorting all of them for a few m.
class OrderStatistics {
 public:
  OrderStatistics(const std::vector<Ball>& values, Bits bits) : bits_(bits) {
    for (const Ball& x : values) {
      lower_.push_back(x.lower());
      upper_.push_back(x.upper());
    }
  }
  Ball operator()(std::size_t m) {
    constexpr std::size_t few = 8;
    if (asked_ < few)
      for (std::vector<Dyadic>* ends : {&lower_, &upper_})
        std::nth_element(ends->begin(), ends->begin() + static_cast<std::ptrdiff_t>(m), ends->end());
    else if (asked_ == few)
      for (std::vector<Dyadic>* ends : {&lower_, &upper_}) std::sort(ends->begin(), ends->end());
    asked_ = std::min(asked_ + 1, few + 1);
    return lower_[m] == upper_[m] ? Ball::exactly(lower_[m], bits_) : Ball(lower_[m], upper_[m], bits_);
  }

 private:
  Bits bits_;
  std::size_t asked_ = 0;
  std::vector<Dyadic> lower_, upper_;
};

/// Rough slopes from the ends of the gaps, which are sorted.
std::vector<RoughSlope<double>> rough_slopes(std::vector<double>& lower, std::vector<double>& upper,
                                             std::span<const double> logarithms) {
  constexpr double down = 1 - 0x1p-20, up = 1 + 0x1p-20;
  std::sort(lower.begin(), lower.end());
  std::sort(upper.begin(), upper.end());
  // A quotient beyond the largest double is above every other number here, whichever end it is.
  std::vector<RoughSlope<double>> r;
  for (std::size_t m = 0; m < lower.size(); ++m) {
    r.push_back({logarithms[m] / upper[m] * down, std::nullopt});
    if (lower[m] > 0) r.back().high = logarithms[m] / lower[m] * up;
  }
  return r;
}

/// The ends of the gaps as doubles; false where they or their quotients leave the range of doubles.
bool ends_of(const std::vector<Ball>& gaps, std::vector<double>& lower, std::vector<double>& upper) {
  constexpr double least = 0x1p-960, most = 0x1p960;
  for (const Ball& gap : gaps) {
    lower.push_back(arf_get_d(gap.lower().raw(), ARF_RND_FLOOR));
    upper.push_back(arf_get_d(gap.upper().raw(), ARF_RND_CEIL));
    if (!(lower.back() >= least && upper.back() <= most)) return false;
  }
  return true;
}

}  // namespace

std::vector<Ball> sorted_enclosures(const std::vector<Ball>& values, Bits bits) {
  OrderStatistics sorted(values, bits);
  std::vector<Ball> r;
  for (std::size_t i = 0; i < values.size(); ++i) r.push_back(sorted(i));
  return r;
}

RowGaps RowGaps::unknown(Bits bits) { return {Ball::whole_line(bits), Ball::whole_line(bits)}; }

RowGaps count_gaps(const std::vector<Ball>& gaps, Bits bits, std::span<const double> logarithms) {
  if (gaps.empty()) throw InputError("gap counting needs at least one other key");
  for (const Ball& gap : gaps)
    if (certainly(gap.is_zero())) return {};
  OrderStatistics sorted(gaps, bits);
  if (std::vector<double> lower, upper; !logarithms.empty() && ends_of(gaps, lower, upper))
    return supremum(rough_slopes(lower, upper, logarithms), sorted, bits);
  // Ends as Dyadic numbers: gaps below the range of doubles are gaps.
  std::vector<RoughSlope<Dyadic>> rough;
  for (std::size_t m = 0; m < gaps.size(); ++m) {
    const Ball gap = sorted(m), slope = log(Ball(m + 2, 64)) / gap.at(64);
    if (slope.is_finite() && certainly(gap.is_positive()))
      rough.push_back({slope.lower(), slope.upper()});
    else
      rough.push_back({Dyadic(), std::nullopt});
  }
  return supremum(rough, sorted, bits);
}

std::vector<double> gap_logarithms(std::size_t n) {
  std::vector<double> r;
  for (std::size_t m = 0; m + 1 < n; ++m)
    r.push_back(arf_get_d(arb_midref(log(Ball(m + 2, 64)).raw()), ARF_RND_NEAR));
  return r;
}

RowGaps count_gaps(std::vector<double> lower, std::vector<double> upper, std::span<const double> logarithms) {
  if (lower.empty()) throw InputError("gap counting needs at least one other key");
  const std::vector<RoughSlope<double>> rough = rough_slopes(lower, upper, logarithms);
  if (upper[0] <= 0) return {};
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
