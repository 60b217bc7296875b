// Decimal text. A number x is scaled to y = x 10^k in ball arithmetic so that y has as many digits
// before the point as are wanted; the ends are the floor and the ceiling of y's ends.
#include "critscale/text/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace critscale {

using detail::Fmpz;

namespace {

constexpr double log10_of_2 = 0.30102999566398119521;

Integer power_of_ten(long k) {
  Integer r;
  mpz_ui_pow_ui(r.backend().data(), 10, static_cast<unsigned long>(k));
  return r;
}

/// floor(log10 |v|) up to an error of one, for a finite nonzero v of any exponent.
Integer decimal_exponent(const Dyadic& v) {
  double mantissa;
  Fmpz exponent;
  {
    arf_t m;
    arf_init(m);
    arf_frexp(m, exponent.x, v.raw());
    mantissa = std::fabs(arf_get_d(m, ARF_RND_DOWN));
    arf_clear(m);
  }
  if (fmpz_bits(exponent.x) < 40) {
    const double e = static_cast<double>(fmpz_get_si(exponent.x)) + std::log2(mantissa);
    return Integer(static_cast<long>(std::floor(e * log10_of_2)));
  }
  const Bits bits = static_cast<Bits>(fmpz_bits(exponent.x)) + 64;
  const Ball e = Ball(exponent.integer(), bits) * log(Ball(2, bits)) / log(Ball(10, bits));
  Fmpz floor;
  arf_get_fmpz(floor.x, e.midpoint().raw(), ARF_RND_FLOOR);
  return floor.integer();
}

/// x 10^k.
Ball scale_by_power_of_ten(const Ball& x, const Integer& k, Bits bits) {
  // The relative error of 10^k by repeated squaring grows like log2 |k| bits.
  const Bits working = bits + 2 * static_cast<Bits>(msb(Integer(abs(k) + 1))) + 16;
  const Ball power = pow(Ball(10, working), abs(k));
  return (k < 0 ? x.at(working) / power : x.at(working) * power);
}

Integer rounded(const Dyadic& v, arf_rnd_t rounding) {
  Fmpz n;
  arf_get_fmpz(n.x, v.raw(), rounding);
  return n.integer();
}

/// Text of d.ddd 10^exponent, where `digits` are those of d.ddd without the point.
std::string place_point(std::string_view sign, std::string digits, const Integer& exponent,
                        bool strip_zeros) {
  if (strip_zeros) digits.erase(digits.find_last_not_of('0') + 1);
  const Integer size = digits.size();
  if (exponent >= 0 && exponent < 21 && (exponent < size || strip_zeros)) {
    const auto before = static_cast<std::size_t>(static_cast<long>(exponent)) + 1;
    if (digits.size() < before) digits.append(before - digits.size(), '0');
    const std::string_view text = digits;
    return fmt::format("{}{}{}{}", sign, text.substr(0, before), text.size() > before ? "." : "",
                       text.substr(before));
  }
  if (exponent < 0 && exponent >= -5)
    return fmt::format("{}0.{}{}", sign,
                       std::string(static_cast<std::size_t>(static_cast<long>(-exponent)) - 1, '0'), digits);
  const std::string_view text = digits;
  return fmt::format("{}{}{}{}e{}{}", sign, text.substr(0, 1), text.size() > 1 ? "." : "", text.substr(1),
                     exponent < 0 ? "" : "+", exponent.str());
}

/// Text of m 10^-k.
std::string format_decimal(const Integer& m, const Integer& k, bool strip_zeros) {
  if (m == 0) return "0";
  std::string digits = Integer(abs(m)).str();
  const Integer exponent = Integer(digits.size() - 1) - k;
  return place_point(m < 0 ? "-" : "", std::move(digits), exponent, strip_zeros);
}

/// The decimal of at most `digits` digits next to v on the side that `rounding` names (toward -inf or +inf).
std::string decimal_toward(const Dyadic& v, long digits, arf_rnd_t rounding) {
  if (digits < 1) throw InputError(fmt::format("digits must be at least 1, found {}", digits));
  if (!v.is_finite()) return v.is_nan() ? "nan" : v.sign() > 0 ? "inf" : "-inf";
  if (v.is_zero()) return "0";
  const Integer k = Integer(digits - 1) - decimal_exponent(v);
  const Ball y = scale_by_power_of_ten(Ball::exactly(v, 2), k, bits_for_digits(digits) + 32);
  const Integer m = rounded(rounding == ARF_RND_FLOOR ? y.lower() : y.upper(), rounding);
  return format_decimal(m, k, m % 10 == 0 && y.is_exact());
}

/// The exact decimal expansion of v if it has at most `digits` digits.
std::optional<std::string> exact_decimal(const Dyadic& v, long digits) {
  if (v.is_zero()) return "0";
  const Integer exponent = decimal_exponent(v);
  const Integer k = Integer(digits) - exponent;
  // v = m 10^-k with |m| < 10^digits has at most 4 digits + |k| bits, and at least |k| of them when k < 0;
  // for k > 0 the 2^-k in it needs k <= 2 digits.
  if (abs(k) > 4 * digits + arf_bits(v.raw()) + 64) return std::nullopt;
  const Integer power = power_of_ten(static_cast<long>(Integer(abs(k))));
  const Rational y = k < 0 ? v.to_rational() / Rational(power) : v.to_rational() * Rational(power);
  if (!is_integer(y)) return std::nullopt;
  std::string text = Integer(abs(numerator(y))).str();
  if (static_cast<long>(text.find_last_not_of('0')) + 1 > digits) return std::nullopt;
  return format_decimal(numerator(y), k, true);
}

/// How many digits the radius leaves certain; the accuracy of a ball around zero is the lowest long.
long certain_digits(const Ball& x) {
  const long bits = std::max(x.accurate_bits(), 0L) - 3;
  return static_cast<long>(std::floor(static_cast<double>(bits) * log10_of_2));
}

/// Powers of ten that numbers of moderate size are scaled by, as FLINT integers.
constexpr long largest_power = 400;
const std::vector<Fmpz>& powers_of_ten() {
  static const auto powers = [] {
    std::vector<Fmpz> r(largest_power + 1);
    fmpz_one(r[0].x);
    for (std::size_t k = 1; k < r.size(); ++k) fmpz_mul_ui(r[k].x, r[k - 1].x, 10);
    return r;
  }();
  return powers;
}

/// The value that print writes, for inexact numbers of moderate size with digits to spare; nothing
/// where any doubt remains.
std::optional<std::string> moderate_value(const Ball& x, long digits) {
  if (digits < 1 || digits > 200 || !x.is_finite() || x.is_exact() || certain_digits(x) < digits ||
      arf_cmpabs_2exp_si(arb_midref(x.raw()), 600) > 0 || arf_cmpabs_2exp_si(arb_midref(x.raw()), -600) < 0)
    return std::nullopt;
  const auto& ten = powers_of_ten();
  const double middle = std::fabs(arf_get_d(arb_midref(x.raw()), ARF_RND_DOWN));
  long exponent = static_cast<long>(std::floor(std::log10(middle)));
  Ball y;
  Fmpz m;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const long k = digits - 1 - exponent;
    if (std::labs(k) > largest_power) return std::nullopt;
    const Bits bits = bits_for_digits(digits) + 24;
    const auto scale = k < 0 ? arb_div_fmpz : arb_mul_fmpz;
    scale(y.raw(), x.raw(), ten[static_cast<std::size_t>(std::labs(k))].x, bits);
    arf_get_fmpz(m.x, arb_midref(y.raw()), ARF_RND_NEAR);
    // The guess of the exponent may be one off.
    if (fmpz_cmpabs(m.x, ten[static_cast<std::size_t>(digits - 1)].x) < 0)
      --exponent;
    else if (fmpz_cmpabs(m.x, ten[static_cast<std::size_t>(digits)].x) >= 0)
      ++exponent;
    else
      break;
    if (attempt == 1) return std::nullopt;
  }
  // |y - m| <= 1/2 + radius must be at most one unit.
  if (mag_cmp_2exp_si(arb_radref(y.raw()), -1) > 0) return std::nullopt;
  const bool negative = fmpz_sgn(m.x) < 0;
  std::string text(static_cast<std::size_t>(digits) + 2, '\0');
  fmpz_get_str(text.data(), 10, m.x);
  text.resize(std::strlen(text.c_str()));
  if (negative) text.erase(0, 1);
  // The layout of place_point.
  if (exponent >= 0 && exponent < digits && exponent < 21) {
    if (exponent + 1 < digits) text.insert(static_cast<std::size_t>(exponent) + 1, 1, '.');
  } else if (exponent < 0 && exponent >= -5) {
    text.insert(0, "0.00000", static_cast<std::size_t>(1 - exponent));
  } else {
    if (digits > 1) text.insert(1, 1, '.');
    text += exponent < 0 ? "e-" : "e+";
    text += std::to_string(std::labs(exponent));
  }
  if (negative) text.insert(0, 1, '-');
  return text;
}

}  // namespace

