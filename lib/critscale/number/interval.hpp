// Interval: certified real arithmetic by end points, the second arithmetic beside Ball, for the
// independent checker and the tests. Uses exact.hpp, truth.hpp, dyadic.hpp and MPFI over MPFR.
//
// The promise, for every function here: if x lies in X and f is defined at x, then f(x) lies in
// F(X). At one precision a larger X gives a larger F(X).
//  - Domain: a function is evaluated on the part of X where it is defined: sqrt([-1,4]) = [0,2],
//    log([-1,1]) = [-inf,0]. Where it is defined nowhere on X the result is empty.
//  - Ends: every operation gives the exact end points of its set of values, each rounded outward
//    once: at that precision no smaller interval would do. Ends may be infinite (they are not
//    members), never nan; 0 times an unbounded interval is 0.
//  - Empty: has lower() = +inf and upper() = -inf. Every operation with an empty operand is empty,
//    but `hull`, which is the other operand. An empty set encloses no number, so nothing follows
//    from it: all three-valued questions about it answer `unknown`, no interval contains it, it
//    contains and overlaps nothing.
//  - Exponents: always the widest MPFR has, whatever the calling thread's range is (it is
//    restored): numbers from 2^-(2^62) to 2^(2^62 - 1). Beyond the largest, an upper end is +inf and a
//    lower end the largest number; below the smallest, ends are 0 and the smallest number.
#pragma once

#include <mpfi.h>

#include <concepts>
#include <type_traits>
#include <utility>

#include "critscale/number/dyadic.hpp"
#include "critscale/number/exact.hpp"
#include "critscale/number/truth.hpp"

namespace critscale {

class Interval;

namespace detail {
template <class T>
concept IntervalArgument = std::same_as<std::remove_cvref_t<T>, Interval>;

// The operations on MPFI's type; z may be x or y, and has the larger precision already.
void interval_add(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y);
void interval_subtract(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y);
void interval_multiply(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y);
void interval_divide(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y);
void interval_min(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y);
void interval_max(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y);
void interval_hull(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y);
void interval_intersect(mpfi_ptr z, mpfi_srcptr x, mpfi_srcptr y);
void interval_negate(mpfi_ptr z, mpfi_srcptr x);
void interval_abs(mpfi_ptr z, mpfi_srcptr x);
void interval_sqr(mpfi_ptr z, mpfi_srcptr x);
void interval_sqrt(mpfi_ptr z, mpfi_srcptr x);
void interval_exp(mpfi_ptr z, mpfi_srcptr x);
void interval_expm1(mpfi_ptr z, mpfi_srcptr x);
void interval_log(mpfi_ptr z, mpfi_srcptr x);
void interval_log1p(mpfi_ptr z, mpfi_srcptr x);

/// A built-in integer as a thin interval of 64 bits that lives on the stack. MPFI only reads it.
class ThinInteger {
 public:
  template <SmallInteger I>
  explicit ThinInteger(I v) {
    if constexpr (std::is_signed_v<I>)
      set(static_cast<long>(v));
    else
      set(static_cast<unsigned long>(v));
  }
  ThinInteger(const ThinInteger&) = delete;
  ThinInteger& operator=(const ThinInteger&) = delete;
  mpfi_srcptr raw() const { return x_; }

 private:
  void set(long v);
  void set(unsigned long v);
  void initialize();
  mpfi_t x_;
  mp_limb_t limbs_[(64 + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS];
};
}  // namespace detail

/// An enclosure [lower, upper] of a real number, or the empty set. The precision (of both ends)
/// belongs to the value: a result has the larger precision of its operands. Small built-in
/// integers take part exactly. There is no conversion from double but `exactly`, no operator< and
/// no operator==. A moved-from interval may only be destroyed or assigned to.
class Interval {
 public:
  /// Smallest and largest precision, in bits.
  static constexpr Bits min_precision = 2;
  static constexpr Bits max_precision = 1L << 32;

