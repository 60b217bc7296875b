// The smallest and the largest of many enclosed numbers. Uses Ball and FLINT.
#pragma once

#include <cmath>

#include "critscale/number/ball.hpp"
#include "critscale/number/flint.hpp"

namespace critscale {

/// min(a, x_1, ...) and max(b, x_1, ...) for a number a above and b below all of them. Doubles pass over what
/// cannot move an end of either enclosure.
class BallExtremes {
 public:
  BallExtremes(Ball above, Ball below) : min_(std::move(above)), max_(std::move(below)) { bound(); }

  void look(const Ball& x) {
    const double v = arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR);
    const double e = (mag_get_d(arb_radref(x.raw())) + std::fabs(v) * 0x1p-50) * (1 + 0x1p-50) + 0x1p-1000;
    // False also where a double has overflowed.
    if (v - e > min_above_ && v + e < max_below_) return;
    min_ = min(std::move(min_), x);
    max_ = max(std::move(max_), x);
    bound();
  }
  void look(const BallExtremes& other) {
    min_ = min(std::move(min_), other.min_);
    max_ = max(std::move(max_), other.max_);
    bound();
  }

  const Ball& min_value() const { return min_; }
  const Ball& max_value() const { return max_; }

 private:
  void bound() {
    min_above_ = arf_get_d(min_.upper().raw(), ARF_RND_CEIL);
    max_below_ = arf_get_d(max_.lower().raw(), ARF_RND_FLOOR);
  }

  Ball min_, max_;
  double min_above_ = 0, max_below_ = 0;
};

}  // namespace critscale
