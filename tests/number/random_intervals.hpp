// What the laws of Interval are tested on: every operation in both arithmetics, and random sets.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/number/interval.hpp"

namespace critscale::test {

/// An operation of one or two operands (the second is ignored then) in both arithmetics.
struct Operation {
  const char* name;
  Interval (*interval)(const Interval&, const Interval&);
  Ball (*ball)(const Ball&, const Ball&);
};

template <class F>
Operation operation(const char* name, F f) {
  return {name, f, f};
}

inline const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      operation("x + y", [](const auto& x, const auto& y) { return x + y; }),
      operation("x - y", [](const auto& x, const auto& y) { return x - y; }),
      operation("x * y", [](const auto& x, const auto& y) { return x * y; }),
      operation("x / y", [](const auto& x, const auto& y) { return x / y; }),
      operation("x + 3", [](const auto& x, const auto&) { return x + 3; }),
      operation("3 - x", [](const auto& x, const auto&) { return 3 - x; }),
      operation("x - 2^63", [](const auto& x, const auto&) { return x - (1UL << 63); }),
      operation("x * -7", [](const auto& x, const auto&) { return x * -7; }),
      operation("x / -2^63", [](const auto& x, const auto&) { return x / (-9223372036854775807L - 1); }),
      operation("1 / x", [](const auto& x, const auto&) { return 1 / x; }),
      operation("-x", [](const auto& x, const auto&) { return -x; }),
      operation("min(x, y)", [](const auto& x, const auto& y) { return min(x, y); }),
      operation("max(x, y)", [](const auto& x, const auto& y) { return max(x, y); }),
      operation("abs(x)", [](const auto& x, const auto&) { return abs(x); }),
      operation("sqr(x)", [](const auto& x, const auto&) { return sqr(x); }),
      operation("sqrt(x)", [](const auto& x, const auto&) { return sqrt(x); }),
      operation("exp(x)", [](const auto& x, const auto&) { return exp(x); }),
      operation("expm1(x)", [](const auto& x, const auto&) { return expm1(x); }),
      operation("log(x)", [](const auto& x, const auto&) { return log(x); }),
      operation("log1p(x)", [](const auto& x, const auto&) { return log1p(x); }),
      operation("x^2", [](const auto& x, const auto&) { return pow(x, Integer(2)); }),
      operation("x^3", [](const auto& x, const auto&) { return pow(x, Integer(3)); }),
      operation("x^-1", [](const auto& x, const auto&) { return pow(x, Integer(-1)); }),
      operation("x^-6", [](const auto& x, const auto&) { return pow(x, Integer(-6)); }),
      operation("x^(10^15+1)",
                [](const auto& x, const auto&) { return pow(x, Integer("1000000000000001")); }),
      operation("x^-(10^20)",
                [](const auto& x, const auto&) { return pow(x, Integer("-100000000000000000000")); }),
      operation("x 2^9", [](const auto& x, const auto&) { return scaled(x, Integer(9)); }),
      operation("x 2^-(2^62)", [](const auto& x, const auto&) { return scaled(x, -(Integer(1) << 62)); }),
      operation("x 2^(2^70)", [](const auto& x, const auto&) { return scaled(x, Integer(1) << 70); }),
  };
  return all;
}

/// Random numbers and sets. Half of all numbers come from corners: 0, small integers, neighbours
/// of 1 and -1, and exponents at the end of what MPFR has.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  long below(long n) { return std::uniform_int_distribution<long>(0, n - 1)(engine_); }

  /// A number of at most 53 bits.
  Dyadic number() {
    const Integer mantissa = below(2) ? Integer(1 + below(4)) : Integer(below(1L << 53) | 1);
    const Dyadic sign = Dyadic(Integer(below(2) ? 1 : -1));
    const Dyadic m = sign.sign() < 0 ? -Dyadic(mantissa) : Dyadic(mantissa);
    switch (below(8)) {
      case 0:
        return below(2) ? Dyadic() : m;
      case 1:
        return near_one(sign.sign());
      case 2:
        return m.scaled(Integer(below(2) ? 1 : -1) * ((Integer(1) << 62) - 60 - below(200)));
      case 3:
        return m.scaled(Integer(below(2) ? 1 : -1) * (Integer(1) << static_cast<unsigned>(below(62))));
      default:
        return m.scaled(Integer(below(120) - 80));
    }
  }

  /// A set with ends of at most 53 bits: a point, a thin, a wide or an unbounded one.
  Interval set(Bits bits) {
    const Dyadic a = number(), b = number();
    const Dyadic lo = std::min(a, b, less_than), hi = std::max(a, b, less_than);
    switch (below(8)) {
      case 0:
        return Interval(a, Dyadic::infinity(), bits);
      case 1:
        return Interval(-Dyadic::infinity(), a, bits);
      case 2:
        return below(4) ? Interval(Dyadic(), hi < Dyadic() ? -hi : hi, bits) : Interval::whole_line(bits);
      case 3:
      case 4:
        return Interval(a, a, bits);
      case 5: {
        Dyadic above;
        arf_mul_ui(above.raw(), a.raw(), 1025, 53, ARF_RND_UP);
        return Interval(std::min(a, above, less_than), std::max(a, above, less_than), bits);
      }
      default:
        return Interval(lo, hi, bits);
    }
  }

  /// A number of a set that is not empty: often an end.
  Dyadic member(const Interval& x) {
    const Dyadic lo = x.lower(), hi = x.upper();
    const long choice = below(4);
    if (choice == 0 && lo.is_finite()) return lo;
    if (choice == 1 && hi.is_finite()) return hi;
    const Dyadic other = number();
    return choice == 2 && x.contains(other) ? other : x.midpoint();
  }

  /// A set within x, which is not empty.
  Interval subset(const Interval& x) {
    const Dyadic a = member(x), b = member(x);
    Dyadic lo = std::min(a, b, less_than), hi = std::max(a, b, less_than);
    if (below(4) == 0) lo = x.lower();
    if (below(4) == 0) hi = x.upper();
    return Interval(lo, hi, x.precision());
  }

 private:
  static bool less_than(const Dyadic& a, const Dyadic& b) { return a < b; }
  Dyadic near_one(int sign) {
    Dyadic one = Dyadic::exactly(1), r;
    const Dyadic step = one.scaled(-(1 + below(52)));
    arf_add(r.raw(), one.raw(), below(2) ? step.raw() : (-step).raw(), ARF_PREC_EXACT, ARF_RND_DOWN);
    return sign < 0 ? -r : r;
  }

  std::mt19937_64 engine_;
};

}  // namespace critscale::test