  /// Exactly 0, at the lowest precision: the neutral start of a sum.
  Interval() : Interval(Precision{min_precision}) { mpfi_set_si(x_, 0); }
  /// An exact small integer, at 64 bits.
  template <SmallInteger I>
  explicit Interval(I v) : Interval(v, 64) {}
  /// An enclosure of a small integer; exact where it fits in `bits`.
  template <SmallInteger I>
  Interval(I v, Bits bits) : Interval(Precision{bits}) {
    assign(detail::ThinInteger(v).raw());
  }
  /// The two numbers of `bits` binary digits next to a fraction; exact where it fits.
  template <std::same_as<Rational> R>
  Interval(const R& v, Bits bits) : Interval(Precision{bits}) {
    assign(v, v);
  }
  /// An enclosure of an integer; exact where it fits in `bits`.
  template <std::same_as<Integer> Z>
  Interval(const Z& v, Bits bits) : Interval(Rational(v), bits) {}
  /// [lo, hi], each end rounded outward to `bits`. Throws InputError unless lo <= hi, lo < inf and
  /// hi > -inf.
  Interval(const Dyadic& lo, const Dyadic& hi, Bits bits);
  /// [lo, hi], each end rounded outward to `bits`. Throws InputError unless lo <= hi.
  static Interval hull(const Rational& lo, const Rational& hi, Bits bits);
  /// The number a double stores, exactly where `bits` suffice (53 always do) and rounded outward
  /// otherwise; throws InputError for nan and infinities.
  static Interval exactly(double v, Bits bits = 53);
  static Interval exactly(const Dyadic& v, Bits bits);
  /// The whole real line.
  static Interval whole_line(Bits bits);
  static Interval empty(Bits bits);

  template <std::floating_point F>
  explicit Interval(F) = delete;
  template <std::floating_point F>
  Interval(F, Bits) = delete;

  Interval(const Interval& o) : Interval(Precision{o.precision()}) { mpfi_set(x_, o.x_); }
  Interval(Interval&& o) noexcept {
    x_[0] = o.x_[0];
    o.x_->left._mpfr_d = nullptr;
  }
  Interval& operator=(const Interval& o) { return *this = Interval(o); }
  Interval& operator=(Interval&& o) noexcept {
    std::swap(x_[0], o.x_[0]);
    return *this;
  }
  ~Interval() {
    if (x_->left._mpfr_d != nullptr) mpfi_clear(x_);
  }

  Bits precision() const { return mpfr_get_prec(&x_->left); }
  /// The same set carried at another precision; rounded outward when that is lower.
  Interval at(Bits bits) const;

  bool is_empty() const { return mpfr_inf_p(&x_->left) != 0 && mpfr_sgn(&x_->left) > 0; }
  /// One number exactly.
  bool is_exact() const { return mpfr_equal_p(&x_->left, &x_->right) != 0; }
  /// Neither end is infinite; the empty set is not finite.
  bool is_finite() const { return mpfr_number_p(&x_->left) != 0 && mpfr_number_p(&x_->right) != 0; }
  /// An end point: exact, or rounded outward to `bits` binary digits when bits > 0.
  Dyadic lower(Bits bits = 0) const;
  Dyadic upper(Bits bits = 0) const;
  /// A number of the interval, the middle rounded to its precision where both ends are finite;
  /// the finite end of a half-line, 0 for the whole line. Throws UndefinedError for the empty set.
  Dyadic midpoint() const;
  /// The midpoint as an interval; empty for the empty set.
  Interval center() const;
  /// Number of accurate bits: a lower bound of -log2 of the relative radius; the largest long for
  /// exact values, its negative when an end is infinite or the set is empty.
  long accurate_bits() const;

  Truth is_zero() const;
  Truth is_positive() const;
  Truth is_nonnegative() const;
  Truth is_negative() const { return !is_nonnegative(); }
  bool contains_zero() const { return mpfr_sgn(&x_->left) <= 0 && mpfr_sgn(&x_->right) >= 0; }
  /// Every member of the other is one of this; false when the other is empty.
  bool contains(const Interval& other) const;
  bool contains(const Rational& v) const;
  /// v lies between the ends; an infinite v does where it is an end.
  bool contains(const Dyadic& v) const { return lower() <= v && v <= upper(); }

