// Coefficients: exact arithmetic and enclosures. Text is in coefficient_text.cpp, the table of
// symbols in symbols.cpp. Uses FLINT.
#include "critscale/asymptotics/coefficient.hpp"

#include <map>
#include <utility>

#include "critscale/number/errors.hpp"
#include "critscale/number/precision.hpp"

namespace critscale {

using detail::Polynomial;

namespace {

/// x with the square of `symbol` replaced by m.
Polynomial replace_squares(const Polynomial& x, std::size_t symbol, const Integer& m) {
  if (!x.contains(symbol)) return x;
  Polynomial r(x.ring());
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto e = x.exponents(i);
    const Integer power = boost::multiprecision::pow(m, static_cast<unsigned>(e[symbol] / 2));
    e[symbol] %= 2;
    r.push(x.coefficient(i) * power, e);
  }
  r.finish();
  return r;
}

/// x, linear in `symbol`, with the sign of that term changed.
Polynomial conjugate(const Polynomial& x, std::size_t symbol) {
  Polynomial r(x.ring());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto e = x.exponents(i);
    r.push(e[symbol] == 0 ? x.coefficient(i) : Integer(-x.coefficient(i)), e);
  }
  r.finish();
  return r;
}

Polynomial exact_quotient(const Polynomial& a, const Polynomial& b) {
  Polynomial r(a.ring());
  if (fmpz_mpoly_divides(r.raw(), a.raw(), b.raw(), a.ring()) == 0)
    throw Error("a polynomial is not divisible by its own factor");
  return r;
}

Ball polynomial_value(const Polynomial& x, const Symbols& symbols, Bits bits, const Ball* log_n) {
  std::map<std::size_t, Ball> values;
  const auto symbol_value = [&](std::size_t i) -> const Ball& {
    const auto known = values.find(i);
    if (known != values.end()) return known->second;
    if (i == 0 && !log_n) throw Error("a coefficient that contains ln n has no value");
    return values.emplace(i, i == 0 ? log_n->at(bits) : symbols[i].value(bits)).first->second;
  };
  Ball sum(0, bits);
  for (std::size_t t = 0; t < x.size(); ++t) {
    Ball term(x.coefficient(t), bits);
    const auto e = x.exponents(t);
    for (std::size_t i = 0; i < e.size(); ++i)
      if (e[i] != 0) term *= pow(symbol_value(i), Integer(e[i]));
    sum += term;
  }
  return sum;
}

}  // namespace

Coefficient::Coefficient(std::shared_ptr<Symbols> symbols, Polynomial numerator, Polynomial denominator)
    : symbols_(std::move(symbols)), numerator_(std::move(numerator)), denominator_(std::move(denominator)) {
  reduce();
}

void Coefficient::reduce() {
  if (const auto& root = symbols_->root()) {
    const auto& [symbol, m] = *root;
    numerator_ = replace_squares(numerator_, symbol, m);
    denominator_ = replace_squares(denominator_, symbol, m);
    if (denominator_.contains(symbol)) {
      const Polynomial other = conjugate(denominator_, symbol);
      numerator_ = replace_squares(numerator_ * other, symbol, m);
      denominator_ = replace_squares(denominator_ * other, symbol, m);
    }
  }
  if (denominator_.is_one()) return;
  if (numerator_.is_zero()) {
    denominator_ = Polynomial(symbols_->ring(), 1);
    return;
  }
  Polynomial gcd(symbols_->ring());
  if (fmpz_mpoly_gcd(gcd.raw(), numerator_.raw(), denominator_.raw(), symbols_->ring()) == 0)
    throw LimitError("a fraction of polynomials is too large to be brought to lowest terms");
  if (!gcd.is_one()) {
    numerator_ = exact_quotient(numerator_, gcd);
    denominator_ = exact_quotient(denominator_, gcd);
  }
  if (denominator_.coefficient(0) < 0) {
    numerator_ = -numerator_;
    denominator_ = -denominator_;
  }
}

std::optional<Rational> Coefficient::rational() const {
  if (!numerator_.is_constant() || !denominator_.is_constant()) return {};
  return Rational(numerator_.constant(), denominator_.constant());
}

Coefficient operator+(const Coefficient& a, const Coefficient& b) {
  if (a.denominator_ == b.denominator_) return {a.symbols_, a.numerator_ + b.numerator_, a.denominator_};
  return {a.symbols_, a.numerator_ * b.denominator_ + b.numerator_ * a.denominator_,
          a.denominator_ * b.denominator_};
}
Coefficient operator-(const Coefficient& a, const Coefficient& b) { return a + -b; }
Coefficient operator*(const Coefficient& a, const Coefficient& b) {
  return {a.symbols_, a.numerator_ * b.numerator_, a.denominator_ * b.denominator_};
}
Coefficient operator/(const Coefficient& a, const Coefficient& b) {
  if (b.is_zero()) throw UndefinedError("an exact coefficient is divided by zero");
  return {a.symbols_, a.numerator_ * b.denominator_, a.denominator_ * b.numerator_};
}
Coefficient Coefficient::operator-() const {
  Coefficient r = *this;
  r.numerator_ = -r.numerator_;
  return r;
}

std::vector<std::pair<long, Coefficient>> Coefficient::by_power_of_log_n() const {
  if (denominator_.contains(0)) throw Error("ln n stands in a denominator");
  std::map<long, Polynomial> parts;
  for (std::size_t t = 0; t < numerator_.size(); ++t) {
    auto e = numerator_.exponents(t);
    const long k = static_cast<long>(e[0]);
    e[0] = 0;
    parts.try_emplace(k, symbols_->ring()).first->second.push(numerator_.coefficient(t), e);
  }
  std::vector<std::pair<long, Coefficient>> r;
  for (auto& [k, part] : parts) {
    part.finish();
    r.emplace_back(k, Coefficient(symbols_, part, denominator_));
  }
  return r;
}

Ball Coefficient::value(Bits bits, const Ball* log_n) const {
  const Ball numerator = polynomial_value(numerator_, *symbols_, bits, log_n);
  if (denominator_.is_one()) return numerator;
  return numerator / polynomial_value(denominator_, *symbols_, bits, log_n);
}

bool Coefficient::is_certainly_nonzero(Bits max_bits) const {
  if (is_zero()) return false;
  if (numerator_.is_constant()) return true;
  return decide(64, max_bits,
                [&](Bits bits) { return known_sign(polynomial_value(numerator_, *symbols_, bits, nullptr)); })
      .has_value();
}

}  // namespace critscale