Bits bits_for_digits(long digits) {
  return static_cast<Bits>(std::ceil(static_cast<double>(digits) / log10_of_2)) + 3;
}

bool has_digits(const Ball& x, long digits) {
  return x.is_finite() && (x.is_exact() || x.accurate_bits() >= bits_for_digits(digits));
}

std::string decimal_below(const Dyadic& v, long digits) { return decimal_toward(v, digits, ARF_RND_FLOOR); }
std::string decimal_above(const Dyadic& v, long digits) { return decimal_toward(v, digits, ARF_RND_CEIL); }

PrintedValue print(const Ball& x, long digits) {
  if (digits < 1) throw InputError(fmt::format("digits must be at least 1, found {}", digits));
  PrintedValue r;
  if (!x.is_finite()) {
    r.lo = decimal_below(x.lower(), digits);
    r.hi = decimal_above(x.upper(), digits);
    return r;
  }
  if (x.is_exact())
    if (auto text = exact_decimal(x.midpoint(), digits)) {
      r.value = r.lo = r.hi = *text;
      r.digits = digits;
      return r;
    }
  // All certain digits at once where there are enough of them; otherwise as many as the radius allows.
  const long certain = x.is_exact() ? digits : std::min(digits, certain_digits(x));
  if (certain < digits || certain < 1) {
    r.lo = decimal_below(x.lower(), digits);
    r.hi = decimal_above(x.upper(), digits);
  }
  if (certain < 1) return r;
  Integer exponent = decimal_exponent(x.midpoint());
  const Integer limit = power_of_ten(certain);
  for (;;) {
    const Integer k = Integer(certain - 1) - exponent;
    const Ball y = scale_by_power_of_ten(x, k, bits_for_digits(certain) + 32);
    Integer m = rounded(y.midpoint(), ARF_RND_NEAR);
    if (abs(m) * 10 < limit) {
      exponent -= 1;
      continue;
    }
    if (abs(m) > limit) {
      exponent += 1;
      continue;
    }
    if (certain == digits) {
      r.lo = format_decimal(rounded(y.lower(), ARF_RND_FLOOR), k, false);
      r.hi = format_decimal(rounded(y.upper(), ARF_RND_CEIL), k, false);
    }
    if (!certainly(less_equal(abs(y - Ball(m, y.precision() + 64)), Ball(1)))) return r;
    if (abs(m) == limit) {
      r.value = format_decimal(m / 10, k - 1, false);
    } else {
      r.value = format_decimal(m, k, false);
    }
    r.digits = certain;
    return r;
  }
}

std::optional<std::string> print_value(const Ball& x, long digits) {
  if (auto text = moderate_value(x, digits)) return text;
  return print(x, digits).value;
}

HexEnclosure hex_enclosure(const Ball& x) {
  if (x.is_exact()) return {x.lower(x.precision()).to_hex(), x.upper(x.precision()).to_hex()};
  // A radius has 30 bits: ends with as many beyond the certain ones widen the enclosure by no more than that.
  constexpr Bits radius_bits = 30, least = 32;
  const Bits bits = std::min<Bits>(x.precision(), std::max<Bits>(x.accurate_bits(), 0) + least + radius_bits);
  return {x.lower(bits).to_hex(), x.upper(bits).to_hex()};
}

}  // namespace critscale
