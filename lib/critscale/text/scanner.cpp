// Scanner: decimals, powers and quotients, with their limits.
#include "critscale/text/detail/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale::detail {

namespace mp = boost::multiprecision;

namespace {
constexpr long max_digits = 1000000;
/// The number of binary digits of 10^1000000.
constexpr long max_bits = 3321929;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Integer power_of_ten(long e) { return mp::pow(Integer(10), static_cast<unsigned>(e)); }
}  // namespace

std::string exponent_text(const Rational& e) {
  return is_integer(e) ? to_string(e) : fmt::format("({})", to_string(e));
}

Scanner::Scanner(std::string_view text) : whole_(text), rest_(text) {}

bool Scanner::accept(std::string_view word) {
  if (!at(word)) return false;
  rest_.remove_prefix(word.size());
  return true;
}

void Scanner::skip_spaces() {
  while (accept(" ")) {
  }
}

void Scanner::throw_too_large() const {
  throw InputError(
      fmt::format("{} is too large to write out: the limit is {} decimal digits", text(), max_digits));
}

std::string_view Scanner::digits() {
  const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_digit);
  const std::string_view run = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  rest_.remove_prefix(run.size());
  return run;
}

Integer Scanner::to_integer(std::string_view digits) const {
  // Boost reads a leading 0 as octal.
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return 0;
  if (digits.size() > static_cast<std::size_t>(max_digits)) throw_too_large();
  return Integer(std::string(digits));
}

std::optional<Integer> Scanner::integer() {
  const std::string_view run = digits();
  if (run.empty()) return {};
  return to_integer(run);
}

std::optional<Integer> Scanner::signed_integer() {
  const bool negative = accept("-");
  std::optional<Integer> v = integer();
  if (v && negative) *v = -*v;
  return v;
}

std::optional<Rational> Scanner::decimal(std::string_view integer_part) {
  std::string all(integer_part);
  long scale = 0;
  if (accept(".")) {
    const std::string_view fraction = digits();
    if (fraction.empty()) return {};
    all += fraction;
    scale = -static_cast<long>(fraction.size());
  }
  if (all.empty()) return {};
  if (accept("e") || accept("E")) {
    const bool negative = accept("-");
    if (!negative) accept("+");
    const std::optional<Integer> e = integer();
    if (!e) return {};
    if (*e > max_digits) throw_too_large();
    scale += negative ? -static_cast<long>(*e) : static_cast<long>(*e);
  }
  const Integer mantissa = to_integer(all);
  if (std::abs(scale) > max_digits) throw_too_large();
  if (scale < 0) return Rational(mantissa, power_of_ten(-scale));
  const Integer v = mantissa * power_of_ten(scale);
  if (v != 0 && mp::msb(v) >= static_cast<unsigned long>(max_bits)) throw_too_large();
  return Rational(v);
}

Rational Scanner::power(const Integer& base, const Integer& exponent) const {
  if (base == 0 && exponent <= 0)
    throw InputError(fmt::format("{} has a power of 0 without a value", text()));
  if (base <= 1) return exponent == 0 ? Rational(1) : Rational(base);
  const Integer e = abs(exponent);
  if (e * static_cast<long>(mp::msb(base)) > max_bits) throw_too_large();
  const Integer v = mp::pow(base, static_cast<unsigned>(e));
  if (mp::msb(v) >= static_cast<unsigned long>(max_bits)) throw_too_large();
  return exponent < 0 ? Rational(1, v) : Rational(v);
}

std::optional<Rational> Scanner::term() {
  const std::string_view run = digits();
  if (run.empty() || !accept("^")) return decimal(run);
  const std::optional<Integer> e = signed_integer();
  if (!e) return {};
  return power(to_integer(run), *e);
}

std::optional<Rational> Scanner::quotient() {
  std::optional<Rational> v = term();
  if (!v || !accept("/")) return v;
  const std::optional<Rational> divisor = term();
  if (!divisor) return {};
  if (*divisor == 0) throw InputError(fmt::format("{} divides by zero", text()));
  return *v / *divisor;
}

std::optional<Rational> Scanner::rational() {
  const bool negative = accept("-");
  std::optional<Rational> v = quotient();
  if (v && negative) *v = -*v;
  return v;
}

}  // namespace critscale::detail
