// The table of symbols: entry, square roots, exponentials and logarithms. Uses FLINT.
#include <fmt/format.h>

#include <algorithm>

#include "critscale/asymptotics/coefficient.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/precision.hpp"

namespace critscale {

using detail::Polynomial;

namespace {

/// Numbers of more bits than this stay symbols.
constexpr Bits largest_number_bits = 4096;

/// Takes the factors below 1000 out of x; calls found(p, multiplicity).
template <class F>
void small_factors(Integer& x, F found) {
  for (unsigned p = 2; p < 1000 && x > 1; ++p) {
    const unsigned long k = mpz_remove(x.backend().data(), x.backend().data(), Integer(p).backend().data());
    if (k != 0) found(Integer(p), k);
  }
}

}  // namespace

std::shared_ptr<Symbols> Symbols::create(std::size_t capacity) {
  return std::shared_ptr<Symbols>(new Symbols(capacity));
}

Symbols::Symbols(std::size_t capacity) : capacity_(capacity) {
  fmpz_mpoly_ctx_init(ring_, static_cast<slong>(capacity), ORD_DEGLEX);
  table_.push_back({"ln(n)", "\\ln n", {}});
}

Symbols::~Symbols() {
  // What is written in the ring goes before the ring.
  table_.clear();
  logarithms_.clear();
  exponents_.clear();
  fmpz_mpoly_ctx_clear(ring_);
}

Coefficient Symbols::make(Polynomial numerator) {
  return {shared_from_this(), std::move(numerator), Polynomial(ring_, 1)};
}

Coefficient Symbols::constant(const Rational& v) {
  return {shared_from_this(), Polynomial(ring_, critscale::numerator(v)),
          Polynomial(ring_, critscale::denominator(v))};
}

Coefficient Symbols::log_n() { return make(Polynomial::variable(ring_, 0)); }

Coefficient Symbols::symbol(const Symbol& symbol) {
  const auto same = [&](const Symbol& s) { return s.text == symbol.text; };
  const auto known = std::find_if(table_.begin(), table_.end(), same);
  const auto index = static_cast<std::size_t>(known - table_.begin());
  if (known == table_.end()) {
    if (index >= capacity_) throw LimitError(fmt::format("more than {} symbols in an expansion", capacity_));
    table_.push_back(symbol);
  }
  return make(Polynomial::variable(ring_, index));
}

Coefficient Symbols::square_root(const Rational& x) {
  if (x <= 0) throw InputError(fmt::format("the square root of {} is not used here", to_string(x)));
  // sqrt(u/v) = sqrt(u v)/v, and u v = k^2 m.
  const Integer v = critscale::denominator(x);
  Integer rest = critscale::numerator(x) * v, k = 1, m = 1;
  small_factors(rest, [&](const Integer& p, unsigned long e) {
    k *= boost::multiprecision::pow(p, static_cast<unsigned>(e / 2));
    if (e % 2 == 1) m *= p;
  });
  if (mpz_perfect_square_p(rest.backend().data()) != 0)
    k *= boost::multiprecision::sqrt(rest);
  else
    m *= rest;
  const Coefficient outside = constant(Rational(k, v));
  if (m == 1) return outside;
  if (root_ && root_->second != m) throw Error("a table of symbols has one square root");
  const Coefficient root = symbol({fmt::format("sqrt({})", m.str()), fmt::format("\\sqrt{{{}}}", m.str()),
                                   [m](Bits bits) { return sqrt(Ball(m, bits)); }});
  if (!root_) {
    const Polynomial& p = root.numerator();
    for (std::size_t i = 0; i < table_.size(); ++i)
      if (p.contains(i)) root_ = {i, m};
  }
  return outside * root;
}

Coefficient Symbols::with_logarithm(const Symbol& symbol, const Coefficient& logarithm) {
  const Coefficient r = this->symbol(symbol);
  for (std::size_t i = 0; i < table_.size(); ++i)
    if (r.numerator().contains(i)) logarithms_.try_emplace(i, logarithm.numerator(), logarithm.denominator());
  return r;
}

Coefficient Symbols::number(const PowerProduct& x) {
  if (is_short_rational(x, largest_number_bits)) return constant(x.to_rational());
  Coefficient log = constant(0);
  for (const auto& [base, exponent] : x.factors()) log = log + constant(exponent) * logarithm(base);
  return with_logarithm({x.to_string(), x.to_string(), [x](Bits bits) { return critscale::value(x, bits); }},
                        log);
}

Coefficient Symbols::exponential(const Coefficient& x) {
  if (x.is_zero()) return constant(1);
  const auto value = [this, numerator = x.numerator(), denominator = x.denominator()](Bits bits) {
    return exp(Coefficient(shared_from_this(), numerator, denominator).value(bits));
  };
  return with_logarithm({fmt::format("exp({})", x.text()), fmt::format("e^{{{}}}", x.latex()), value}, x);
}

Coefficient Symbols::logarithm(const Integer& x) {
  Coefficient sum = constant(0);
  const auto add = [&](const Integer& base, const Rational& times) {
    sum =
        sum + constant(times) * symbol({fmt::format("ln({})", base.str()), fmt::format("\\ln {}", base.str()),
                                        [base](Bits bits) { return log(Ball(base, bits)); }});
  };
  Integer rest = x;
  small_factors(rest, [&](const Integer& p, unsigned long e) { add(p, Rational(e)); });
  if (rest > 1) {
    const PowerProduct product(rest);
    for (const auto& [base, exponent] : product.factors()) add(base, exponent);
  }
  return sum;
}

Coefficient Symbols::logarithm(Polynomial x) {
  if (x.is_constant()) return logarithm(Integer(abs(x.constant())));
  // x = content * monomial * rest.
  Integer content = 0;
  std::vector<ulong> common = x.exponents(0);
  for (std::size_t t = 0; t < x.size(); ++t) {
    content = gcd(content, x.coefficient(t));
    const auto e = x.exponents(t);
    for (std::size_t i = 0; i < e.size(); ++i) common[i] = std::min(common[i], e[i]);
  }
  Coefficient sum = logarithm(content);
  Polynomial rest(ring_);
  for (std::size_t t = 0; t < x.size(); ++t) {
    auto e = x.exponents(t);
    for (std::size_t i = 0; i < e.size(); ++i) e[i] -= common[i];
    rest.push(x.coefficient(t) / content, e);
  }
  rest.finish();
  const auto symbol_logarithm = [&](std::size_t i) {
    const auto known = logarithms_.find(i);
    if (known != logarithms_.end())
      return Coefficient(shared_from_this(), known->second.first, known->second.second);
    const auto value = table_[i].value;
    return symbol({fmt::format("ln({})", table_[i].text), fmt::format("\\ln {}", table_[i].latex),
                   [value](Bits bits) { return log(value(bits)); }});
  };
  for (std::size_t i = 0; i < common.size(); ++i)
    if (common[i] != 0) sum = sum + constant(Rational(common[i])) * symbol_logarithm(i);
  if (rest.is_constant()) return sum;
  if (certainly(make(rest).value(256).is_negative())) rest = -rest;
  const Coefficient inside = make(rest);
  return sum + symbol({fmt::format("ln({})", inside.text()),
                       fmt::format("\\ln\\left({}\\right)", inside.latex()), [this, rest](Bits bits) {
                         return log(Coefficient(shared_from_this(), rest, Polynomial(ring_, 1)).value(bits));
                       }});
}

void Symbols::name_exponent(const Rational& exponent, const Coefficient& formula) {
  if (exponent != 0) exponents_.try_emplace(exponent, formula.numerator(), formula.denominator());
}

Coefficient Symbols::exponent(const Rational& exponent) {
  const auto known = exponents_.find(exponent);
  if (known == exponents_.end()) return constant(exponent);
  return Coefficient(shared_from_this(), known->second.first, known->second.second);
}

Coefficient Symbols::logarithm(const Coefficient& x) {
  const auto sign = decide(64, 4096, [&](Bits bits) { return known_sign(x.value(bits)); });
  if (sign != 1) throw LimitError(fmt::format("{} is not found positive with 4096 bits", x.text()));
  return logarithm(x.numerator()) - logarithm(x.denominator());
}

}  // namespace critscale
