// Numbers, expressions and names in the syntax of Coq. Uses number/ and text/.
#pragma once

#include <string>
#include <string_view>

#include "critscale/number/ball.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::coq {

/// A fraction as a term of type R: `3`, `(1 / 10)`, `(- 1 / 2)`.
std::string term(const Rational& value);
/// Both ends of an enclosure. Where one is a number times a power of ten beyond 10^1000, both are, with the
/// same power, and `power` says so.
struct DecimalRange {
  std::string lo, hi;
  bool power = false;
};
DecimalRange decimal_range(std::string_view lo, std::string_view hi);
/// A certificate's expression in Coq's names: `n` and `d` are `INR n` and `INR d`, `log` is `ln`. Throws
/// InputError for what has no counterpart.
std::string expression(std::string_view text);
/// `theorem-2.1-x` as a name: `theorem_2_1_x`.
std::string identifier(std::string_view id);
/// A fraction with a power of ten below that is at least (above) or at most (below) the number, within about
/// 1/10000 of it.
Rational above(const Ball& value);
Rational below(const Ball& value);
/// An end of a claim's range. Throws InputError where the range of `name` has no upper end.
Rational bounded_end(const std::string& end, const std::string& name);
/// Text that cannot end a comment of Coq.
std::string comment(std::string_view text);

}  // namespace critscale::coq
