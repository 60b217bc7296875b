// Reading products of powers, context lengths and sizes, and writing sizes.
#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/detail/scanner.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

using detail::Scanner;

namespace {

PowerProduct power(const Scanner& s, const Integer& base, const Rational& exponent) {
  if (base == 0)
    throw InputError(fmt::format("{} has the factor 0: only positive numbers are allowed", s.text()));
  try {
    return PowerProduct::power(base, exponent);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", s.text(), e.what()));
  }
}

/// What stands after ^: INT, -INT or (RATIONAL).
std::optional<Rational> exponent(Scanner& s) {
  if (!s.accept("(")) return s.signed_integer();
  const auto e = s.rational();
  return s.accept(")") ? e : std::nullopt;
}

/// INT^exponent or DECIMAL.
std::optional<PowerProduct> term(Scanner& s) {
  Scanner ahead = s;
  const auto base = ahead.integer();
  if (base && ahead.accept("^")) {
    s = ahead;
    const auto e = exponent(s);
    if (!e) return {};
    return power(s, *base, *e);
  }
  const auto v = s.decimal();
  if (!v) return {};
  return power(s, numerator(*v), 1) / power(s, denominator(*v), 1);
}

std::optional<PowerProduct> quotient(Scanner& s) {
  auto v = term(s);
  if (!v || !s.accept("/")) return v;
  const auto divisor = term(s);
  if (!divisor) return {};
  return *v / *divisor;
}

/// Up to 100 factors joined by *, up to an n or the end.
std::optional<PowerProduct> product(Scanner& s) {
  constexpr int most_factors = 100;
  auto v = quotient(s);
  for (int factors = 1; v && s.at("*") && !s.at("*n"); ++factors) {
    if (factors == most_factors)
      throw InputError(fmt::format("{} has more than {} factors", s.text(), most_factors));
    s.accept("*");
    const auto next = quotient(s);
    if (!next) return {};
    *v *= *next;
  }
  return v;
}

/// What stands after n^: INT, DECIMAL or (RATIONAL).
std::optional<Rational> power_of_n(Scanner& s) {
  if (!s.accept("(")) return s.decimal();
  const auto e = s.rational();
  return s.accept(")") ? e : std::nullopt;
}

std::optional<Size> size(Scanner& s) {
  Size size{PowerProduct(), 0};
  if (!s.at("n")) {
    const auto c = product(s);
    if (!c) return {};
    size.coefficient = *c;
    if (!s.accept("*")) return size;
  }
  if (!s.accept("n")) return {};
  const auto theta = s.accept("^") ? power_of_n(s) : Rational(1);
  if (!theta) return {};
  size.exponent = *theta;
  return size;
}

}  // namespace

PowerProduct parse_power_product(std::string_view text) {
  Scanner s(text);
  const auto v = product(s);
  if (!v || !s.done())
    throw InputError(
        fmt::format("{} is not a positive number: expected factors like 3, 1/2, 10^15, 10^(10^15) or "
                    "2^(1/2) joined by *",
                    in_quotes(text)));
  return *v;
}

PowerProduct parse_context_length(std::string_view text) {
  Scanner s(text);
  const auto base = s.integer();
  std::optional<Integer> e(1);
  if (base && s.accept("^")) {
    const bool tower = s.accept("(");
    e = s.integer();
    if (e && tower) {
      const auto height = s.accept("^") ? s.integer() : std::nullopt;
      e = height && s.accept(")") ? std::optional(numerator(s.power(*e, *height))) : std::nullopt;
    }
  }
  if (base && !s.done() && text.find_first_of("eE") != std::string_view::npos) {
    Scanner exact(text);
    if (const auto v = exact.decimal(); v && exact.done() && denominator(*v) == 1 && *v >= 2)
      return power(exact, numerator(*v), 1);
  }
  if (!base || !e || !s.done())
    throw InputError(
        fmt::format("{} is not a context length: expected an integer like 4096, a power like 10^100 or "
                    "a tower like 10^(10^15)",
                    in_quotes(text)));
  if (*base < 2 || *e == 0) throw InputError(fmt::format("n must be at least 2, found {}", in_quotes(text)));
  return power(s, *base, *e);
}

Size parse_size(std::string_view text) {
  Scanner s(text);
  const auto v = size(s);
  if (!v || !s.done())
    throw InputError(
        fmt::format("{} is not a size: expected an integer like 4096 or 10^12, or a multiple of a power "
                    "of n like n, 3*n or n^(1/2)",
                    in_quotes(text)));
  if (v->exponent < 0)
    throw InputError(fmt::format("the power of n in a size must be at least 0, found {}", in_quotes(text)));
  if (v->exponent == 0 && !v->coefficient.is_integer())
    throw InputError(fmt::format("a size without n must be an integer, found {}", in_quotes(text)));
  return *v;
}

std::string to_string(const Size& size) {
  if (size.exponent == 0) return size.coefficient.to_string();
  std::string text = size.coefficient.is_one() ? "n" : size.coefficient.to_string() + "*n";
  if (size.exponent == 1) return text;
  return text + "^" + detail::exponent_text(size.exponent);
}

PowerProduct resolve(const Size& size, const PowerProduct& n) {
  return size.coefficient * pow(n, size.exponent);
}

}  // namespace critscale
