// A line of the phase diagram as a curve b(x) in x = ln n, for keys that stay the same as n grows.
// [critical-b] Uses phases.hpp and row.hpp.
#pragma once

#include <functional>
#include <memory>

#include "critscale/random/row.hpp"

namespace critscale::random {

/// A point of a critical line. b and x rise together with the parameter u > 0; so does the growth
/// x b'(x)/b(x), or it is constant.
struct LinePoint {
  Ball x, b;
  Ball slope;  ///< b'(x)
  Ball growth() const { return x * slope / b; }
};

/// Where a row changes over, as b = beta (1 - rho) against x = ln n.
class CriticalLine {
 public:
  virtual ~CriticalLine() = default;
  /// For a wide u, enclosures over all of it.
  virtual LinePoint at(const Ball& u) const = 0;
  /// The exponent e where b = C x^e, with C; nothing where the growth rises to infinity.
  virtual std::optional<Rational> power() const { return std::nullopt; }
  virtual Ball coefficient(Bits bits) const;
  /// C^2 where it is rational, so that ties can be decided.
  virtual std::optional<Rational> squared_coefficient() const { return std::nullopt; }
  /// g_self or g_cond: which line it is.
  virtual const char* name() const = 0;
  /// The parameter of an x, to about `bits` bits.
  Ball parameter(const Ball& x, Bits bits) const;
  /// The x at which the line is at b > 0, to about `bits` bits.
  Ball place(const Ball& b, Bits bits) const;

 private:
  /// The u with y(u) = goal, y one of the coordinates, which rise.
  Ball solve(Ball LinePoint::*y, const Ball& goal, Bits bits) const;
};

/// The self line where an aligned key can take over, else the condensation line. m = kappa ln n gives b = g
/// x, Gaussian keys of fixed variance b = sqrt(2 m x), a sphere of fixed dimension m the curves of
/// [critical-b].
std::unique_ptr<CriticalLine> critical_line(const Keys& keys);

}  // namespace critscale::random
