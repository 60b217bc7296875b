// The operations of Interval, each a call of MPFI with the corners it leaves open settled before:
// empty sets, domains, infinite ends, division by 0. Uses MPFI and MPFR.
#include <limits>

#include "critscale/number/detail/interval_support.hpp"
#include "critscale/number/interval.hpp"

namespace critscale {

using detail::normalize_zeros;
using detail::WidestExponents;

namespace {

bool is_empty(mpfi_srcptr x) { return mpfr_inf_p(&x->left) && mpfr_sgn(&x->left) > 0; }
bool is_zero(mpfi_srcptr x) { return mpfr_zero_p(&x->left) && mpfr_zero_p(&x->right); }
bool is_bounded(mpfi_srcptr x) { return mpfr_number_p(&x->left) && mpfr_number_p(&x->right); }

void set_empty(mpfi_ptr z) {
  mpfr_set_inf(&z->left, 1);
  mpfr_set_inf(&z->right, -1);
}

void set_whole_line(mpfi_ptr z) {
  mpfr_set_inf(&z->left, -1);
  mpfr_set_inf(&z->right, 1);
}

void set_zero(mpfi_ptr z) {
  mpfr_set_zero(&z->left, 1);
  mpfr_set_zero(&z->right, 1);
}

template <class F>
void unary(mpfi_ptr z, mpfi_srcptr x, F f) {
  if (is_empty(x)) return set_empty(z);
  const WidestExponents range;
  f(z, x);
  normalize_zeros(z);
}

template <class F>
void binary(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y, F f) {
  if (is_empty(x) || is_empty(y)) return set_empty(z);
  const WidestExponents range;
  f(z, x, y);
  normalize_zeros(z);
}

/// The smallest interval around the results of a monotone operation on the four pairs of ends,
/// where a combination without a value (0 inf, inf/inf) counts as 0: the limits of the other
/// pairs reach it.
template <class F>
void hull_of_ends(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y, F operation) {
  const Bits bits = mpfr_get_prec(&z->left);
  Interval result = Interval::empty(bits), term = Interval::empty(bits);
  mpfi_ptr r = IntervalAccess::raw(result), t = IntervalAccess::raw(term);
  for (mpfr_srcptr a : {&x->left, &x->right})
    for (mpfr_srcptr b : {&y->left, &y->right}) {
      operation(&t->left, a, b, MPFR_RNDD);
      operation(&t->right, a, b, MPFR_RNDU);
      if (mpfr_nan_p(&t->left)) set_zero(t);
      mpfr_min(&r->left, &r->left, &t->left, MPFR_RNDD);
      mpfr_max(&r->right, &r->right, &t->right, MPFR_RNDU);
    }
  mpfi_swap(z, r);
}

/// x / y where y ends at 0 and has members of one sign.
void divide_by_one_sign(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y) {
  const bool positive = mpfr_sgn(&y->right) > 0;
  mpfr_srcptr far = positive ? &y->right : &y->left;
  if (mpfr_sgn(&x->left) < 0 && mpfr_sgn(&x->right) > 0) return set_whole_line(z);
  const bool up = (mpfr_sgn(&x->left) >= 0) == positive;
  mpfr_srcptr near = mpfr_sgn(&x->left) >= 0 ? &x->left : &x->right;
  if (up) {
    mpfr_div(&z->left, near, far, MPFR_RNDD);
    mpfr_set_inf(&z->right, 1);
  } else {
    mpfr_div(&z->right, near, far, MPFR_RNDU);
    mpfr_set_inf(&z->left, -1);
  }
}

/// |x|^k for k > 0 and even, or k < 0 and even, on the members where it is defined.
void even_power(mpfi_ptr z, mpfi_srcptr x, mpz_srcptr k) {
  mpfi_abs(z, x);
  if (mpz_sgn(k) > 0) {
    mpfr_pow_z(&z->left, &z->left, k, MPFR_RNDD);
    mpfr_pow_z(&z->right, &z->right, k, MPFR_RNDU);
    return;
  }
  if (is_zero(z)) return set_empty(z);
  normalize_zeros(z);
  mpfr_pow_z(&z->left, &z->left, k, MPFR_RNDU);
  mpfr_pow_z(&z->right, &z->right, k, MPFR_RNDD);
  mpfr_swap(&z->left, &z->right);
}

void odd_power(mpfi_ptr z, mpfi_srcptr x, mpz_srcptr k) {
  mpfi_set(z, x);
  if (mpz_sgn(k) > 0) {
    mpfr_pow_z(&z->left, &z->left, k, MPFR_RNDD);
    mpfr_pow_z(&z->right, &z->right, k, MPFR_RNDU);
    return;
  }
  if (is_zero(z)) return set_empty(z);
  if (mpfr_sgn(&z->left) < 0 && mpfr_sgn(&z->right) > 0) return set_whole_line(z);
  // The sign of a zero end decides between -inf and +inf.
  if (mpfr_zero_p(&z->left)) mpfr_set_zero(&z->left, 1);
  if (mpfr_zero_p(&z->right)) mpfr_set_zero(&z->right, -1);
  mpfr_pow_z(&z->left, &z->left, k, MPFR_RNDU);
  mpfr_pow_z(&z->right, &z->right, k, MPFR_RNDD);
  mpfr_swap(&z->left, &z->right);
}

/// Evaluates an increasing f on the members of x above `low`, where f begins.
template <class F>
void above(mpfi_ptr z, mpfi_srcptr x, long low, F f) {
  if (mpfr_cmp_si(&x->left, low) < 0) {
    mpfi_set(z, x);
    mpfr_set_si(&z->left, low, MPFR_RNDN);
    x = z;
  }
  f(z, x);
}

}  // namespace

namespace detail {

void interval_add(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y) { binary(z, x, y, mpfi_add); }
void interval_subtract(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y) { binary(z, x, y, mpfi_sub); }

void interval_multiply(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y) {
  binary(z, x, y, [](mpfi_ptr r, mpfi_srcptr a, mpfi_srcptr b) {
    if (is_bounded(a) && is_bounded(b))
      mpfi_mul(r, a, b);
    else
      hull_of_ends(r, a, b, mpfr_mul);
  });
}

void interval_divide(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y) {
  binary(z, x, y, [](mpfi_ptr r, mpfi_srcptr a, mpfi_srcptr b) {
    if (is_zero(b)) return set_empty(r);
    if (is_zero(a)) return set_zero(r);
    const int left = mpfr_sgn(&b->left), right = mpfr_sgn(&b->right);
    if (left < 0 && right > 0) return set_whole_line(r);
    if (left == 0 || right == 0) return divide_by_one_sign(r, a, b);
    if (is_bounded(a) && is_bounded(b))
      mpfi_div(r, a, b);
    else
      hull_of_ends(r, a, b, mpfr_div);
  });
}

void interval_min(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y) {
  binary(z, x, y, [](mpfi_ptr r, mpfi_srcptr a, mpfi_srcptr b) {
    mpfr_min(&r->left, &a->left, &b->left, MPFR_RNDD);
    mpfr_min(&r->right, &a->right, &b->right, MPFR_RNDU);
  });
}

void interval_max(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y) {
  binary(z, x, y, [](mpfi_ptr r, mpfi_srcptr a, mpfi_srcptr b) {
    mpfr_max(&r->left, &a->left, &b->left, MPFR_RNDD);
    mpfr_max(&r->right, &a->right, &b->right, MPFR_RNDU);
  });
}

void interval_hull(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y) {
  // The ends of the empty set, +inf and -inf, are neutral here.
  mpfr_min(&z->left, &x->left, &y->left, MPFR_RNDD);
  mpfr_max(&z->right, &x->right, &y->right, MPFR_RNDU);
}

void interval_intersect(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y) {
  mpfr_max(&z->left, &x->left, &y->left, MPFR_RNDD);
  mpfr_min(&z->right, &x->right, &y->right, MPFR_RNDU);
  if (mpfr_greater_p(&z->left, &z->right)) set_empty(z);
}

void interval_negate(mpfi_ptr z, mpfi_srcptr x) { unary(z, x, mpfi_neg); }
void interval_abs(mpfi_ptr z, mpfi_srcptr x) { unary(z, x, mpfi_abs); }
void interval_sqr(mpfi_ptr z, mpfi_srcptr x) { unary(z, x, mpfi_sqr); }
void interval_exp(mpfi_ptr z, mpfi_srcptr x) { unary(z, x, mpfi_exp); }
void interval_expm1(mpfi_ptr z, mpfi_srcptr x) { unary(z, x, mpfi_expm1); }

void interval_sqrt(mpfi_ptr z, mpfi_srcptr x) {
  if (mpfr_sgn(&x->right) < 0) return set_empty(z);
  unary(z, x, [](mpfi_ptr r, mpfi_srcptr a) { above(r, a, 0, mpfi_sqrt); });
}

void interval_log(mpfi_ptr z, mpfi_srcptr x) {
  if (mpfr_sgn(&x->right) <= 0) return set_empty(z);
  unary(z, x, [](mpfi_ptr r, mpfi_srcptr a) { above(r, a, 0, mpfi_log); });
}

void interval_log1p(mpfi_ptr z, mpfi_srcptr x) {
  if (mpfr_cmp_si(&x->right, -1) <= 0) return set_empty(z);
  unary(z, x, [](mpfi_ptr r, mpfi_srcptr a) { above(r, a, -1, mpfi_log1p); });
}

void ThinInteger::initialize() {
  mpfr_custom_init(limbs_, 64);
  mpfr_custom_init_set(&x_->left, MPFR_ZERO_KIND, 0, 64, limbs_);
}

void ThinInteger::set(long v) {
  initialize();
  const WidestExponents range;
  mpfr_set_si(&x_->left, v, MPFR_RNDN);
  x_->right = x_->left;
}

void ThinInteger::set(unsigned long v) {
  initialize();
  const WidestExponents range;
  mpfr_set_ui(&x_->left, v, MPFR_RNDN);
  x_->right = x_->left;
}

}  // namespace detail

Interval scaled(Interval x, const Integer& e) {
  if (x.is_empty()) return x;
  const WidestExponents range;
  // Any exponent of 63 bits already leaves the range.
  constexpr long most = std::numeric_limits<long>::max();
  const long k = e > most ? most : e < -most ? -most : static_cast<long>(e);
  mpfi_ptr z = IntervalAccess::raw(x);
  mpfr_mul_2si(&z->left, &z->left, k, MPFR_RNDD);
  mpfr_mul_2si(&z->right, &z->right, k, MPFR_RNDU);
  normalize_zeros(z);
  return x;
}

Interval pow(const Interval& x, const Integer& k) {
  if (x.is_empty()) return x;
  if (k == 0) return Interval(1, x.precision());
  const WidestExponents range;
  Interval r = IntervalAccess::uninitialized(x.precision());
  mpfi_ptr z = IntervalAccess::raw(r);
  mpz_srcptr exponent = k.backend().data();
  if (mpz_even_p(exponent))
    even_power(z, x.raw(), exponent);
  else
    odd_power(z, x.raw(), exponent);
  normalize_zeros(z);
  return r;
}

}  // namespace critscale
