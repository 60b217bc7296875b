// Scanner: a cursor over text for the parsers of this folder, and the terms that they share. Uses
// exact.hpp and quote.hpp; not for users of the library.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "critscale/number/exact.hpp"
#include "critscale/number/quote.hpp"

namespace critscale::detail {

/// "2" or "(1/2)": an exponent as it stands after ^.
std::string exponent_text(const Rational& e);

/// Reads text from left to right. What does not match is left where it is: a reader that returns
/// false or nothing has consumed an unspecified part, and its caller rejects the whole text.
/// Readers throw InputError, naming the whole text, for well-formed numbers that do not exist or
/// are too large.
class Scanner {
 public:
  explicit Scanner(std::string_view text);

  bool done() const { return rest_.empty(); }
  bool at(std::string_view word) const { return rest_.starts_with(word); }
  bool accept(std::string_view word);
  void skip_spaces();

  /// INT.
  std::optional<Integer> integer();
  /// INT or -INT.
  std::optional<Integer> signed_integer();
  /// DECIMAL.
  std::optional<Rational> decimal() { return decimal(digits()); }
  /// DECIMAL, INT^INT or INT^-INT.
  std::optional<Rational> term();
  /// TERM or TERM/TERM, without a sign.
  std::optional<Rational> quotient();
  /// RATIONAL.
  std::optional<Rational> rational();

  /// base^exponent.
  Rational power(const Integer& base, const Integer& exponent) const;

  /// The whole text, quoted.
  std::string text() const { return in_quotes(whole_); }

 private:
  std::string_view digits();
  /// DECIMAL whose leading digits have been read.
  std::optional<Rational> decimal(std::string_view integer_part);
  Integer to_integer(std::string_view digits) const;
  [[noreturn]] void throw_too_large() const;

  std::string_view whole_, rest_;
};

}  // namespace critscale::detail
