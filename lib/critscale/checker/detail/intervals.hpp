// Intervals as the checker uses them, by MPFI and MPFR alone: meeting of two formulas, ends, and powers of n
// with logarithms over ranges ([vanishing]). Uses interval.hpp, rational_box.hpp and errors.hpp.
#pragma once

#include <algorithm>
#include <vector>

#include "critscale/checker/detail/claims.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/interval.hpp"
#include "critscale/number/open_box.hpp"
#include "critscale/number/rational_box.hpp"

namespace critscale::checker {

inline Interval interval(const RationalBox& r) { return Interval::hull(r.lo, r.hi, bits); }

/// One number by two formulas. Where the two have nothing in common one of them is wrong, or used outside of
/// its domain: nothing may follow from that.
inline Interval refine(const Interval& a, const Interval& b) {
  Interval both = intersection(a, b);
  if (both.is_empty())
    throw Error("two formulas for one number contradict each other (an empty intersection)");
  return both;
}

/// The lower end, which must be finite, as an interval.
inline Interval lower_end(Interval x) {
  const mpfi_ptr ends = IntervalAccess::raw(x);
  if (mpfr_number_p(&ends->left) == 0) throw Error("an interval without a lower end");
  mpfr_set(&ends->right, &ends->left, MPFR_RNDU);  // exact: both ends have one precision
  return x;
}

/// About the upper end, for messages.
inline double roughly_above(const Interval& x) { return mpfr_get_d(&x.raw()->right, MPFR_RNDU); }

/// (ln n)^j n^-kappa for every kappa and every t = ln n > 0 of two intervals; t may reach infinity.
inline Interval power_log(const Interval& kappa, long j, const Interval& t) {
  if (j <= 0 || !certainly(kappa.is_positive())) return pow(t, Integer(j)) * exp(-(kappa * t));
  // t^j exp(-kappa t) falls in kappa; in t it rises up to j/kappa and falls from there on.
  const Interval slowest = lower_end(kappa), first = lower_end(t);
  const bool falls = certainly(greater_equal(slowest * first, Interval(j, bits)));
  const Interval at = falls ? first : Interval(j, bits) / slowest;
  return hull(Interval(0, bits), pow(at, Integer(j)) * exp(-(slowest * at)));
}

/// Powers of n on a leaf: exponents are linear forms in `leaf`, t = ln n, and the scale is n^k (ln n)^-p,
/// where k is the least of some forms.
struct Powers {
  const Box& leaf;
  const Interval& t;
  const std::vector<LinearForm>& rates;
  long p;
  const std::vector<LinearForm>& nonnegative;  ///< forms that are >= 0 at every point of the claim
  std::vector<bool> unbounded = {};            ///< coordinates without upper end on this leaf

  /// n^-x (ln n)^j, which falls in x towards 0.
  Interval power(const Ends& x, long j) const {
    if (!x.lo) return Interval::whole_line(bits);
    if (x.hi) return power_log(interval({*x.lo, *x.hi}), j, t);
    return hull(Interval(0, bits), power_log(Interval(*x.lo, bits), j, t));
  }
  Ends less(const LinearForm& e, const LinearForm& form) const {
    return range_of_difference(e, form, leaf, unbounded, nonnegative);
  }
  /// n^-e (ln n)^j.
  Interval plain(const LinearForm& e, long j = 0) const { return power(less(e, {}), j); }
  /// The same on the scale.
  Interval scaled(const LinearForm& e, long j = 0) const { return power(excess(e), j - p); }
  /// e - k = max(e - k_1, e - k_2, ...).
  Ends excess(const LinearForm& e) const {
    Ends most = less(e, rates[0]);
    for (const LinearForm& rate : rates) {
      const Ends other = less(e, rate);
      if (other.lo && (!most.lo || *other.lo > *most.lo)) most.lo = other.lo;
      if (most.hi && (!other.hi || *other.hi > *most.hi)) most.hi = other.hi;
    }
    return most;
  }
};

}  // namespace critscale::checker
