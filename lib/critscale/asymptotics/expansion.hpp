// Expansion: functions of n as sums of c n^e (ln n)^k, exact or truncated, for the evaluators to run
// on. Uses coefficient.hpp.
//
// What is left out is never taken for zero: a truncated expansion knows the exponent from which on
// down its terms are unknown, and every operation carries that on. An operation that would have to
// know more throws TooFewTerms.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "critscale/asymptotics/coefficient.hpp"
#include "critscale/number/errors.hpp"

namespace critscale {

/// An expansion was truncated before the term that a question is about; more terms would help.
class TooFewTerms : public LimitError {
 public:
  using LimitError::LimitError;
};

/// sum_j P_j(ln n) n^(e_j) for large n, e_1 > e_2 > ..., plus o(n^(e_last)) of which nothing is known
/// when it is truncated. The number of exponents kept belongs to the value: a result has the larger
/// one of its operands.
class Expansion {
 public:
  struct Term {
    Rational exponent;
    /// A polynomial in ln n.
    Coefficient coefficient;
  };

  /// Exactly 0, without a table of symbols: the neutral start of a sum.
  Expansion() = default;
  /// coefficient * n^exponent, exactly.
  Expansion(Coefficient coefficient, const Rational& exponent, std::size_t max_terms);

  const std::vector<Term>& terms() const { return terms_; }
  bool is_exact() const { return !cutoff_; }
  /// Terms with this exponent and below are unknown; none for an exact expansion.
  const std::optional<Rational>& cutoff() const { return cutoff_; }
  bool is_exactly_zero() const { return terms_.empty() && is_exact(); }
  std::size_t max_terms() const { return max_terms_; }

  friend Expansion operator+(const Expansion& a, const Expansion& b);
  friend Expansion operator-(const Expansion& a, const Expansion& b) { return a + -b; }
  friend Expansion operator*(const Expansion& a, const Expansion& b);
  /// Throws UndefinedError when b is exactly 0, TooFewTerms when no term of b is known, LimitError when
  /// its leading coefficient is not certainly different from 0.
  friend Expansion operator/(const Expansion& a, const Expansion& b);
  Expansion operator-() const;
  Expansion& operator+=(const Expansion& o) { return *this = *this + o; }
  Expansion& operator-=(const Expansion& o) { return *this = *this - o; }

  template <SmallInteger I>
  friend Expansion operator+(const Expansion& a, I v) {
    return a.plus(Rational(v));
  }
  template <SmallInteger I>
  friend Expansion operator+(I v, const Expansion& a) {
    return a.plus(Rational(v));
  }
  template <SmallInteger I>
  friend Expansion operator-(const Expansion& a, I v) {
    return a.plus(Rational(-Rational(v)));
  }
  template <SmallInteger I>
  friend Expansion operator-(I v, const Expansion& a) {
    return (-a).plus(Rational(v));
  }
  template <SmallInteger I>
  friend Expansion operator*(I v, const Expansion& a) {
    return a.times(Rational(v));
  }
  template <SmallInteger I>
  friend Expansion operator*(const Expansion& a, I v) {
    return a.times(Rational(v));
  }
  template <SmallInteger I>
  friend Expansion operator/(I v, const Expansion& a) {
    return a.divide_into(Rational(v));
  }

  /// ln(1 + x) for a certainly positive 1 + x whose coefficients are free of ln n.
  friend Expansion log1p(const Expansion& x);

 private:
  Expansion plus(const Rational& v) const;
  Expansion times(const Rational& v) const;
  Expansion divide_into(const Rational& v) const;
  /// The largest exponent that is known or unknown; the expansion is not exactly zero.
  const Rational& leading_exponent() const { return terms_.empty() ? *cutoff_ : terms_.front().exponent; }
  void adopt(const Expansion& a, const Expansion& b);
  void truncate();

  std::shared_ptr<Symbols> symbols_;
  std::vector<Term> terms_;
  std::optional<Rational> cutoff_;
  std::size_t max_terms_ = 0;
};

Expansion log1p(const Expansion& x);

/// Both are expansions of one function: the one of which more is known.
inline const Expansion& either(const Expansion& a, const Expansion& b) {
  if (!a.cutoff()) return a;
  return !b.cutoff() || *b.cutoff() < *a.cutoff() ? b : a;
}

}  // namespace critscale
