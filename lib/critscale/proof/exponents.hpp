// Exponents of n as linear forms in the coordinates of a proof, and the rates k that claims name.
// Uses open_box.hpp, rates.hpp, bisection.hpp and difference.hpp.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "critscale/number/open_box.hpp"
#include "critscale/proof/bisection.hpp"
#include "critscale/proof/difference.hpp"
#include "critscale/proof/rates.hpp"

namespace critscale {

/// A rate k: the smallest of some linear forms.
using Rate = std::vector<LinearForm>;

/// What vanishes in a proof: n^-e (ln n)^j as a Difference on the scale n^k (ln n)^-p.
class Vanishing {
 public:
  /// `nonnegative` are forms known to be >= 0 at every point of the claim, though not on every box.
  /// Coordinates that are set in `unbounded` have no upper end on this leaf.
  Vanishing(const Rate& k, long p, const Box& leaf, const LogRange& tau, const Rate& nonnegative,
            std::vector<bool> unbounded = {})
      : k_(k), p_(p), leaf_(leaf), tau_(tau), nonnegative_(nonnegative), unbounded_(std::move(unbounded)) {}
  Difference<Ball> operator()(const LinearForm& e, long j = 0) const;

 private:
  /// The range of e - form.
  Ends less(const LinearForm& e, const LinearForm& form) const {
    return range_of_difference(e, form, leaf_, unbounded_, nonnegative_);
  }
  Ball power(const Ends& e, long j) const;

  const Rate& k_;
  long p_;
  const Box& leaf_;
  const LogRange& tau_;
  const Rate& nonnegative_;
  std::vector<bool> unbounded_;
};

}  // namespace critscale
