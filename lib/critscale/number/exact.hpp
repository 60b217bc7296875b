// Exact integers and rationals, and the precision type. Uses Boost.Multiprecision over GMP.
#pragma once

#include <boost/multiprecision/gmp.hpp>
#include <concepts>
#include <string>

namespace critscale {

/// Integers of any size.
using Integer = boost::multiprecision::number<boost::multiprecision::gmp_int, boost::multiprecision::et_off>;
/// Fractions in lowest terms. A Rational built from text comes from parse_rational: Boost's own
/// reader does not know decimals.
using Rational =
    boost::multiprecision::number<boost::multiprecision::gmp_rational, boost::multiprecision::et_off>;

/// A working precision in bits.
using Bits = long;

/// Built-in integers that mix with certified numbers exactly; bool and characters do not.
template <class T>
concept SmallInteger =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t> && sizeof(T) <= 8;

inline Integer numerator(const Rational& x) { return boost::multiprecision::numerator(x); }
inline Integer denominator(const Rational& x) { return boost::multiprecision::denominator(x); }
inline bool is_integer(const Rational& x) { return denominator(x) == 1; }

/// Canonical text of an exact number: "p/q", or "p" for an integer.
inline std::string to_string(const Rational& x) { return x.str(); }
inline std::string to_string(const Integer& x) { return x.str(); }

}  // namespace critscale
