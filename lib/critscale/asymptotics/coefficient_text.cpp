// Coefficients as text: factored fractions, plain and for LaTeX. Uses FLINT's factorisation.
#include <flint/fmpz_mpoly_factor.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "critscale/asymptotics/coefficient.hpp"

namespace critscale {

using detail::Polynomial;

namespace {

/// c times powers of polynomials whose lowest terms are positive.
struct Factored {
  Integer content = 1;
  std::vector<std::pair<Polynomial, ulong>> factors;
};

/// Polynomials of more terms than this are not factored.
constexpr std::size_t largest_factored = 400;

Factored factor(const Polynomial& x) {
  Factored r;
  const auto ring = x.ring();
  fmpz_mpoly_factor_t f;
  fmpz_mpoly_factor_init(f, ring);
  if (x.size() <= largest_factored && fmpz_mpoly_factor(f, x.raw(), ring) != 0) {
    detail::Fmpz c;
    fmpz_mpoly_factor_get_constant_fmpz(c.x, f, ring);
    r.content = c.integer();
    for (slong i = 0; i < fmpz_mpoly_factor_length(f, ring); ++i) {
      Polynomial base(ring);
      fmpz_mpoly_factor_get_base(base.raw(), f, i, ring);
      r.factors.emplace_back(std::move(base), static_cast<ulong>(fmpz_mpoly_factor_get_exp_si(f, i, ring)));
    }
  } else {
    r.factors.emplace_back(x, 1);
  }
  fmpz_mpoly_factor_clear(f, ring);
  for (auto& [base, exponent] : r.factors)
    if (base.coefficient(base.size() - 1) < 0) {
      base = -base;
      if (exponent % 2 == 1) r.content = -r.content;
    }
  return r;
}

/// How a product, a power and a fraction are written.
class Writer {
 public:
  Writer(const Symbols& symbols, bool latex) : symbols_(symbols), latex_(latex) {}

  std::string fraction(const Polynomial& numerator, const Polynomial& denominator) const {
    if (numerator.is_zero()) return "0";
    Factored up = factor(numerator), down = factor(denominator);
    if (down.content < 0) {
      up.content = -up.content;
      down.content = -down.content;
    }
    if (up.content < 0 && !denominator.is_one() && (turn_difference(up) || turn_difference(down)))
      up.content = -up.content;
    const std::string sign = up.content < 0 ? "-" : "";
    up.content = abs(up.content);
    if (denominator.is_one()) return sign + product(up, sign.empty());
    if (latex_) return fmt::format("{}\\frac{{{}}}{{{}}}", sign, product(up, true), product(down, true));
    const bool one_factor = down.factors.empty() || (down.content == 1 && down.factors.size() == 1);
    const std::string below = product(down, false);
    return fmt::format("{}{}/{}", sign, product(up, false), one_factor ? below : "(" + below + ")");
  }

 private:
  /// Changes the sign of a factor with terms of both signs, if there is one with an odd exponent.
  static bool turn_difference(Factored& f) {
    for (auto& [base, exponent] : f.factors) {
      bool has_negative = false;
      for (std::size_t t = 0; t < base.size(); ++t) has_negative |= base.coefficient(t) < 0;
      if (!has_negative || exponent % 2 == 0) continue;
      base = -base;
      return true;
    }
    return false;
  }
  /// `alone`: a single sum needs no parentheses.
  std::string product(const Factored& f, bool alone) const {
    std::string r = f.content == 1 && !f.factors.empty() ? "" : f.content.str();
    // Single symbols first.
    for (const bool sums : {false, true})
      for (const auto& [base, exponent] : f.factors) {
        if ((base.size() > 1) != sums) continue;
        std::string part;
        if (!sums && exponent > 1) {
          auto e = base.exponents(0);
          for (ulong& k : e) k *= exponent;
          part = monomial(1, e);
        } else {
          part = sum(base);
          const bool bare = alone && exponent == 1 && f.content == 1 && f.factors.size() == 1;
          if (sums && !bare) part = latex_ ? "\\left(" + part + "\\right)" : "(" + part + ")";
          if (exponent > 1) part += power(exponent);
        }
        join(r, part);
      }
    return r;
  }
  void join(std::string& r, const std::string& part) const {
    if (!r.empty()) r += latex_ ? " " : "*";
    r += part;
  }
  std::string power(ulong k) const { return latex_ ? fmt::format("^{{{}}}", k) : fmt::format("^{}", k); }

  static ulong degree(const Polynomial& x, std::size_t term) {
    const auto e = x.exponents(term);
    return std::accumulate(e.begin(), e.end(), ulong{0});
  }
  /// Terms by rising degree, a positive one first.
  std::string sum(const Polynomial& x) const {
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto s, auto t) { return degree(x, s) < degree(x, t); });
    const auto first = std::find_if(order.begin(), order.end(), [&](auto t) { return x.coefficient(t) > 0; });
    if (first != order.end()) std::rotate(order.begin(), first, first + 1);
    std::string r;
    for (const std::size_t t : order) {
      const Integer c = x.coefficient(t);
      r += c < 0 ? "-" : r.empty() ? "" : "+";
      r += monomial(abs(c), x.exponents(t));
    }
    return r;
  }
  std::string monomial(const Integer& c, const std::vector<ulong>& e) const {
    std::string r = c == 1 ? "" : c.str();
    for (std::size_t i = 0; i < e.size(); ++i) {
      if (e[i] == 0) continue;
      const auto& s = symbols_[i];
      const std::string& name = latex_ ? s.latex : s.text;
      const std::string& square = latex_ ? s.square_latex : s.square_text;
      if (square.empty()) {
        join(r, symbol_power(name, e[i]));
        continue;
      }
      if (e[i] >= 2) join(r, symbol_power(square, e[i] / 2));
      if (e[i] % 2 == 1) join(r, name);
    }
    return r.empty() ? "1" : r;
  }
  std::string symbol_power(const std::string& name, ulong k) const {
    if (k == 1) return name;
    // A function or power of its own, in LaTeX.
    const bool compound =
        latex_ && (name.find(' ') != std::string::npos || name.find('^') != std::string::npos);
    return (compound ? "\\left(" + name + "\\right)" : name) + power(k);
  }

  const Symbols& symbols_;
  bool latex_;
};

}  // namespace

std::string Coefficient::text() const { return Writer(*symbols_, false).fraction(numerator_, denominator_); }
std::string Coefficient::latex() const { return Writer(*symbols_, true).fraction(numerator_, denominator_); }
bool Coefficient::is_sum() const {
  if (!denominator_.is_one()) return false;
  const Factored f = factor(numerator_);
  return f.content == 1 && f.factors.size() == 1 && f.factors[0].first.size() > 1 && f.factors[0].second == 1;
}

}  // namespace critscale
