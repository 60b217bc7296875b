// Reading exact numbers and exact parameters from text. Nothing here rounds: `0.1` is 1/10 and
// `10^(10^15)` is that integer. Uses exact.hpp, power_product.hpp and errors.hpp.
//
// For every function: the whole text must match the grammar; spaces are refused, also around the
// number, except where a function says otherwise. Whatever does not match throws InputError with
// one line that quotes what was found and says what is allowed. A literal has at most a million
// digits, and so have the numerator and the denominator of every TERM read as a fraction.
//
//   INT      one or more decimal digits; leading zeros mean nothing
//   DECIMAL  INT, INT.INT or .INT, each optionally followed by e, e+ or e- and INT
//   TERM     DECIMAL, INT^INT or INT^-INT
//   RATIONAL [-]TERM or [-]TERM/TERM; the sign is applied last, so -2^2 is -4
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/number/exact.hpp"
#include "critscale/number/power_product.hpp"
#include "critscale/number/rational_box.hpp"

namespace critscale {

/// RATIONAL: `3`, `-3`, `0.1`, `.5`, `1/3`, `2.5e-3`, `10^100`, `10^-3`, `-7/12`.
Rational parse_rational(std::string_view text);

/// A product of up to 100 positive factors `TERM` or `TERM/TERM` joined by `*`, where the exponent
/// of a power may also be `(RATIONAL)`: `10^(10^15)`, `1/2*10^24`, `2^(1/2)`. Reads what
/// PowerProduct::to_string writes.
PowerProduct parse_power_product(std::string_view text);

/// A context length n: `INT`, `INT^INT` or `INT^(INT^INT)`, at least 2.
PowerProduct parse_context_length(std::string_view text);

/// A size or dimension coefficient * n^exponent with exponent >= 0; a constant, exponent 0, is an
/// integer >= 1.
struct Size {
  PowerProduct coefficient;
  Rational exponent;
  friend bool operator==(const Size&, const Size&) = default;
};
/// `[c*]n`, `[c*]n^k`, `[c*]n^(p/q)` with c as parse_power_product reads it, or a constant:
/// `n`, `3*n`, `n^(1/2)`, `1/2*n`, `10^12`, `2*n^(3/4)`.
Size parse_size(std::string_view text);
/// Text that parse_size reads back.
std::string to_string(const Size& size);
/// The size at a given n.
PowerProduct resolve(const Size& size, const PowerProduct& n);

/// gamma, either a number or a multiple of the first threshold.
struct GammaSpec {
  /// Whether `factor` multiplies the first threshold; otherwise `factor` is gamma.
  bool critical = false;
  /// At least 0.
  Rational factor;
  friend bool operator==(const GammaSpec&, const GammaSpec&) = default;
};
/// RATIONAL >= 0, `critical`, or `critical*RATIONAL`.
GammaSpec parse_gamma(std::string_view text);
/// Text that parse_gamma reads back.
std::string to_string(const GammaSpec& gamma);

/// beta = coefficient (ln n)^power + offset. A constant has coefficient 0 and power 0. The
/// coefficient and the power are at least 0; the offset may be negative unless beta is constant,
/// so whether beta >= 0 holds is known only at a given n.
struct BetaSpec {
  Rational coefficient;
  Rational power;
  Rational offset;
  friend bool operator==(const BetaSpec&, const BetaSpec&) = default;
};
/// `[c*](log n)^k [+ b]`, `[c*]log n [+ b]`, `- b` for `+ -b`, or RATIONAL >= 0; c and b are
/// RATIONAL, k is DECIMAL or `(RATIONAL)`. Spaces are allowed around `*`, `+`, `-` and `n`.
BetaSpec parse_beta(std::string_view text);
/// Text that parse_beta reads back.
std::string to_string(const BetaSpec& beta);

/// RATIONAL, or `[RATIONAL,RATIONAL]` with lo <= hi; spaces are allowed after the comma.
RationalBox parse_box(std::string_view text);
/// "1/3" or "[3/10,2/5]", which parse_box reads back.
std::string to_string(const RationalBox& box);

/// A name and, where one follows in brackets, a number: "inner_products[1]".
struct Subscripted {
  std::string name;
  std::optional<std::size_t> index;
};
/// NAME or NAME[INT], with at most six digits; throws InputError.
Subscripted parse_subscripted(std::string_view text);

/// The largest number of points of a range.
inline constexpr long max_range_steps = 10000000;
/// `steps` equally spaced fractions from `from` to `to`, both included; from > to descends.
/// Throws InputError unless from != to, 2 <= steps <= max_range_steps, and the values together
/// fit in about a gigabyte.
std::vector<Rational> spaced(const Rational& from, const Rational& to, const Integer& steps);
/// `from:to:steps`: RATIONAL:RATIONAL:INT.
std::vector<Rational> parse_range(std::string_view text);
/// The values of one flag: RATIONAL, or a range.
std::vector<Rational> parse_values(std::string_view text);

}  // namespace critscale
