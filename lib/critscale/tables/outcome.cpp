// Reading what implementations write.
#include "critscale/tables/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "critscale/number/quote.hpp"

namespace critscale {

namespace {

/// m 10^exponent.
struct Decimal {
  Integer m;
  Integer exponent;
  std::size_t digits = 0;
};

Decimal parse_decimal(std::string_view text) {
  const auto malformed = [&] { return InputError(fmt::format("{} is not a number", in_quotes(text))); };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::string digits;
  Decimal r;
  bool point = false;
  while (!rest.empty() && rest[0] != 'e' && rest[0] != 'E') {
    if (rest[0] == '.' && !point) {
      point = true;
    } else if (std::isdigit(static_cast<unsigned char>(rest[0])) != 0) {
      digits += rest[0];
      if (point) r.exponent -= 1;
    } else {
      throw malformed();
    }
    rest.remove_prefix(1);
  }
  if (digits.empty() || digits.size() > 1000000) throw malformed();
  if (!rest.empty()) {
    rest.remove_prefix(1);
    const bool minus = rest.starts_with('-');
    if (minus || rest.starts_with('+')) rest.remove_prefix(1);
    if (rest.empty() || rest.size() > 1000 ||
        !std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      throw malformed();
    rest.remove_prefix(std::min(rest.find_first_not_of('0'), rest.size() - 1));
    const Integer e{std::string(rest)};
    r.exponent += minus ? Integer(-e) : e;
  }
  // Boost reads a leading 0 as octal.
  const std::size_t start = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  r.digits = digits.size() - start;
  r.m = Integer(digits.substr(start));
  if (negative) r.m = -r.m;
  return r;
}

Ball enclose(const Integer& m, const Integer& exponent, Bits bits) {
  const Bits working = bits + 2 * static_cast<Bits>(msb(Integer(abs(exponent) + 1))) + 16;
  const Ball power = pow(Ball(10, working), Integer(abs(exponent)));
  const Ball x(m, working);
  return exponent < 0 ? x / power : x * power;
}

}  // namespace

Ball enclose_decimal(std::string_view text, Bits bits) {
  const Decimal d = parse_decimal(text);
  return enclose(d.m, d.exponent, std::max<Bits>(bits, 4 * static_cast<Bits>(d.digits)));
}

Ball enclose_value(std::string_view text) {
  const Decimal d = parse_decimal(text);
  const Bits bits = 4 * static_cast<Bits>(d.digits) + 64;
  if (d.m == 0) return Ball(0, bits);
  return hull(enclose(Integer(d.m - 1), d.exponent, bits), enclose(Integer(d.m + 1), d.exponent, bits));
}

Outcome parse_outcome(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string_view rest = lower;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  Outcome r;
  if (rest == "nan") {
    r.kind = Outcome::Kind::nan;
  } else if (rest == "inf" || rest == "infinity") {
    r.kind = negative ? Outcome::Kind::minus_infinity : Outcome::Kind::plus_infinity;
  } else if (rest.starts_with("0x")) {
    const Dyadic v = Dyadic::from_hex(lower);
    r.number = Ball::exactly(v, 2048);
  } else {
    r.number = enclose_decimal(lower, 1200);
  }
  r.text = text;
  return r;
}

}  // namespace critscale
