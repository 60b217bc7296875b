// What becomes of a schedule in a geometry: its phase at a context length, where gamma_eff crosses a
// threshold as n runs through the reals from 2 on, and its phase as n grows ([schedules]). Uses
// envelope.hpp, schedules/schedule.hpp and number/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "critscale/asymptotics/envelope.hpp"
#include "critscale/schedules/schedule.hpp"

namespace critscale {

/// The phase of gamma_eff(n) among ascending thresholds, decided by exact comparisons. Throws
/// LimitError where a comparison stays undecided.
Phase phase_at(const Schedule& s, const PowerProduct& n, const std::vector<Rational>& thresholds);

/// The phase as n -> infinity. On a threshold the offset decides the limit masses: beta = gamma_c ln n + b.
struct LimitVerdict {
  GammaLimit limit;
  Phase phase;
  std::optional<Rational> threshold;  ///< the threshold that gamma_eff tends to
};
LimitVerdict limit_verdict(const Schedule& s, const std::vector<Rational>& thresholds);

/// a* = 1/(1 + exp(-delta b)): the self weight's limit on the simplex at its threshold ([simplex-finite]).
Ball window_self_weight(const Rational& delta, const Ball& offset);

/// One n at which gamma_eff - t changes sign, as enclosures of n and ln n.
struct Crossing {
  Ball n, log_n;
  bool upward;
};

/// All sign changes of gamma_eff(n) - t over real n >= 2, ascending. A schedule with steps may change sign
/// very often: down on each of many consecutive steps and up, by a jump at n = j L, between them; `count` is
/// the number of all, and `points` has the first two and the last two of them.
struct Crossings {
  std::vector<Crossing> points;
  Integer count = 0;
  /// Which monotone pieces prove that there are no others.
  std::string reason;
};

/// Certified to `digits` digits in n. Throws LimitError where a sign stays undecided.
Crossings crossings(const Schedule& s, const Rational& t, long digits);

}  // namespace critscale
