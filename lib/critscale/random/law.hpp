// What the integrals over t need to know of one key's weight w = exp(b (v - 1)): its Laplace transform near
// 1, kept as 1 - phi with relative accuracy, and moments. Uses functions.hpp and number/.
//
// Two forms: by the moments of w (keys on a sphere, t not large) and by the trapezoidal rule with a proved
// error (both kinds of keys, any t). [laplace]
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "critscale/number/ball.hpp"

namespace critscale::random {

/// How the inner products v of keys with the query are distributed.
enum class KeyLaw {
  sphere,   ///< a coordinate of a uniform point of the unit sphere in R^m
  gaussian  ///< N(0, 1/m)
};

/// The distribution of one key's weight w = exp(b (v - 1)), at the precision of its numbers.
struct WeightLaw {
  KeyLaw law = KeyLaw::sphere;
  Ball m, b;

  Bits bits() const { return b.precision(); }
  /// E w^power. [sphere-moments]
  Ball moment(const Ball& power) const;
};

/// The same distribution at any precision.
using LawAt = std::function<WeightLaw(Bits)>;

/// psi(t) = 1 - E exp(-t w) and chi(t) = E (t w)^2 exp(-t w), for t > 0. One thread at a time.
class Laplace {
 public:
  virtual ~Laplace() = default;
  /// The precision that t must have; what its own radius costs is multiplied in between.
  virtual Bits argument_bits() const = 0;
  /// ln of the largest t that it is made for.
  virtual double log_reach() const { return 1e300; }
  virtual Ball psi(const Ball& t) const = 0;
  virtual Ball chi(const Ball& t) const = 0;
  /// Both, which may cost less than one after the other.
  virtual std::pair<Ball, Ball> psi_and_chi(const Ball& t) const { return {psi(t), chi(t)}; }
};

/// By moments: psi(t) = sum_(k>=1) (-1)^(k+1) t^k M_k/k!, whose remainder is at most its next term. Needs
/// about 1.5 t bits beyond those of the result; made for t <= `largest_t`. `bits` is the relative accuracy
/// aimed at.
std::unique_ptr<Laplace> laplace_by_moments(const LawAt& law, Bits bits, double largest_t);

/// The options of the trapezoidal rule that change its subdivision, not its meaning.
struct NodeOptions {
  double shift = 0;    ///< moves every node by this part of the distance between two
  double density = 1;  ///< nodes a unit, times what the accuracy needs
  /// ln of a number of keys: keys psi and keys^2 chi are asked for with an absolute accuracy instead of psi
  /// and chi with a relative one, so that nodes beyond the best of so many keys are left out.
  double log_keys = std::numeric_limits<double>::infinity();
};

/// By the trapezoidal rule in v = tanh(sinh x) (sphere) or v = x/sqrt m (Gaussian), for any t. Throws
/// LimitError where more than `most_nodes` nodes would be needed: b is too large for this accuracy.
std::unique_ptr<Laplace> laplace_by_nodes(const LawAt& law, Bits bits, NodeOptions options = {});
inline constexpr double most_nodes = 1e6;

}  // namespace critscale::random
