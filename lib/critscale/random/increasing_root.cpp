// Regula falsi with points on both sides of the root, certified by signs.
#include "critscale/random/increasing_root.hpp"

#include <algorithm>

#include "critscale/number/precision.hpp"

namespace critscale::random {

Ball increasing_root(const std::function<Ball(const Ball&)>& f, Ball lo, Ball hi, Bits bits) {
  const Bits working = bits + 32;
  lo = lo.center().at(working);
  hi = hi.center().at(working);
  // Regula falsi with a bisection whenever it has not halved the bracket, then steps from both sides.
  Ball f_lo = f(lo), f_hi = f(hi);
  if (known_sign(f_lo) != -1 || known_sign(f_hi) != 1)
    throw LimitError("a root is not bracketed at this precision");
  for (int step = 0; step < 64 + 4 * static_cast<int>(std::min<Bits>(bits, 4096)); ++step) {
    const Ball width = hi - lo;
    if (certainly(less(scaled(width, Integer(bits)), lo))) break;
    const auto move = [&](Ball x) {
      x = x.center();
      const Ball y = f(x);
      const auto side = known_sign(y);
      if (!side) return false;
      (*side > 0 ? hi : lo) = x;
      (*side > 0 ? f_hi : f_lo) = y;
      return true;
    };
    Ball near = (lo - width * f_lo / (f_hi - f_lo)).center();
    if (!near.is_finite() || !certainly(less(lo, near)) || !certainly(less(near, hi))) near = (lo + hi) / 2;
    move(near);
    // A second point just across the root closes the bracket from the other side.
    const Ball reach = scaled(hi - lo, Integer(-static_cast<long>(8 + 4 * step)));
    if (certainly(less(lo, near + reach)) && certainly(less(near + reach, hi))) move(near + reach);
    if (certainly(less(lo, near - reach)) && certainly(less(near - reach, hi))) move(near - reach);
    if (certainly(less(width, 2 * (hi - lo))) && !move((lo + hi) / 2)) break;
  }
  return hull(lo, hi).at(bits + 8);
}

}  // namespace critscale::random
