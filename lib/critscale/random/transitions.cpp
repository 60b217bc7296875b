// Transition points: a rough root in binary64, secants, and a proof by signs. [random-transitions]
#include "critscale/random/transitions.hpp"

#include <cmath>
#include <utility>

#include "critscale/random/detail/functions.hpp"
#include "critscale/text/certify.hpp"

namespace critscale::random {

namespace {

/// How far the answer is from the wanted side at b, as a decreasing or increasing function near its root.
using Side = std::function<Ball(const Ball& b, Bits)>;

/// The root of an increasing function, to about 1e-6 and without proof, from a start that should be near it:
/// a bracket, then regula falsi.
double rough_root(const std::function<double(double)>& f, double start) {
  double lo = start, hi = start, f_lo = f(start), f_hi = f_lo;
  const auto widen = [&](double& from, double& f_from, double& to, double& f_to, double step) {
    for (; f_to * step < 0; step *= 2) {
      from = std::exchange(to, to + step);
      f_from = f_to;
      if (std::abs(step) > 1e4) throw LimitError("no transition was found");
      f_to = f(to);
    }
  };
  widen(hi, f_hi, lo, f_lo, -0.1);
  widen(lo, f_lo, hi, f_hi, 0.1);
  int side = 0;
  for (int i = 0; i < 60 && hi - lo > 1e-6; ++i) {
    double x = lo + (hi - lo) * (-f_lo) / (f_hi - f_lo);
    if (!(x > lo && x < hi)) x = lo + (hi - lo) / 2;
    const double y = f(x);
    if (y == 0) return x;
    // The Illinois rule keeps both ends moving.
    if (y < 0) {
      lo = x;
      f_lo = y;
      if (side < 0) f_hi /= 2;
      side = -1;
    } else {
      hi = x;
      f_hi = y;
      if (side > 0) f_lo /= 2;
      side = 1;
    }
  }
  return lo + (hi - lo) / 2;
}

/// The root of an increasing function of b > 0 to `digits` digits, by secants at rising precision; the
/// bracket at the end is proved by signs.
Ball root(const Side& f, const Ball& start, long digits) {
  const Bits full = bits_for_digits(digits) + 8;
  const auto b_of = [](double log_b) { return exp(Ball::exactly(log_b, 64)).center(); };
  const double near = rough_root([&](double u) { return rough(f(b_of(u), 48)); }, rough_log(start));
  // Secants with the slope found last; each gives the digits of the slope anew.
  Ball x = b_of(near).at(full + 64);
  const Ball step = x * Ball::exactly(1e-6, 64);
  const Ball slope = ((f(x + step, 96) - f(x - step, 96)) / (2 * step)).center();
  for (Bits known = 18; known < full + 16; known += 16) {
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

/// The b with E W = 1.
Ball annealed_root(const Keys& keys, const PowerProduct& n, long digits) {
  const Side f = [&](const Ball& b, Bits bits) {
    const auto same = [&](Bits) { return b; };
    return -expectations_at(keys, n, same, {Expectation::annealed_log_others}, bits + 16)[0];
  };
  return root(f, log(n, 64), digits);
}

}  // namespace

Ball self_transition(const Keys& keys, const PowerProduct& n, long digits) {
  require_sphere(keys, n);
  if (!keys.aligned) throw InputError("the transition E A_ii = 1/2 needs an aligned key");
  const Side f = [&](const Ball& b, Bits bits) {
    const auto same = [&](Bits) { return b; };
    return expectations_at(keys, n, same, {Expectation::self_weight}, bits)[0] - Ball(Rational(1, 2), bits);
  };
  // The annealed root is cheap, and near.
  const Ball b = root(f, annealed_root(keys, n, 3), digits + 2);
  return b / log(n, b.precision());
}

Ball annealed_transition(const Keys& keys, const PowerProduct& n, long digits) {
  require_sphere(keys, n);
  const Ball b = annealed_root(keys, n, digits + 2);
  return b / log(n, b.precision());
}

}  // namespace critscale::random
