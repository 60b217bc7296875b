// Uses coq_text.hpp.
#include "critscale/proof/detail/coq_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "critscale/text/detail/expression.hpp"

namespace critscale::coq {

namespace {

/// A term with its own precedence: what stands beside a tighter operator gets parentheses.
struct Term {
  enum Level { sum, product, application, atom };
  std::string text;
  Level level = atom;
  std::string base;  ///< of a power, its base and exponent, so that x * x * x becomes x ^ 3
  long exponent = 1;

  std::string at(Level least) const { return level >= least ? text : "(" + text + ")"; }

  friend Term operator+(const Term& a, const Term& b) { return {a.text + " + " + b.at(product), sum, {}, 1}; }
  friend Term operator-(const Term& a, const Term& b) { return {a.text + " - " + b.at(product), sum, {}, 1}; }
  friend Term operator*(const Term& a, const Term& b) {
    const std::string left = a.base.empty() ? a.at(application) : a.base;
    if (left == b.at(application))
      return {fmt::format("{} ^ {}", left, a.exponent + 1), product, left, a.exponent + 1};
    return {a.at(product) + " * " + b.at(application), product, {}, 1};
  }
  friend Term operator/(const Term& a, const Term& b) {
    return {a.at(product) + " / " + b.at(application), product, {}, 1};
  }
  Term operator-() const { return {"- " + at(application), sum, {}, 1}; }
};

Term name(const std::string& text) {
  if (text == "n" || text == "d") return {"INR " + text, Term::application, {}, 1};
  for (const char* known : {"gamma", "rho", "alpha", "q", "theta", "r"})
    if (text == known) return {text, Term::atom, {}, 1};
  throw InputError(fmt::format("{} has no name in Coq", text));
}

Term call(const std::string& function, const Term& argument) {
  if (function == "sqrt") return {"sqrt " + argument.at(Term::atom), Term::application, {}, 1};
  if (function == "log") return {"ln " + argument.at(Term::atom), Term::application, {}, 1};
  throw InputError(fmt::format("the function {} has no name in Coq", function));
}

constexpr long largest_power = 1000;

}  // namespace

std::string term(const Rational& value) {
  const Integer p = numerator(value), q = denominator(value);
  const std::string digits = p < 0 ? "- " + Integer(-p).str() : p.str();
  if (q == 1) return p < 0 ? "(" + digits + ")" : digits;
  return fmt::format("({} / {})", digits, q.str());
}

namespace {

/// The mantissa and the power of ten of a decimal.
std::pair<Rational, Rational> scientific(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return {parse_rational(text), 0};
  return {parse_rational(text.substr(0, e)), parse_rational(text.substr(text[e + 1] == '+' ? e + 2 : e + 1))};
}

bool within_reach(const Rational& exponent) {
  return exponent >= -largest_power && exponent <= largest_power;
}

/// Of the powers of ten near the number's own the one with the most zeros at its end: n has such ones, and
/// the proof compares with n.
Integer roundest_near(const Integer& exponent) {
  const auto zeros = [](Integer e) {
    int count = 0;
    for (; e != 0 && e % 10 == 0; e /= 10) ++count;
    return count;
  };
  Integer best = exponent;
  for (int shift = -3; shift <= 3; ++shift)
    if (zeros(exponent + shift) > zeros(best)) best = exponent + shift;
  return best;
}

}  // namespace

DecimalRange decimal_range(std::string_view lo, std::string_view hi) {
  const auto [m1, e1] = scientific(lo);
  const auto [m2, e2] = scientific(hi);
  if (within_reach(e1) && within_reach(e2))
    return {term(parse_rational(lo)), term(parse_rational(hi)), false};
  const Rational apart = std::max(e1, e2) - std::min(e1, e2);
  if (m1 == 0 || m2 == 0 || !within_reach(apart) || denominator(e1) != 1 || denominator(e2) != 1)
    throw InputError(fmt::format("{} and {} are powers of ten too far apart", lo, hi));
  const Rational exponent = roundest_near(numerator(e1));
  const auto end = [&](Rational m, Rational e) {
    for (; e < exponent; ++e) m /= 10;
    for (; e > exponent; --e) m *= 10;
    return fmt::format("{} * Rpower 10 {}", term(m), term(exponent));
  };
  return {end(m1, e1), end(m2, e2), true};
}

std::string expression(std::string_view text) {
  const auto number = [](const Rational& v) { return Term{term(v), Term::atom, {}, 1}; };
  return Expression(text).evaluate<Term>(number, name, call).text;
}

std::string identifier(std::string_view id) {
  std::string result;
  for (const char c : id) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain || result.empty() || result.back() != '_') result += plain ? c : '_';
  }
  if (result.empty() || std::isalpha(static_cast<unsigned char>(result[0])) == 0) result = "claim_" + result;
  return result;
}

namespace {

/// The number's end times 10^k as an integer, with k such that about five digits remain.
Rational rounded(const Rational& end, bool up) {
  if (end == 0) return 0;
  Rational scale = 1;
  const Rational size = end < 0 ? Rational(-end) : end;
  while (size * scale < 10000) scale *= 10;
  const Rational scaled = end * scale;
  Integer whole = numerator(scaled) / denominator(scaled);  // toward zero
  if (up && Rational(whole) < scaled) ++whole;
  if (!up && Rational(whole) > scaled) --whole;
  return Rational(whole) / scale;
}

}  // namespace

Rational above(const Ball& value) { return rounded(value.upper().to_rational(), true); }
Rational below(const Ball& value) { return rounded(value.lower().to_rational(), false); }

Rational bounded_end(const std::string& end, const std::string& name) {
  if (end == "infinity")
    throw InputError(fmt::format("{} has no upper end; such claims are not exported", name));
  return parse_rational(end);
}

std::string comment(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"') {
      result += '\'';
      continue;
    }
    if (!result.empty() && ((c == ')' && result.back() == '*') || (c == '*' && result.back() == '(')))
      result += ' ';
    result += c;
  }
  return result;
}

}  // namespace critscale::coq
