// Uses interval_sizes.hpp and parse.hpp.
#include "critscale/text/detail/interval_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/errors.hpp"
#include "critscale/number/precision.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

Interval log_of(const PowerProduct& n, Bits precision) {
  Interval sum(0, precision);
  for (const auto& [base, exponent] : n.factors())
    sum += Interval(exponent, precision) * log(Interval(base, precision));
  return sum;
}

Interval exp_in_range(const Interval& x) {
  // Compared with 2^62 (2/3), a little less than 2^62 ln 2.
  if (!certainly(less(abs(x), Interval(Integer(Integer(1) << 62), 64) * 2 / 3)))
    throw LimitError("a number is beyond the exponents of MPFR, which end at 2^62");
  return exp(x);
}

bool certainly_less(const PowerProduct& a, const PowerProduct& b) {
  if (a == b) return false;
  const auto sign = decide(128, 1 << 17, [&](Bits p) { return known_sign(log_of(b / a, p)); });
  if (!sign) throw LimitError("the order of two sizes is not decided");
  return *sign > 0;
}

Interval parse_interval(const std::string& text, Bits precision) {
  const std::size_t e = text.find_first_of("e/^");
  if (e == std::string::npos || text[e] != 'e') return Interval(parse_rational(text), precision);
  const bool sign = text[e + 1] == '+' || text[e + 1] == '-';
  std::string power = text.substr(e + (sign ? 2 : 1));
  // Boost would read a leading zero as the mark of octal digits.
  if (!power.empty()) power.erase(0, std::min(power.find_first_not_of('0'), power.size() - 1));
  if (power.empty() || power.size() > 30 || power.find_first_not_of("0123456789") != std::string::npos)
    throw InputError(fmt::format("{} is not a number", in_quotes(text)));
  return Interval(parse_rational(text.substr(0, e)), precision) *
         pow(Interval(10, precision), Integer((text[e + 1] == '-' ? "-" : "") + power));
}

}  // namespace critscale
