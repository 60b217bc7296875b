// Dyadic: exact binary numbers, their hexadecimal text. Uses FLINT's arf_t.
#include "critscale/number/dyadic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "critscale/number/errors.hpp"

namespace critscale {

using detail::Fmpz;

Dyadic::Dyadic(const Integer& n) : Dyadic() {
  Fmpz z(n);
  arf_set_fmpz(x_, z.x);
}

Dyadic Dyadic::exactly(double v) {
  Dyadic r;
  arf_set_d(r.x_, v);
  return r;
}

Dyadic Dyadic::infinity() {
  Dyadic r;
  arf_pos_inf(r.x_);
  return r;
}

Dyadic Dyadic::nan() {
  Dyadic r;
  arf_nan(r.x_);
  return r;
}

Dyadic Dyadic::scaled(const Integer& e) const {
  Dyadic r;
  Fmpz k(e);
  arf_mul_2exp_fmpz(r.x_, x_, k.x);
  return r;
}

std::partial_ordering operator<=>(const Dyadic& a, const Dyadic& b) {
  if (a.is_nan() || b.is_nan()) return std::partial_ordering::unordered;
  const int c = arf_cmp(a.x_, b.x_);
  return c < 0   ? std::partial_ordering::less
         : c > 0 ? std::partial_ordering::greater
                 : std::partial_ordering::equivalent;
}

Rational Dyadic::to_rational(long max_exponent) const {
  if (!is_finite()) throw InputError("nan and infinities are not fractions");
  if (is_zero()) return Rational(0);
  Fmpz m, e;
  arf_get_fmpz_2exp(m.x, e.x, x_);
  if (fmpz_cmp_si(e.x, max_exponent) > 0 || fmpz_cmp_si(e.x, -max_exponent) < 0)
    throw InputError(fmt::format("a number with binary exponent {} is too large to write out as a fraction",
                                 e.integer().str()));
  const long k = fmpz_get_si(e.x);
  Integer power = 1;
  power <<= static_cast<unsigned long>(k < 0 ? -k : k);
  return k < 0 ? Rational(m.integer(), power) : Rational(Integer(m.integer() * power));
}

std::string Dyadic::to_hex() const {
  if (is_nan()) return "nan";
  if (!is_finite()) return sign() > 0 ? "inf" : "-inf";
  if (is_zero()) return "0x0p+0";
  // x = m 2^e with m odd; the digits of |m| after the leading 1 are padded to whole nibbles.
  Fmpz m, e;
  arf_get_fmpz_2exp(m.x, e.x, x_);
  Integer mantissa = abs(m.integer());
  Integer exponent = e.integer();
  const auto fraction_bits = static_cast<unsigned>(boost::multiprecision::msb(mantissa));
  const unsigned padding = (4 - fraction_bits % 4) % 4;
  mantissa <<= padding;
  exponent += fraction_bits;
  std::string digits = mantissa.str(0, std::ios_base::hex);
  std::transform(digits.begin(), digits.end(), digits.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return fmt::format("{}0x{}{}{}p{}{}", sign() < 0 ? "-" : "", digits[0], digits.size() > 1 ? "." : "",
                     digits.substr(1), exponent < 0 ? "" : "+", exponent.str());
}

Dyadic Dyadic::from_hex(std::string_view text) {
  const auto malformed = [&] { return InputError(fmt::format("'{}' is not a hexadecimal number", text)); };
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  const auto signed_value = [negative](Dyadic v) { return negative ? -v : v; };
  if (rest == "inf") return signed_value(infinity());
  if (rest == "nan") return nan();
  if (rest.size() < 3 || rest[0] != '0' || (rest[1] != 'x' && rest[1] != 'X')) throw malformed();
  rest.remove_prefix(2);
  std::string digits;
  Integer exponent = 0;
  bool point = false;
  while (!rest.empty() && rest[0] != 'p' && rest[0] != 'P') {
    if (rest[0] == '.' && !point) {
      point = true;
    } else if (std::isxdigit(static_cast<unsigned char>(rest[0]))) {
      digits += rest[0];
      if (point) exponent -= 4;
    } else {
      throw malformed();
    }
    rest.remove_prefix(1);
  }
  if (digits.empty()) throw malformed();
  if (!rest.empty()) {
    rest.remove_prefix(1);
    const bool minus = !rest.empty() && rest[0] == '-';
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
    if (rest.empty() ||
        !std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c); }))
      throw malformed();
    // Boost reads a leading 0 as octal.
    const Integer written(std::string(rest.substr(std::min(rest.find_first_not_of('0'), rest.size() - 1))));
    exponent += minus ? Integer(-written) : written;
  }
  return signed_value(Dyadic(Integer("0x" + digits)).scaled(exponent));
}

}  // namespace critscale