  Interval& operator+=(const Interval& o) { return update(detail::interval_add, o); }
  Interval& operator-=(const Interval& o) { return update(detail::interval_subtract, o); }
  Interval& operator*=(const Interval& o) { return update(detail::interval_multiply, o); }
  /// Quotients by the divisors that are not 0: empty for the divisor [0,0], the whole line for one
  /// with 0 inside, a half-line for one that ends at 0 (0/x is 0 for each but [0,0]).
  Interval& operator/=(const Interval& o) { return update(detail::interval_divide, o); }
  template <SmallInteger I>
  Interval& operator+=(I v) {
    detail::interval_add(x_, x_, detail::ThinInteger(v).raw());
    return *this;
  }
  template <SmallInteger I>
  Interval& operator-=(I v) {
    detail::interval_subtract(x_, x_, detail::ThinInteger(v).raw());
    return *this;
  }
  template <SmallInteger I>
  Interval& operator*=(I v) {
    detail::interval_multiply(x_, x_, detail::ThinInteger(v).raw());
    return *this;
  }
  template <SmallInteger I>
  Interval& operator/=(I v) {
    detail::interval_divide(x_, x_, detail::ThinInteger(v).raw());
    return *this;
  }

  mpfi_srcptr raw() const { return x_; }

 private:
  friend struct IntervalAccess;

  struct Precision {
    Bits bits;
  };
  explicit Interval(Precision p);
  void assign(mpfi_srcptr v);
  void assign(const Rational& lo, const Rational& hi);
  void raise_precision(Bits bits) {
    if (bits > precision()) mpfi_round_prec(x_, bits);
  }
  template <class F>
  Interval& update(F f, const Interval& o) {
    raise_precision(o.precision());
    f(x_, x_, o.x_);
    return *this;
  }

  mpfi_t x_;
};

/// How the free functions reach the inside of an Interval: results are written into an expiring
/// operand where there is one.
struct IntervalAccess {
  static mpfi_ptr raw(Interval& x) { return x.x_; }
  static Interval uninitialized(Bits bits) { return Interval(Interval::Precision{bits}); }

