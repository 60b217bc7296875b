// Ball: certified real arithmetic of any precision and any exponent, the kernel of everything
// the program states. Uses exact.hpp, truth.hpp, dyadic.hpp and Arb.
//
// The promise, for every function here: if x lies in X then f(x) lies in F(X). Where f is not
// defined on all of X the result is the whole line (its midpoint may be nan), never a smaller set.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "critscale/number/dyadic.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/exact.hpp"
#include "critscale/number/truth.hpp"

namespace critscale {

class Ball;

namespace detail {
template <class T>
concept BallArgument = std::same_as<std::remove_cvref_t<T>, Ball>;
[[noreturn]] void throw_bad_precision(Bits bits);
}  // namespace detail

/// An enclosure [midpoint - radius, midpoint + radius] of a real number. The precision belongs to
/// the value: a result has the larger precision of its operands. Small built-in integers take
/// part exactly. There is no conversion from double but `exactly`, and no operator<.
class Ball {
 public:
  /// Smallest and largest precision, in bits.
  static constexpr Bits min_precision = 2;
  static constexpr Bits max_precision = 1L << 32;

  /// Exactly 0, at the lowest precision: the neutral start of a sum.
  Ball() noexcept { arb_init(x_); }
  /// An exact small integer, at 64 bits.
  template <SmallInteger I>
  explicit Ball(I v) : Ball(v, 64) {}
  template <SmallInteger I>
  Ball(I v, Bits bits) : Ball() {
    set_precision(bits);
    if constexpr (std::is_signed_v<I>)
      arb_set_si(x_, v);
    else
      arb_set_ui(x_, v);
  }
  /// An enclosure of a fraction, of relative radius at most 2^-bits; exact where it fits.
  template <std::same_as<Rational> R>
  Ball(const R& v, Bits bits) : Ball() {
    set_precision(bits);
    assign(v);
  }
  /// An enclosure of an integer; exact where it fits in `bits`.
  template <std::same_as<Integer> Z>
  Ball(const Z& v, Bits bits) : Ball() {
    set_precision(bits);
    assign(v);
  }
  /// The smallest ball found at this precision that contains [lo, hi]. Throws InputError unless
  /// lo <= hi.
  Ball(const Dyadic& lo, const Dyadic& hi, Bits bits);
  /// Contains every real number between the two fractions. Throws InputError unless lo <= hi.
  static Ball hull(const Rational& lo, const Rational& hi, Bits bits);
  /// The number a double stores, exactly; throws InputError for nan and infinities.
  static Ball exactly(double v, Bits bits = 53);
  static Ball exactly(const Dyadic& v, Bits bits);
  /// The whole real line.
  static Ball whole_line(Bits bits);

  template <std::floating_point F>
  explicit Ball(F) = delete;
  template <std::floating_point F>
  Ball(F, Bits) = delete;

  Ball(const Ball& o) : bits_(o.bits_) {
    arb_init(x_);
    arb_set(x_, o.x_);
  }
  Ball(Ball&& o) noexcept : bits_(o.bits_) {
    // A bitwise move: the source is left as zero, which owns nothing.
    *x_ = *o.x_;
    arb_init(o.x_);
  }
  Ball& operator=(const Ball& o) {
    arb_set(x_, o.x_);
    bits_ = o.bits_;
    return *this;
  }
  Ball& operator=(Ball&& o) noexcept {
    arb_swap(x_, o.x_);
    std::swap(bits_, o.bits_);
    return *this;
  }
  ~Ball() {
    if (owns_memory()) arb_clear(x_);
  }

  Bits precision() const { return bits_; }
  /// The same set carried at another precision; rounded outward when that is lower.
  Ball at(Bits bits) const;

