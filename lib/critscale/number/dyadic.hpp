// Exact binary floating-point numbers m 2^e with integers m and e of any size: the end points of
// enclosures. Uses exact.hpp and FLINT's arf_t.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <utility>

#include "critscale/number/exact.hpp"
#include "critscale/number/flint.hpp"

namespace critscale {

/// An exact number m 2^e, or one of +inf, -inf, nan. Every operation here is exact.
class Dyadic {
 public:
  Dyadic() noexcept { arf_init(x_); }
  explicit Dyadic(const Integer& n);
  Dyadic(const Dyadic& o) {
    arf_init(x_);
    arf_set(x_, o.x_);
  }
  Dyadic(Dyadic&& o) noexcept {
    arf_init(x_);
    arf_swap(x_, o.x_);
  }
  Dyadic& operator=(const Dyadic& o) {
    arf_set(x_, o.x_);
    return *this;
  }
  Dyadic& operator=(Dyadic&& o) noexcept {
    arf_swap(x_, o.x_);
    return *this;
  }
  ~Dyadic() { arf_clear(x_); }

  /// The number a double stores, exactly (infinities and nan included).
  static Dyadic exactly(double v);
  static Dyadic infinity();
  static Dyadic nan();

  /// Reads the text written by to_hex, or any C hexadecimal floating literal with a decimal
  /// exponent of any size, or inf, -inf, nan. Throws InputError.
  static Dyadic from_hex(std::string_view text);
  /// "0x1.8p+3", "-0x1p-1074", "0x0p+0", "inf", "-inf", "nan". from_hex(to_hex(x)) is x.
  std::string to_hex() const;

  bool is_zero() const { return arf_is_zero(x_) != 0; }
  bool is_finite() const { return arf_is_finite(x_) != 0; }
  bool is_nan() const { return arf_is_nan(x_) != 0; }
  bool is_integer() const { return arf_is_int(x_) != 0; }
  /// -1, 0 or 1; the sign of nan is 0.
  int sign() const { return arf_sgn(x_); }

  /// This number as a fraction. Throws InputError when it is not finite or its exponent exceeds
  /// `max_exponent` in absolute value (the fraction would not fit in memory).
  Rational to_rational(long max_exponent = 1L << 24) const;

  /// x 2^e.
  Dyadic scaled(const Integer& e) const;

  Dyadic operator-() const {
    Dyadic r;
    arf_neg(r.x_, x_);
    return r;
  }

  /// Exact order; nan is unordered.
  friend std::partial_ordering operator<=>(const Dyadic& a, const Dyadic& b);
  friend bool operator==(const Dyadic& a, const Dyadic& b) {
    return !a.is_nan() && !b.is_nan() && arf_equal(a.x_, b.x_) != 0;
  }

  arf_ptr raw() { return x_; }
  arf_srcptr raw() const { return x_; }

 private:
  arf_t x_;
};

}  // namespace critscale
