// Interval: construction, end points, comparison. Uses MPFI, MPFR and FLINT's arf_t.
#include "critscale/number/interval.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "critscale/number/detail/interval_support.hpp"
#include "critscale/number/errors.hpp"

namespace critscale {

using detail::normalize_zeros;
using detail::WidestExponents;

namespace {

Dyadic end_point(mpfr_srcptr end, Bits bits, arf_rnd_t direction) {
  Dyadic r;
  arf_set_mpfr(r.raw(), end);
  if (bits > 0) arf_set_round(r.raw(), r.raw(), bits, direction);
  return r;
}

Truth from_predicates(bool known, bool yes, bool no) {
  return known && yes ? Truth::yes : known && no ? Truth::no : Truth::unknown;
}

}  // namespace

Interval::Interval(Precision p) {
  if (p.bits < min_precision || p.bits > max_precision)
    throw InputError(
        fmt::format("precision of {} bits is outside [{}, {}]", p.bits, min_precision, max_precision));
  mpfi_init2(x_, p.bits);
}

void Interval::assign(mpfi_srcptr v) {
  const WidestExponents range;
  mpfi_set(x_, v);
  normalize_zeros(x_);
}

void Interval::assign(const Rational& lo, const Rational& hi) {
  const WidestExponents range;
  mpfr_set_q(&x_->left, lo.backend().data(), MPFR_RNDD);
  mpfr_set_q(&x_->right, hi.backend().data(), MPFR_RNDU);
  normalize_zeros(x_);
}

Interval::Interval(const Dyadic& lo, const Dyadic& hi, Bits bits) : Interval(Precision{bits}) {
  if (!(lo <= hi && lo < Dyadic::infinity() && hi > -Dyadic::infinity()))
    throw InputError(
        fmt::format("the ends of an enclosure are out of order: [{}, {}]", lo.to_hex(), hi.to_hex()));
  const WidestExponents range;
  arf_get_mpfr(&x_->left, lo.raw(), MPFR_RNDD);
  arf_get_mpfr(&x_->right, hi.raw(), MPFR_RNDU);
  normalize_zeros(x_);
}

Interval Interval::hull(const Rational& lo, const Rational& hi, Bits bits) {
  if (lo > hi)
    throw InputError(
        fmt::format("the ends of an enclosure are out of order: [{}, {}]", to_string(lo), to_string(hi)));
  Interval r(Precision{bits});
  r.assign(lo, hi);
  return r;
}

Interval Interval::exactly(double v, Bits bits) {
  if (!std::isfinite(v)) throw InputError("nan and infinities are not numbers");
  return exactly(Dyadic::exactly(v), bits);
}

Interval Interval::exactly(const Dyadic& v, Bits bits) {
  if (!v.is_finite()) throw InputError("nan and infinities are not numbers");
  return Interval(v, v, bits);
}

Interval Interval::whole_line(Bits bits) {
  Interval r(Precision{bits});
  mpfr_set_inf(&r.x_->left, -1);
  mpfr_set_inf(&r.x_->right, 1);
  return r;
}

Interval Interval::empty(Bits bits) {
  Interval r(Precision{bits});
  mpfr_set_inf(&r.x_->left, 1);
  mpfr_set_inf(&r.x_->right, -1);
  return r;
}

Interval Interval::at(Bits bits) const {
  Interval r(Precision{bits});
  r.assign(x_);
  return r;
}

Dyadic Interval::lower(Bits bits) const { return end_point(&x_->left, bits, ARF_RND_FLOOR); }
Dyadic Interval::upper(Bits bits) const { return end_point(&x_->right, bits, ARF_RND_CEIL); }

Dyadic Interval::midpoint() const {
  if (is_empty()) throw UndefinedError("the empty set has no midpoint");
  Dyadic lo = lower(), hi = upper();
  if (!lo.is_finite()) return hi.is_finite() ? hi : Dyadic();
  if (!hi.is_finite()) return lo;
  // 2 lo <= lo + hi <= 2 hi, and all but the sum have this precision: rounding keeps the order.
  Dyadic r;
  arf_add(r.raw(), lo.raw(), hi.raw(), precision(), ARF_RND_NEAR);
  return r.scaled(-1);
}

Interval Interval::center() const { return is_empty() ? *this : exactly(midpoint(), precision()); }

long Interval::accurate_bits() const {
  constexpr long most = std::numeric_limits<long>::max();
  if (!is_finite()) return -most;
  if (is_exact()) return most;
  const Dyadic lo = lower(), hi = upper(), middle = midpoint();
  if (middle.is_zero()) return -most;
  Dyadic width;
  arf_sub(width.raw(), hi.raw(), lo.raw(), 32, ARF_RND_CEIL);
  // |middle| >= 2^(e(middle) - 1) and radius <= 2^(e(width) - 1); rounding of the middle costs one bit.
  return arf_abs_bound_lt_2exp_si(middle.raw()) - arf_abs_bound_lt_2exp_si(width.raw()) - 1;
}

Truth Interval::is_zero() const {
  return from_predicates(!is_empty(), is_exact() && contains_zero(), !contains_zero());
}

Truth Interval::is_positive() const {
  return from_predicates(!is_empty(), mpfr_sgn(&x_->left) > 0, mpfr_sgn(&x_->right) <= 0);
}

Truth Interval::is_nonnegative() const {
  return from_predicates(!is_empty(), mpfr_sgn(&x_->left) >= 0, mpfr_sgn(&x_->right) < 0);
}

bool Interval::contains(const Interval& o) const {
  return !o.is_empty() && mpfr_lessequal_p(&x_->left, &o.x_->left) &&
         mpfr_lessequal_p(&o.x_->right, &x_->right);
}

bool Interval::contains(const Rational& v) const {
  mpq_srcptr q = v.backend().data();
  return mpfr_cmp_q(&x_->left, q) <= 0 && mpfr_cmp_q(&x_->right, q) >= 0;
}

bool overlaps(const Interval& a, const Interval& b) {
  return !a.is_empty() && !b.is_empty() && mpfr_lessequal_p(&a.raw()->left, &b.raw()->right) &&
         mpfr_lessequal_p(&b.raw()->left, &a.raw()->right);
}

Truth less(const Interval& a, const Interval& b) {
  return from_predicates(!a.is_empty() && !b.is_empty(), mpfr_less_p(&a.raw()->right, &b.raw()->left),
                         mpfr_greaterequal_p(&a.raw()->left, &b.raw()->right));
}

Truth less_equal(const Interval& a, const Interval& b) {
  return from_predicates(!a.is_empty() && !b.is_empty(), mpfr_lessequal_p(&a.raw()->right, &b.raw()->left),
                         mpfr_greater_p(&a.raw()->left, &b.raw()->right));
}

Truth equal(const Interval& a, const Interval& b) {
  return from_predicates(!a.is_empty() && !b.is_empty(),
                         a.is_exact() && b.is_exact() && mpfr_equal_p(&a.raw()->left, &b.raw()->left),
                         !overlaps(a, b));
}

}  // namespace critscale
