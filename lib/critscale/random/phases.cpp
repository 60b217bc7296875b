// The lines by the roots of their equations, the inverse questions, and phases. [phase-lines]
#include "critscale/random/phases.hpp"

#include <fmt/format.h>

#include <cmath>

#include "critscale/number/precision.hpp"
#include "critscale/random/detail/functions.hpp"
#include "critscale/random/increasing_root.hpp"

namespace critscale::random {

namespace {

Ball cut(const Parameter& x, Bits bits) { return x(bits + 64).at(bits + 64); }

/// v = sqrt(1 - e^-q).
Ball v_of(const Ball& q) { return sqrt(-expm1(-q)); }

/// q = -ln(1 - v^2) on the self line: q/2 + v/(1 + v) = 1/kappa, whose left side rises. [phase-lines]
Ball depth_on_self_line(const Ball& kappa, Bits bits) {
  const Ball target = 1 / kappa;
  const auto f = [&](const Ball& q) {
    const Ball v = v_of(q);
    return q / 2 + v / (1 + v) - target;
  };
  // v/(1 + v) <= min(1/2, sqrt q) and q/2 + v/(1 + v) >= q/2.
  const Ball hi = 2 * target * Ball(Rational(33, 32), 64), lo = min(hi, sqr(target)) / 64;
  return increasing_root(f, lo, hi, bits);
}

/// One over a decreasing function's values: the sphere's g_self(v) = 1/D(v). [phase-lines]
Ball reciprocal_self_line(const Ball& v) {
  const Ball s = 1 - sqr(v);
  return (1 - v) - s * log(s) / (2 * v);
}

/// (y/2)... ln(g_cond/2) with kappa = 2/y: y - ln y + ln(1 - e^-y)/2.
Ball log_condensation(const Ball& y) { return y - log(y) + log(-expm1(-y)) / 2; }

}  // namespace

Ball dominant_inner_product(const Parameter& kappa, Bits bits) {
  return v_of(depth_on_self_line(cut(kappa, bits), bits));
}

std::optional<Ball> self_line(KeyLaw law, const Parameter& kappa, Bits bits) {
  if (law == KeyLaw::gaussian) {
    // kappa (1 - sqrt(1 - 2/kappa)), written without cancellation.
    const Ball k = cut(kappa, bits), rest = 1 - 2 / k;
    if (certainly(rest.is_negative())) return std::nullopt;
    return 2 / (1 + sqrt(max(rest, Ball(0, 64))));
  }
  // g grows with q by a factor e^q: what q loses in relative accuracy g loses q times over.
  const double size = std::max(0.0, -rough_log(cut(kappa, 64)));
  const Bits working = bits + 16 + static_cast<Bits>(2 * size);
  const Ball k = cut(kappa, working), q = depth_on_self_line(k, working);
  return (k * v_of(q) * exp(q)).at(bits + 8);
}

Ball condensation_line(KeyLaw law, const Parameter& kappa, Bits bits) {
  const double size = std::max(0.0, -rough_log(cut(kappa, 64)));
  const Ball k = cut(kappa, bits + static_cast<Bits>(2 * size));
  if (law == KeyLaw::gaussian) return sqrt(2 * k);
  const Ball y = 2 / k;
  return (k * exp(y) * v_of(y)).at(bits + 8);
}

std::optional<Ball> kappa_on_self_line(KeyLaw law, const Parameter& g, Bits bits) {
  const Ball x = cut(g, bits);
  if (law == KeyLaw::gaussian) {
    // g = 1 + g^2/(2 kappa), for 1 < g <= 2.
    if (!possibly(greater(x, Ball(1, 64))) || certainly(greater(x, Ball(2, 64)))) return std::nullopt;
    return sqr(x) / (2 * (x - 1));
  }
  if (!certainly(greater(x, Ball(1, 64)))) {
    if (certainly(less_equal(x, Ball(1, 64)))) return std::nullopt;
    throw LimitError("g is not told from 1");
  }
  // 1 - D(v) rises from 0 to 1; D = 1/g. In q, because 1 - v may be tiny.
  const Ball target = 1 / x;
  const auto f = [&](const Ball& q) { return target - reciprocal_self_line(v_of(q)); };
  Ball lo(1, 64), hi(1, 64);
  while (!certainly(f(lo.at(bits + 64)).is_negative())) lo = lo / 4;
  while (!certainly(f(hi.at(bits + 64)).is_positive())) hi = 2 * hi;
  const Ball q = increasing_root(f, lo, hi, bits + 16), v = v_of(q);
  return (1 / (q / 2 + v / (1 + v))).at(bits + 8);
}

std::vector<Ball> kappas_on_condensation_line(KeyLaw law, const Parameter& g, Bits bits) {
  const Ball x = cut(g, bits);
  if (law == KeyLaw::gaussian) return {sqr(x) / 2};
  // ln(g/2) falls, then rises in y = 2/kappa: its derivative 1 - 1/y + 1/(2 (e^y - 1)) changes sign once.
  const auto slope = [](const Ball& y) { return 1 - 1 / y + 1 / (2 * expm1(y)); };
  const Ball turn = increasing_root(slope, Ball(1, 64) / 4, Ball(1, 64), bits);
  const Ball target = log(x / 2), least = log_condensation(turn);
  if (certainly(less(target, least))) return {};
  if (!certainly(less(least, target)))
    throw LimitError("g is not told from the least g on the condensation line");
  const auto rising = [&](const Ball& y) { return log_condensation(y) - target; };
  const auto falling = [&](const Ball& y) { return target - log_condensation(y); };
  Ball hi(2, 64), lo = Ball(1, 64) / 4;
  while (!certainly(rising(hi.at(bits + 64)).is_positive())) hi = 2 * hi;
  while (!certainly(rising(lo.at(bits + 64)).is_positive())) lo = lo / 4;
  const Ball right = increasing_root(rising, turn.center(), hi, bits),
             left = increasing_root(falling, lo, turn.center(), bits);
  return {(2 / right).at(bits + 8), (2 / left).at(bits + 8)};
}

std::string_view name(RandomPhase phase) {
  return phase == RandomPhase::spread ? "spread" : phase == RandomPhase::self ? "self" : "condensed";
}

RandomPhase phase_at(KeyLaw law, bool aligned, const Parameter& kappa, const Parameter& g, Bits most_bits) {
  const auto phase = decide(64, most_bits, [&](Bits bits) -> std::optional<RandomPhase> {
    const Ball x = cut(g, bits);
    if (aligned) {
      const auto line = self_line(law, kappa, bits);
      if (line && line->is_finite() && certainly(greater(x, *line))) return RandomPhase::self;
      if (line && certainly(less(x, *line))) return RandomPhase::spread;
      // Gaussian keys beyond v = 1 outdo the aligned key.
      if (line) return std::nullopt;
    }
    const Ball condensed = condensation_line(law, kappa, bits);
    if (certainly(greater(x, condensed))) return RandomPhase::condensed;
    if (certainly(less(x, condensed))) return RandomPhase::spread;
    return std::nullopt;
  });
  if (!phase) throw LimitError("g is not told from the phase line; it may lie on it");
  return *phase;
}

Ball collision_limit(KeyLaw law, RandomPhase phase, const Parameter& kappa, const Parameter& g, Bits bits) {
  if (phase == RandomPhase::spread) return Ball(0, bits);
  if (phase == RandomPhase::self) return Ball(1, bits);
  return 1 - condensation_line(law, kappa, bits) / cut(g, bits);
}

}  // namespace critscale::random
