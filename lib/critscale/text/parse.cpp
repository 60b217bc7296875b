// Reading fractions, gamma, beta, boxes and ranges, and writing them.
#include "critscale/text/parse.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/detail/range.hpp"
#include "critscale/text/detail/scanner.hpp"

namespace critscale {

using detail::Scanner;

Rational parse_rational(std::string_view text) {
  Scanner s(text);
  const auto v = s.rational();
  if (!v || !s.done())
    throw InputError(
        fmt::format("{} is not a number: expected an integer, a decimal like 0.1, a fraction "
                    "like 1/3 or a power like 10^100",
                    in_quotes(text)));
  return *v;
}

GammaSpec parse_gamma(std::string_view text) {
  Scanner s(text);
  const bool critical = s.accept("critical");
  const auto factor = critical && s.done()         ? Rational(1)
                      : !critical || s.accept("*") ? s.rational()
                                                   : std::nullopt;
  if (!factor || !s.done())
    throw InputError(
        fmt::format("{} is not a value of gamma: expected a number like 3/2, critical, or a "
                    "multiple like critical*11/10",
                    in_quotes(text)));
  if (*factor < 0) throw InputError(fmt::format("gamma must be at least 0, found {}", in_quotes(text)));
  return {critical, *factor};
}

std::string to_string(const GammaSpec& gamma) {
  if (!gamma.critical) return to_string(gamma.factor);
  return gamma.factor == 1 ? "critical" : fmt::format("critical*{}", to_string(gamma.factor));
}

namespace {

/// `log n`, `(log n)` or `(log n)^k`; gives k.
std::optional<Rational> power_of_log(Scanner& s) {
  const bool parenthesis = s.accept("(");
  if (!s.accept("log ")) return {};
  s.skip_spaces();
  if (!s.accept("n")) return {};
  if (!parenthesis) return Rational(1);
  if (!s.accept(")")) return {};
  if (!s.accept("^")) return Rational(1);
  if (!s.accept("(")) return s.decimal();
  const auto k = s.rational();
  return s.accept(")") ? k : std::nullopt;
}

/// Nothing, `+ b` or `- b`; gives the number to add.
std::optional<Rational> added_constant(Scanner& s) {
  if (s.done()) return Rational(0);
  s.skip_spaces();
  const bool minus = s.accept("-");
  if (!minus && !s.accept("+")) return {};
  s.skip_spaces();
  if (!minus) return s.rational();
  const auto b = s.quotient();
  return b ? std::optional(Rational(-*b)) : b;
}

/// A sum with a power of log n.
std::optional<BetaSpec> growing_beta(Scanner& s) {
  BetaSpec beta;
  std::optional<Rational> c(1);
  if (!s.at("log") && !s.at("(log")) {
    c = s.rational();
    s.skip_spaces();
    if (!c || !s.accept("*")) return {};
    s.skip_spaces();
  }
  const auto k = power_of_log(s);
  if (!k) return {};
  const auto b = added_constant(s);
  if (!b) return {};
  return BetaSpec{*c, *k, *b};
}

}  // namespace

BetaSpec parse_beta(std::string_view text) {
  Scanner s(text);
  std::optional<BetaSpec> beta;
  if (text.find("log") != std::string_view::npos)
    beta = growing_beta(s);
  else if (const auto constant = s.rational())
    beta = {0, 0, *constant};
  if (!beta || !s.done())
    throw InputError(
        fmt::format("{} is not a value of beta: expected a number, or a power of log n with a factor "
                    "and a constant like 2*(log n)^(1/2) + 3 or 0.5*log n",
                    in_quotes(text)));
  if (beta->coefficient < 0)
    throw InputError(
        fmt::format("the factor of log n in beta must be at least 0, found {}", in_quotes(text)));
  if (beta->power < 0)
    throw InputError(fmt::format("the power of log n in beta must be at least 0, found {}", in_quotes(text)));
  if (beta->coefficient == 0 || beta->power == 0) beta = {0, 0, beta->coefficient + beta->offset};
  if (beta->coefficient == 0 && beta->offset < 0)
    throw InputError(fmt::format("beta must be at least 0, found {}", in_quotes(text)));
  return *beta;
}

std::string to_string(const BetaSpec& beta) {
  if (beta.coefficient == 0) return to_string(beta.offset);
  std::string text = beta.coefficient == 1 ? "" : to_string(beta.coefficient) + "*";
  if (beta.power == 1)
    text += "log n";
  else
    text += "(log n)^" + detail::exponent_text(beta.power);
  if (beta.offset != 0)
    text += fmt::format(" {} {}", beta.offset < 0 ? '-' : '+', to_string(Rational(abs(beta.offset))));
  return text;
}

RationalBox parse_box(std::string_view text) {
  Scanner s(text);
  const bool bracket = s.accept("[");
  const auto lo = s.rational();
  auto hi = lo;
  bool complete = lo.has_value();
  if (complete && bracket) {
    complete = s.accept(",");
    s.skip_spaces();
    hi = s.rational();
    complete = complete && hi && s.accept("]");
  }
  if (!complete || !s.done())
    throw InputError(
        fmt::format("{} is not a number or a box: expected a number like 1/3 or two ends like "
                    "[3/10,2/5]",
                    in_quotes(text)));
  if (*lo > *hi) throw InputError(fmt::format("the ends of the box {} are out of order", in_quotes(text)));
  return {*lo, *hi};
}

std::string to_string(const RationalBox& box) {
  return box.is_point() ? to_string(box.lo) : fmt::format("[{},{}]", to_string(box.lo), to_string(box.hi));
}

Subscripted parse_subscripted(std::string_view text) {
  const std::size_t bracket = text.find('[');
  const std::string name(text.substr(0, bracket));
  if (bracket == std::string_view::npos) return {name, std::nullopt};
  std::string_view digits = text.substr(bracket + 1);
  if (digits.ends_with(']')) digits.remove_suffix(1);
  // Up to six digits, so that what is read fits, and is what would be written.
  const std::size_t index =
      digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != digits.npos
          ? 0
          : std::stoul(std::string(digits));
  if (text != fmt::format("{}[{}]", name, index))
    throw InputError(fmt::format("expected NAME or NAME[INT], found {}", in_quotes(text)));
  return {name, index};
}

namespace {
long bit_length(const Rational& v) {
  const auto bits = [](const Integer& x) { return static_cast<long>(mpz_sizeinbase(x.backend().data(), 2)); };
  return bits(numerator(v)) + bits(denominator(v));
}
}  // namespace

Rational range_step(const Rational& from, const Rational& to, const Integer& steps) {
  if (steps < 2 || steps > max_range_steps)
    throw InputError(fmt::format("a range has at least 2 and at most {} points, found {}", max_range_steps,
                                 in_quotes(steps.str())));
  if (from == to) throw InputError(fmt::format("both ends of a range are {}", in_quotes(to_string(from))));
  const Rational step = (to - from) / (steps - 1);
  const long count = static_cast<long>(steps);
  constexpr long most_bits = 10000000000;
  if (count * (bit_length(from) + bit_length(step)) > most_bits)
    throw InputError(fmt::format("a range of {} points is too large for ends with so many digits", count));
  return step;
}

std::vector<Rational> spaced(const Rational& from, const Rational& to, const Integer& steps) {
  const Rational step = range_step(from, to, steps);
  const long count = static_cast<long>(steps);
  std::vector<Rational> values;
  values.reserve(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) values.push_back(from + i * step);
  return values;
}

std::vector<Rational> parse_range(std::string_view text) {
  Scanner s(text);
  const auto from = s.rational();
  const auto to = from && s.accept(":") ? s.rational() : std::nullopt;
  const auto steps = to && s.accept(":") ? s.integer() : std::nullopt;
  if (!steps || !s.done())
    throw InputError(
        fmt::format("{} is not a range: expected from:to:steps like 1/10:9/10:5", in_quotes(text)));
  return spaced(*from, *to, *steps);
}

std::vector<Rational> parse_values(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return parse_range(text);
  return {parse_rational(text)};
}

}  // namespace critscale
