// PowerProduct: its text. Uses power_product.hpp only.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "critscale/number/power_product.hpp"

namespace critscale {

namespace mp = boost::multiprecision;
using Factor = PowerProduct::Factor;

namespace {

/// k for 10^k, otherwise nothing.
std::optional<Integer> exponent_of_ten(const PowerProduct& x) {
  if (x.factors().size() != 1) return {};
  const Factor& f = x.factors()[0];
  if (f.base != 10 || !is_integer(f.exponent)) return {};
  return numerator(f.exponent);
}

/// "15", "-3", "(7/2)", "(10^15)", "(-10^15)": an exponent as it stands after ^.
std::string exponent_text(const Rational& e) {
  if (!is_integer(e)) return fmt::format("({})", to_string(e));
  if (abs(e) > 1000000) {
    const auto k = exponent_of_ten(PowerProduct(Rational(abs(e))));
    if (k) return fmt::format("({}10^{})", e < 0 ? "-" : "", k->str());
  }
  return to_string(e);
}

std::string power_text(const Integer& base, const Rational& e) {
  return e == 1 ? base.str() : fmt::format("{}^{}", base.str(), exponent_text(e));
}

/// The number as a fraction when numerator and denominator have at most 20 digits.
std::optional<Rational> short_fraction(const PowerProduct& x) {
  static const Integer limit = mp::pow(Integer(10), 20);
  constexpr long more_bits_than_limit = 68;
  if (!x.is_rational()) return {};
  for (const Factor& f : x.factors())
    if (abs(f.exponent) > more_bits_than_limit || f.base >= limit) return {};
  const Rational v = x.to_rational();
  if (numerator(v) >= limit || denominator(v) >= limit) return {};
  return v;
}

/// The largest g for which x is the g-th power of a fraction; x is not 1.
Rational common_exponent(const PowerProduct& x) {
  Integer up = 0, down = 1;
  for (const Factor& f : x.factors()) {
    up = gcd(up, numerator(f.exponent));
    down = lcm(down, denominator(f.exponent));
  }
  return Rational(up, down);
}

/// Whether b^e is written out as part of the coefficient.
bool is_small(const Factor& f) {
  constexpr long largest_exponent = 16, largest_bits = 1024;
  if (!is_integer(f.exponent) || abs(f.exponent) > largest_exponent) return false;
  return abs(f.exponent) == 1 || abs(f.exponent) * static_cast<long>(mp::msb(f.base) + 1) <= largest_bits;
}

/// c * B^E * ...: factors whose large exponents differ by a small integer share one base, and the
/// difference goes to the coefficient: 2^23 5^24 is 1/2*10^24.
std::string product_text(std::vector<Factor> factors) {
  std::sort(factors.begin(), factors.end(),
            [](const Factor& a, const Factor& b) { return abs(a.exponent) > abs(b.exponent); });
  Rational coefficient = 1;
  std::string powers;
  const auto multiply_coefficient = [&](const Factor& f) {
    const Integer p = mp::pow(f.base, static_cast<unsigned>(abs(numerator(f.exponent))));
    coefficient *= f.exponent > 0 ? Rational(p) : Rational(1, p);
  };
  while (!factors.empty()) {
    Factor lead = std::move(factors.front());
    factors.erase(factors.begin());
    if (is_small(lead)) {
      multiply_coefficient(lead);
      continue;
    }
    std::erase_if(factors, [&](const Factor& f) {
      const Factor rest{f.base, f.exponent - lead.exponent};
      if (is_small(f) || !is_small(rest)) return false;
      lead.base *= f.base;
      multiply_coefficient(rest);
      return true;
    });
    powers += fmt::format("{}{}", powers.empty() ? "" : "*", power_text(lead.base, lead.exponent));
  }
  if (coefficient == 1 && !powers.empty()) return powers;
  return powers.empty() ? to_string(coefficient) : fmt::format("{}*{}", to_string(coefficient), powers);
}

}  // namespace

std::string PowerProduct::to_string() const {
  if (is_one()) return "1";
  const auto k = exponent_of_ten(*this);
  if (k && abs(*k) >= 6) return power_text(10, *k);
  if (const auto v = short_fraction(*this)) return critscale::to_string(*v);
  const Rational g = common_exponent(*this);
  if (const auto root = short_fraction(pow(*this, 1 / g))) {
    if (denominator(*root) == 1) return power_text(numerator(*root), g);
    if (numerator(*root) == 1) return power_text(denominator(*root), -g);
  }
  return product_text(factors_);
}

}  // namespace critscale
