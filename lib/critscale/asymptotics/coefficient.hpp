// Coefficient: exact real constants and functions of parameters, as fractions of polynomials in
// symbols such as sqrt(2), ln(2), exp(-2/3), rho and ln n. Uses number/ and FLINT.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "critscale/asymptotics/polynomial.hpp"
#include "critscale/number/ball.hpp"
#include "critscale/number/power_product.hpp"

namespace critscale {

class Coefficient;

/// What coefficients are made of: a growing table of real constants with names. Symbol 0 is ln n.
/// Symbols count as algebraically independent, except a square root that was declared as one; a
/// question that this could decide wrongly is put to certified arithmetic as well (`is_certainly_nonzero`).
class Symbols : public std::enable_shared_from_this<Symbols> {
 public:
  struct Symbol {
    std::string text, latex;
    /// An enclosure at a working precision.
    std::function<Ball(Bits)> value;
    /// How the square is written, where that is not text^2.
    std::string square_text = {}, square_latex = {};
  };
  static std::shared_ptr<Symbols> create(std::size_t capacity);
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;
  ~Symbols();

  /// A fraction as a coefficient.
  Coefficient constant(const Rational& v);
  /// ln n.
  Coefficient log_n();
  /// A symbol, entered into the table unless one with this text is there. Throws LimitError when the
  /// table is full.
  Coefficient symbol(const Symbol& symbol);
  /// sqrt(x) for a fraction x > 0: a fraction, or a fraction times the root of an integer. A table
  /// has one such root; its square is reduced.
  Coefficient square_root(const Rational& x);
  /// A positive number of any size: a fraction, or a symbol whose logarithm is known.
  Coefficient number(const PowerProduct& x);
  /// exp(x), whose logarithm is known to be x; exactly 1 for x = 0.
  Coefficient exponential(const Coefficient& x);
  /// ln x for a certainly positive x free of ln n: known logarithms, logarithms of primes, and a
  /// symbol for what remains. Throws LimitError when the sign is not certain.
  Coefficient logarithm(const Coefficient& x);

  /// States the formula behind an exponent of n, for expansions whose coefficients are functions of
  /// parameters; the first statement about an exponent stands, and 0 is always 0.
  void name_exponent(const Rational& exponent, const Coefficient& formula);
  /// The formula stated for an exponent, or the number itself.
  Coefficient exponent(const Rational& exponent);

  const Symbol& operator[](std::size_t index) const { return table_[index]; }
  std::size_t size() const { return table_.size(); }
  std::size_t capacity() const { return capacity_; }
  detail::MonomialOrder ring() const { return ring_; }
  /// The symbol that is the root of an integer, and that integer.
  const std::optional<std::pair<std::size_t, Integer>>& root() const { return root_; }

 private:
  explicit Symbols(std::size_t capacity);
  Coefficient make(detail::Polynomial numerator);
  Coefficient logarithm(const Integer& x);
  Coefficient logarithm(detail::Polynomial x);
  Coefficient with_logarithm(const Symbol& symbol, const Coefficient& logarithm);

  std::size_t capacity_;
  fmpz_mpoly_ctx_t ring_;
  std::vector<Symbol> table_;
  std::optional<std::pair<std::size_t, Integer>> root_;
  /// Without a pointer back to the table, unlike Coefficient.
  using Fraction = std::pair<detail::Polynomial, detail::Polynomial>;
  /// Known logarithms of symbols.
  std::map<std::size_t, Fraction> logarithms_;
  std::map<Rational, Fraction> exponents_;
};

/// A fraction of two integer polynomials in lowest terms. Arithmetic is exact; operands belong to
/// one table.
class Coefficient {
 public:
  bool is_zero() const { return numerator_.is_zero(); }
  /// The number as a fraction, where no symbol takes part.
  std::optional<Rational> rational() const;
  bool contains(std::size_t symbol) const {
    return numerator_.contains(symbol) || denominator_.contains(symbol);
  }

  friend Coefficient operator+(const Coefficient& a, const Coefficient& b);
  friend Coefficient operator-(const Coefficient& a, const Coefficient& b);
  friend Coefficient operator*(const Coefficient& a, const Coefficient& b);
  /// Throws UndefinedError when b is zero.
  friend Coefficient operator/(const Coefficient& a, const Coefficient& b);
  Coefficient operator-() const;
  friend bool operator==(const Coefficient& a, const Coefficient& b) {
    return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_;
  }

  /// The coefficients of (ln n)^k by k ascending, zeros left out. Throws Error when ln n stands in
  /// the denominator.
  std::vector<std::pair<long, Coefficient>> by_power_of_log_n() const;

  /// An enclosure; the coefficient must be free of ln n unless its value is given.
  Ball value(Bits bits, const Ball* log_n = nullptr) const;
  /// Whether the value is proved not to be zero by enclosures of up to `max_bits` bits.
  bool is_certainly_nonzero(Bits max_bits = 4096) const;

  /// Plain text such as "4*rho/(1+3*rho)".
  std::string text() const;
  std::string latex() const;
  /// Whether the text is a sum, so that a factor beside it needs parentheses.
  bool is_sum() const;

  Symbols& symbols() const { return *symbols_; }
  const detail::Polynomial& numerator() const { return numerator_; }
  const detail::Polynomial& denominator() const { return denominator_; }

 private:
  friend class Symbols;
  Coefficient(std::shared_ptr<Symbols> symbols, detail::Polynomial numerator, detail::Polynomial denominator);
  void reduce();

  std::shared_ptr<Symbols> symbols_;
  detail::Polynomial numerator_, denominator_;
};

}  // namespace critscale
