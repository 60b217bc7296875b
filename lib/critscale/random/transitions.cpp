#include "critscale/random/transitions.hpp"

#include <cmath>

#include "critscale/random/detail/functions.hpp"
#include "critscale/text/certify.hpp"

namespace critscale::random {

namespace {

/// How far the answer is from the wanted side at b, as a decreasing or increasing function near its root.
using Side = std::function<Ball(const Ball& b, Bits)>;

/// The root of an increasing function of b > 0 to `digits` digits, by secants at rising precision; the
/// bracket at the end is proved by signs.
Ball root(const Side& f, double start, long digits) {
  const Bits full = bits_for_digits(digits) + 8;
  const auto at = [&](const Ball& b, Bits bits) { return rough(f(b, bits)); };
  // A bracket, then a rough root, in double.
  double lo = start, hi = start;
  const auto value_at = [&](double b) { return at(Ball::exactly(b, 64), 48); };
  for (int i = 0; value_at(lo) > 0; lo /= 2)
    if (++i > 100) throw LimitError("no transition was found");
  for (int i = 0; value_at(hi) < 0; hi *= 2)
    if (++i > 100) throw LimitError("no transition was found");
  double f_lo = value_at(lo), f_hi = value_at(hi);
  int side = 0;
  for (int i = 0; i < 60 && hi - lo > 1e-9 * lo; ++i) {
    double b = lo + (hi - lo) * (-f_lo) / (f_hi - f_lo);
    if (!(b > lo && b < hi)) b = lo + (hi - lo) / 2;
    const double y = value_at(b);
    if (y == 0) {
      lo = b * (1 - 1e-10);
      hi = b * (1 + 1e-10);
      break;
    }
    // The Illinois rule keeps both ends moving.
    if (y < 0) {
      lo = b;
      f_lo = y;
      if (side < 0) f_hi /= 2;
      side = -1;
    } else {
      hi = b;
      f_hi = y;
      if (side > 0) f_lo /= 2;
      side = 1;
    }
  }
  // Secants with the slope found last; each gives the digits of the slope anew.
  Ball x = Ball::exactly(lo + (hi - lo) / 2, full + 64);
  const Ball step = x * Ball::exactly(1e-6, 64);
  const Ball slope = ((f(x + step, 96) - f(x - step, 96)) / (2 * step)).center();
  for (Bits known = 24; known < full + 16; known += 16) {
    const Bits bits = std::min(full + 24, 2 * known + 48);
    x = (x - f(x, std::max<Bits>(bits, 64)).center() / slope).center().at(full + 64);
  }
  for (Bits width = full;; width -= 8) {
    if (width < 8) throw LimitError("a transition could not be certified");
    const Ball d = scaled(abs(x), Integer(-width));
    const Ball a = (x - d).center(), b = (x + d).center();
    if (certainly(f(a, full + 24).is_negative()) && certainly(f(b, full + 24).is_positive())) {
      const Ball r = hull(a, b);
      if (!has_digits(r, digits))
        throw LimitError("a transition could not be certified to the digits asked for");
      return r;
    }
  }
}

void require_sphere(const Keys& keys, const PowerProduct& n) {
  Row row{keys, n, LogitScale{{1, 1}, 1, {0, 0}}};
  validate(row);
  if (keys.law != KeyLaw::sphere)
    throw InputError(
        "transition points are for keys on a sphere: Gaussian keys may outdo an aligned one at any beta");
  if (compare(n, PowerProduct(3)) == std::strong_ordering::less)
    throw InputError("transition points need n >= 3, found " + n.to_string());
}

double start_of(const PowerProduct& n) { return rough(log(n, 64)); }

}  // namespace

Ball self_transition(const Keys& keys, const PowerProduct& n, long digits) {
  require_sphere(keys, n);
  if (!keys.aligned) throw InputError("the transition E A_ii = 1/2 needs an aligned key");
  const Side f = [&](const Ball& b, Bits bits) {
    const auto same = [&](Bits) { return b; };
    return expectations_at(keys, n, same, {Expectation::self_weight}, bits)[0] - Ball(Rational(1, 2), bits);
  };
  const Ball b = root(f, start_of(n), digits + 2);
  return b / log(n, b.precision());
}

Ball annealed_transition(const Keys& keys, const PowerProduct& n, long digits) {
  require_sphere(keys, n);
  const Side f = [&](const Ball& b, Bits bits) {
    const auto same = [&](Bits) { return b; };
    return -expectations_at(keys, n, same, {Expectation::annealed_log_others}, bits + 16)[0];
  };
  const Ball b = root(f, start_of(n), digits + 2);
  return b / log(n, b.precision());
}

}  // namespace critscale::random