  bool is_exact() const { return arb_is_exact(x_) != 0; }
  /// Neither end is infinite and the midpoint is a number.
  bool is_finite() const { return arb_is_finite(x_) != 0; }
  /// An end point of the enclosure, rounded away from the midpoint to at most `bits` (default:
  /// the precision plus 32 bits) binary digits. -inf and +inf where the ball is not finite.
  Dyadic lower(Bits bits = 0) const;
  Dyadic upper(Bits bits = 0) const;
  Dyadic midpoint() const;
  /// The exact midpoint as a ball of radius 0.
  Ball center() const;
  /// Number of accurate bits: -log2 of the relative radius, rounded down; the largest long for
  /// exact values, negative when nothing is known.
  long accurate_bits() const { return arb_rel_accuracy_bits(x_); }

  Truth is_zero() const;
  Truth is_positive() const;
  Truth is_nonnegative() const;
  Truth is_negative() const { return !is_nonnegative(); }
  bool contains_zero() const { return arb_contains_zero(x_) != 0; }
  bool contains(const Ball& other) const { return arb_contains(x_, other.x_) != 0; }
  bool contains(const Rational& v) const {
    detail::Fmpq q(v);
    return arb_contains_fmpq(x_, q.x) != 0;
  }
  bool contains(const Dyadic& v) const { return arb_contains_arf(x_, v.raw()) != 0; }

  Ball& operator+=(const Ball& o) { return update(arb_add, o); }
  Ball& operator-=(const Ball& o) { return update(arb_sub, o); }
  Ball& operator*=(const Ball& o) { return update(arb_mul, o); }
  Ball& operator/=(const Ball& o) { return update(arb_div, o); }
  template <SmallInteger I>
  Ball& operator+=(I v) {
    if constexpr (std::is_signed_v<I>)
      arb_add_si(x_, x_, v, bits_);
    else
      arb_add_ui(x_, x_, v, bits_);
    return *this;
  }
  template <SmallInteger I>
  Ball& operator-=(I v) {
    if constexpr (std::is_signed_v<I>)
      arb_sub_si(x_, x_, v, bits_);
    else
      arb_sub_ui(x_, x_, v, bits_);
    return *this;
  }
  template <SmallInteger I>
  Ball& operator*=(I v) {
    if constexpr (std::is_signed_v<I>)
      arb_mul_si(x_, x_, v, bits_);
    else
      arb_mul_ui(x_, x_, v, bits_);
    return *this;
  }
  template <SmallInteger I>
  Ball& operator/=(I v) {
    if constexpr (std::is_signed_v<I>)
      arb_div_si(x_, x_, v, bits_);
    else
      arb_div_ui(x_, x_, v, bits_);
    return *this;
  }

  arb_ptr raw() { return x_; }
  arb_srcptr raw() const { return x_; }

 private:
  friend struct BallAccess;

  /// Whether arb_clear has anything to free; most temporaries have been moved from.
  bool owns_memory() const {
    return ARF_HAS_PTR(arb_midref(x_)) || COEFF_IS_MPZ(ARF_EXP(arb_midref(x_))) ||
           COEFF_IS_MPZ(MAG_EXP(arb_radref(x_)));
  }

  void set_precision(Bits bits) {
    if (bits < min_precision || bits > max_precision) detail::throw_bad_precision(bits);
    bits_ = bits;
  }
  void assign(const Rational& v);
  void assign(const Integer& v);
  template <class F>
  Ball& update(F f, const Ball& o) {
    if (o.bits_ > bits_) bits_ = o.bits_;
    f(x_, x_, o.x_, bits_);
    return *this;
  }

  arb_t x_;
  Bits bits_ = min_precision;
};

/// How the free functions reach the inside of a Ball: results are written into an expiring
/// operand where there is one, so that a formula allocates little more than a hand-written loop.
struct BallAccess {
  static Bits& bits(Ball& b) { return b.bits_; }