  template <class F, class A, class B>
  static Interval binary(F f, A&& a, B&& b) {
    const Bits bits = a.precision() > b.precision() ? a.precision() : b.precision();
    if constexpr (std::is_same_v<A, Interval>) {
      a.raise_precision(bits);
      f(a.x_, a.x_, b.x_);
      return std::move(a);
    } else if constexpr (std::is_same_v<B, Interval>) {
      b.raise_precision(bits);
      f(b.x_, a.x_, b.x_);
      return std::move(b);
    } else {
      Interval r = uninitialized(bits);
      f(r.x_, a.x_, b.x_);
      return r;
    }
  }
  template <class F, class A>
  static Interval unary(F f, A&& a) {
    if constexpr (std::is_same_v<A, Interval>) {
      f(a.x_, a.x_);
      return std::move(a);
    } else {
      Interval r = uninitialized(a.precision());
      f(r.x_, a.x_);
      return r;
    }
  }
  template <class F, class A, SmallInteger I>
  static Interval with_integer(F f, A&& a, I v) {
    const detail::ThinInteger n(v);
    return unary([&](mpfi_ptr z, mpfi_srcptr x) { f(z, x, n.raw()); }, std::forward<A>(a));
  }
  template <class F, class A, SmallInteger I>
  static Interval integer_with(F f, I v, A&& a) {
    const detail::ThinInteger n(v);
    return unary([&](mpfi_ptr z, mpfi_srcptr x) { f(z, n.raw(), x); }, std::forward<A>(a));
  }
};

template <detail::IntervalArgument A, detail::IntervalArgument B>
Interval operator+(A&& a, B&& b) {
  return IntervalAccess::binary(detail::interval_add, std::forward<A>(a), std::forward<B>(b));
}
template <detail::IntervalArgument A, detail::IntervalArgument B>
Interval operator-(A&& a, B&& b) {
  return IntervalAccess::binary(detail::interval_subtract, std::forward<A>(a), std::forward<B>(b));
}
template <detail::IntervalArgument A, detail::IntervalArgument B>
Interval operator*(A&& a, B&& b) {
  return IntervalAccess::binary(detail::interval_multiply, std::forward<A>(a), std::forward<B>(b));
}
template <detail::IntervalArgument A, detail::IntervalArgument B>
Interval operator/(A&& a, B&& b) {
  return IntervalAccess::binary(detail::interval_divide, std::forward<A>(a), std::forward<B>(b));
}
template <detail::IntervalArgument A>
Interval operator-(A&& a) {
  return IntervalAccess::unary(detail::interval_negate, std::forward<A>(a));
}
template <detail::IntervalArgument A, SmallInteger I>
Interval operator+(A&& a, I v) {
  return IntervalAccess::with_integer(detail::interval_add, std::forward<A>(a), v);
}
template <detail::IntervalArgument A, SmallInteger I>
Interval operator-(A&& a, I v) {
  return IntervalAccess::with_integer(detail::interval_subtract, std::forward<A>(a), v);
}
template <detail::IntervalArgument A, SmallInteger I>
Interval operator*(A&& a, I v) {
  return IntervalAccess::with_integer(detail::interval_multiply, std::forward<A>(a), v);
}
template <detail::IntervalArgument A, SmallInteger I>
Interval operator/(A&& a, I v) {
  return IntervalAccess::with_integer(detail::interval_divide, std::forward<A>(a), v);
}
template <SmallInteger I, detail::IntervalArgument A>
Interval operator+(I v, A&& a) {
  return std::forward<A>(a) + v;
}
template <SmallInteger I, detail::IntervalArgument A>
Interval operator-(I v, A&& a) {
  return IntervalAccess::integer_with(detail::interval_subtract, v, std::forward<A>(a));
}
template <SmallInteger I, detail::IntervalArgument A>
Interval operator*(I v, A&& a) {
  return std::forward<A>(a) * v;
}
template <SmallInteger I, detail::IntervalArgument A>
Interval operator/(I v, A&& a) {
  return IntervalAccess::integer_with(detail::interval_divide, v, std::forward<A>(a));
}

template <detail::IntervalArgument A>
Interval exp(A&& a) {
  return IntervalAccess::unary(detail::interval_exp, std::forward<A>(a));
}
template <detail::IntervalArgument A>
Interval expm1(A&& a) {
  return IntervalAccess::unary(detail::interval_expm1, std::forward<A>(a));
}
/// Natural logarithm of the positive members.
template <detail::IntervalArgument A>
Interval log(A&& a) {
  return IntervalAccess::unary(detail::interval_log, std::forward<A>(a));
}
/// log(1 + a) of the members above -1.
template <detail::IntervalArgument A>
Interval log1p(A&& a) {
  return IntervalAccess::unary(detail::interval_log1p, std::forward<A>(a));
}
/// Square root of the members that are not negative.
template <detail::IntervalArgument A>
Interval sqrt(A&& a) {
  return IntervalAccess::unary(detail::interval_sqrt, std::forward<A>(a));
}
template <detail::IntervalArgument A>
Interval sqr(A&& a) {
  return IntervalAccess::unary(detail::interval_sqr, std::forward<A>(a));
}
template <detail::IntervalArgument A>
Interval abs(A&& a) {
  return IntervalAccess::unary(detail::interval_abs, std::forward<A>(a));
}
template <detail::IntervalArgument A, detail::IntervalArgument B>
Interval min(A&& a, B&& b) {
  return IntervalAccess::binary(detail::interval_min, std::forward<A>(a), std::forward<B>(b));
}
template <detail::IntervalArgument A, detail::IntervalArgument B>
Interval max(A&& a, B&& b) {
  return IntervalAccess::binary(detail::interval_max, std::forward<A>(a), std::forward<B>(b));
}
/// The smallest interval that contains both operands.
template <detail::IntervalArgument A, detail::IntervalArgument B>
Interval hull(A&& a, B&& b) {
  return IntervalAccess::binary(detail::interval_hull, std::forward<A>(a), std::forward<B>(b));
}
/// The numbers common to a and b; empty where there are none.
template <detail::IntervalArgument A, detail::IntervalArgument B>
Interval intersection(A&& a, B&& b) {
  return IntervalAccess::binary(detail::interval_intersect, std::forward<A>(a), std::forward<B>(b));
}

/// x 2^e, exact but for numbers beyond the exponents of MPFR.
Interval scaled(Interval x, const Integer& e);
/// x^k for an integer k of any size and sign, the smallest interval at this precision; 0^0 = 1,
/// and 0 has no negative powers.
Interval pow(const Interval& x, const Integer& k);

/// Some number lies in both.
bool overlaps(const Interval& a, const Interval& b);
Truth less(const Interval& a, const Interval& b);
Truth less_equal(const Interval& a, const Interval& b);
inline Truth greater(const Interval& a, const Interval& b) { return less(b, a); }
inline Truth greater_equal(const Interval& a, const Interval& b) { return less_equal(b, a); }
Truth equal(const Interval& a, const Interval& b);

}  // namespace critscale
