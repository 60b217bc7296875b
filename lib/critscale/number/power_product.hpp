// PowerProduct: exact positive real numbers of any size, such as n = 10^(10^15) or 3 n^(1/2), kept
// as products of powers. Uses exact.hpp, ball.hpp and GMP.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/exact.hpp"

namespace critscale {

/// An exact positive real number prod_i b_i^e_i with integers b_i >= 2 and rational e_i.
///
/// The bases are pairwise coprime and no base is a perfect power, no exponent is zero, no two
/// exponents are equal, and the factors are sorted by base. The form is found by greatest common
/// divisors, without factoring, and is not unique (12^e is also 2^(2e) 3^e); equality is
/// therefore decided on a common coprime base, by division.
///
/// Every operation is exact. Those that build a number throw InputError when the numerator or
/// denominator of an exponent would have more than `max_exponent_digits` decimal digits.
class PowerProduct {
 public:
  struct Factor {
    Integer base;
    Rational exponent;
    friend bool operator==(const Factor&, const Factor&) = default;
  };
  static constexpr long max_exponent_digits = 100000;

  /// The number 1.
  PowerProduct() = default;
  /// A positive integer or fraction. Throws InputError when it is not positive.
  explicit PowerProduct(const Integer& v);
  explicit PowerProduct(const Rational& v);
  template <SmallInteger I>
  explicit PowerProduct(I v) : PowerProduct(Integer(v)) {}
  /// base^exponent. Throws InputError when the base is not positive.
  static PowerProduct power(const Integer& base, const Rational& exponent);

  /// The factors: x = prod base^exponent, ln x = sum exponent ln base. Empty for 1.
  const std::vector<Factor>& factors() const { return factors_; }

  bool is_one() const { return factors_.empty(); }
  bool is_rational() const;
  bool is_integer() const;

  /// The number as an integer. Throws InputError when it is not one or has more than `max_bits`
  /// binary digits.
  Integer to_integer(Bits max_bits = 1L << 24) const;
  /// The number as a fraction. Throws InputError when it is irrational or its numerator or
  /// denominator has more than `max_bits` binary digits.
  Rational to_rational(Bits max_bits = 1L << 24) const;

  /// Text that parse_power_product reads back as an equal number: "1024", "10^15", "10^(10^15)",
  /// "1/2*10^24", "2^(1/2)". Numbers of up to 20 digits are written out, except powers of ten
  /// from 10^6 on.
  std::string to_string() const;

  PowerProduct& operator*=(const PowerProduct& o);
  PowerProduct& operator/=(const PowerProduct& o);
  friend PowerProduct operator*(PowerProduct a, const PowerProduct& b) { return a *= b; }
  friend PowerProduct operator/(PowerProduct a, const PowerProduct& b) { return a /= b; }
  /// x^exponent.
  friend PowerProduct pow(const PowerProduct& x, const Rational& exponent);
  /// Equality of the numbers, whatever their factors.
  friend bool operator==(const PowerProduct& a, const PowerProduct& b) {
    return a.factors_ == b.factors_ || (a / b).is_one();
  }

 private:
  explicit PowerProduct(std::vector<Factor> factors);

  std::vector<Factor> factors_;
};

PowerProduct pow(const PowerProduct& x, const Rational& exponent);
/// Whether x is a rational number whose factors, written out, have at most so many bits.
bool is_short_rational(const PowerProduct& x, Bits bits);
/// Whether b / a is an integer.
bool divides(const PowerProduct& a, const PowerProduct& b);
/// The exact order. Throws LimitError when the logarithm of a / b is still not told from 0 at the
/// largest working precision that `log` uses.
std::strong_ordering compare(const PowerProduct& a, const PowerProduct& b);

/// ln x, of relative radius at most 2^(2-bits); exactly 0 for x = 1. Throws LimitError when
/// cancellation between the factors would need more than 2^24 bits beyond those asked.
Ball log(const PowerProduct& x, Bits bits);
/// x, of relative radius at most 2^(2-bits) whatever its size; exact when it is an integer of at
/// most `bits` bits.
Ball value(const PowerProduct& x, Bits bits);

inline std::string to_string(const PowerProduct& x) { return x.to_string(); }

}  // namespace critscale