  template <class F, class A, class B>
  static Ball binary(F f, A&& a, B&& b) {
    const Bits bits = a.bits_ > b.bits_ ? a.bits_ : b.bits_;
    if constexpr (std::is_same_v<A, Ball>) {
      f(a.x_, a.x_, b.x_, bits);
      a.bits_ = bits;
      return std::move(a);
    } else if constexpr (std::is_same_v<B, Ball>) {
      f(b.x_, a.x_, b.x_, bits);
      b.bits_ = bits;
      return std::move(b);
    } else {
      Ball r;
      f(r.x_, a.x_, b.x_, bits);
      r.bits_ = bits;
      return r;
    }
  }
  template <class F, class A>
  static Ball unary(F f, A&& a) {
    if constexpr (std::is_same_v<A, Ball>) {
      f(a.x_, a.x_, a.bits_);
      return std::move(a);
    } else {
      Ball r;
      f(r.x_, a.x_, a.bits_);
      r.bits_ = a.bits_;
      return r;
    }
  }
};

template <detail::BallArgument A, detail::BallArgument B>
Ball operator+(A&& a, B&& b) {
  return BallAccess::binary(arb_add, std::forward<A>(a), std::forward<B>(b));
}
template <detail::BallArgument A, detail::BallArgument B>
Ball operator-(A&& a, B&& b) {
  return BallAccess::binary(arb_sub, std::forward<A>(a), std::forward<B>(b));
}
template <detail::BallArgument A, detail::BallArgument B>
Ball operator*(A&& a, B&& b) {
  return BallAccess::binary(arb_mul, std::forward<A>(a), std::forward<B>(b));
}
template <detail::BallArgument A, detail::BallArgument B>
Ball operator/(A&& a, B&& b) {
  return BallAccess::binary(arb_div, std::forward<A>(a), std::forward<B>(b));
}

namespace detail {
inline void arb_negate(arb_ptr z, arb_srcptr x, Bits) { arb_neg(z, x); }
inline void arb_absolute(arb_ptr z, arb_srcptr x, Bits) { arb_abs(z, x); }
template <SmallInteger I>
struct WithInteger {
  I v;
  void add(arb_ptr z, arb_srcptr x, Bits bits) const {
    if constexpr (std::is_signed_v<I>)
      arb_add_si(z, x, v, bits);
    else
      arb_add_ui(z, x, v, bits);
  }
  void subtract(arb_ptr z, arb_srcptr x, Bits bits) const {
    if constexpr (std::is_signed_v<I>)
      arb_sub_si(z, x, v, bits);
    else
      arb_sub_ui(z, x, v, bits);
  }
  void multiply(arb_ptr z, arb_srcptr x, Bits bits) const {
    if (v == 2)  // the one factor common enough to be worth a branch, which inlining decides
      arb_mul_2exp_si(z, x, 1);
    else if constexpr (std::is_signed_v<I>)
      arb_mul_si(z, x, v, bits);
    else
      arb_mul_ui(z, x, v, bits);
  }
  void divide(arb_ptr z, arb_srcptr x, Bits bits) const {
    if constexpr (std::is_signed_v<I>)
      arb_div_si(z, x, v, bits);
    else
      arb_div_ui(z, x, v, bits);
  }
  void divide_by(arb_ptr z, arb_srcptr x, Bits bits) const {
    if constexpr (std::is_signed_v<I>) {
      const bool negative = v < 0;
      arb_ui_div(z, negative ? -static_cast<ulong>(v) : static_cast<ulong>(v), x, bits);
      if (negative) arb_neg(z, z);
    } else {
      arb_ui_div(z, v, x, bits);
    }
  }
};
}  // namespace detail

template <detail::BallArgument A>
Ball operator-(A&& a) {
  return BallAccess::unary(detail::arb_negate, std::forward<A>(a));
}
template <detail::BallArgument A, SmallInteger I>
Ball operator+(A&& a, I v) {
  return BallAccess::unary([v](auto z, auto x, Bits p) { detail::WithInteger<I>{v}.add(z, x, p); },
                           std::forward<A>(a));
}
template <detail::BallArgument A, SmallInteger I>
Ball operator-(A&& a, I v) {
  return BallAccess::unary([v](auto z, auto x, Bits p) { detail::WithInteger<I>{v}.subtract(z, x, p); },
                           std::forward<A>(a));
}
template <detail::BallArgument A, SmallInteger I>
Ball operator*(A&& a, I v) {
  return BallAccess::unary([v](auto z, auto x, Bits p) { detail::WithInteger<I>{v}.multiply(z, x, p); },
                           std::forward<A>(a));
}
template <detail::BallArgument A, SmallInteger I>
Ball operator/(A&& a, I v) {
  return BallAccess::unary([v](auto z, auto x, Bits p) { detail::WithInteger<I>{v}.divide(z, x, p); },
                           std::forward<A>(a));
}
template <SmallInteger I, detail::BallArgument A>
Ball operator+(I v, A&& a) {
  return std::forward<A>(a) + v;
}
template <SmallInteger I, detail::BallArgument A>
Ball operator-(I v, A&& a) {
  return -(std::forward<A>(a) - v);
}
template <SmallInteger I, detail::BallArgument A>
Ball operator*(I v, A&& a) {
  return std::forward<A>(a) * v;
}
template <SmallInteger I, detail::BallArgument A>
Ball operator/(I v, A&& a) {
  return BallAccess::unary([v](auto z, auto x, Bits p) { detail::WithInteger<I>{v}.divide_by(z, x, p); },
                           std::forward<A>(a));
}

template <detail::BallArgument A>
Ball exp(A&& a) {
  return BallAccess::unary(arb_exp, std::forward<A>(a));
}
template <detail::BallArgument A>
Ball expm1(A&& a) {
  return BallAccess::unary(arb_expm1, std::forward<A>(a));
}
/// Natural logarithm; the whole line when the ball is not positive.
template <detail::BallArgument A>
Ball log(A&& a) {
  return BallAccess::unary(arb_log, std::forward<A>(a));
}
/// log(1 + a); the whole line when the ball reaches below -1.
template <detail::BallArgument A>
Ball log1p(A&& a) {
  return BallAccess::unary(arb_log1p, std::forward<A>(a));
}
/// Square root; the whole line when the ball contains negative numbers.
template <detail::BallArgument A>
Ball sqrt(A&& a) {
  return BallAccess::unary(arb_sqrt, std::forward<A>(a));
}
template <detail::BallArgument A>
Ball sqr(A&& a) {
  return BallAccess::unary(arb_sqr, std::forward<A>(a));
}
template <detail::BallArgument A>
Ball abs(A&& a) {
  return BallAccess::unary(detail::arb_absolute, std::forward<A>(a));
}
template <detail::BallArgument A, detail::BallArgument B>
Ball min(A&& a, B&& b) {
  return BallAccess::binary(arb_min, std::forward<A>(a), std::forward<B>(b));
}
template <detail::BallArgument A, detail::BallArgument B>
Ball max(A&& a, B&& b) {
  return BallAccess::binary(arb_max, std::forward<A>(a), std::forward<B>(b));
}
/// Contains both operands.
template <detail::BallArgument A, detail::BallArgument B>
Ball hull(A&& a, B&& b) {
  return BallAccess::binary(arb_union, std::forward<A>(a), std::forward<B>(b));
}

/// x 2^e, exactly.
Ball scaled(Ball x, const Integer& e);
/// x^k for an integer k of any size and sign.
Ball pow(const Ball& x, const Integer& k);
/// A set that contains every number common to a and b. Throws Error when there is provably none:
/// two enclosures of one number that do not meet are a bug, never a result.
Ball intersection(const Ball& a, const Ball& b);

/// [0, 2^e] with 2^e >= x, for a finite x that is known not to be negative; both ends are exact.
Ball up_from_zero(const Ball& x);

inline bool overlaps(const Ball& a, const Ball& b) { return arb_overlaps(a.raw(), b.raw()) != 0; }
Truth less(const Ball& a, const Ball& b);
Truth less_equal(const Ball& a, const Ball& b);
inline Truth greater(const Ball& a, const Ball& b) { return less(b, a); }
inline Truth greater_equal(const Ball& a, const Ball& b) { return less_equal(b, a); }
Truth equal(const Ball& a, const Ball& b);

}  // namespace critscale
