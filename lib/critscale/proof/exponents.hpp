// Exponents of n as linear forms in the coordinates of a proof, and the rates k that claims name.
// Uses rates.hpp, bisection.hpp and difference.hpp.
#pragma once

#include <string>
#include <vector>

#include "critscale/proof/bisection.hpp"
#include "critscale/proof/difference.hpp"
#include "critscale/proof/rates.hpp"

namespace critscale {

/// constant + sum of coefficient times coordinate.
struct LinearForm {
  Rational constant;
  std::vector<std::pair<std::size_t, Rational>> terms;

  friend LinearForm operator-(const LinearForm& a, const LinearForm& b);
  bool is_zero() const;
  /// The exact range over a box.
  RationalBox over(const Box& box) const;
};

/// A rate k: the smallest of some linear forms.
using Rate = std::vector<LinearForm>;

/// What vanishes in a proof: n^-e (ln n)^j as a Difference on the scale n^k (ln n)^-p.
class Vanishing {
 public:
  /// `nonnegative` are forms known to be >= 0 at every point of the claim, though not on every box.
  Vanishing(const Rate& k, long p, const Box& leaf, const LogRange& tau, const Rate& nonnegative)
      : k_(k), p_(p), leaf_(leaf), tau_(tau), nonnegative_(nonnegative) {}
  Difference<Ball> operator()(const LinearForm& e, long j = 0) const;

 private:
  const Rate& k_;
  long p_;
  const Box& leaf_;
  const LogRange& tau_;
  const Rate& nonnegative_;
  /// The range of a form on the leaf, cut at 0 where it is known not to be negative.
  RationalBox range(const LinearForm& form) const;
};

}  // namespace critscale
