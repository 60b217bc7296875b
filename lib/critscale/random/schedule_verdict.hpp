// What becomes of a scaling schedule among random keys: where its beta crosses the critical line as n runs
// through the reals from 2 on, and what holds for all large n. [line-crossings] Uses critical_line.hpp
// and schedules/.
#pragma once

#include <string>
#include <vector>

#include "critscale/random/critical_line.hpp"
#include "critscale/schedules/schedule.hpp"

namespace critscale::random {

/// One n at which (1 - rho) beta - b changes sign.
struct LineCrossing {
  Ball n, log_n;
  bool upward;  ///< the schedule comes above the line
};

struct ScheduleCrossings {
  const char* line;  ///< g_self or g_cond
  /// Ascending. Of a schedule with steps, which may change sign on very many consecutive ones, the first two
  /// and the last two; `count` counts all.
  std::vector<LineCrossing> points;
  Integer count = 0;
  /// The sign of (1 - rho) beta - b for all n beyond the last crossing; 0 where the two are equal.
  int finally = 0;
  /// What proves that there are no others.
  std::string reason;
};

/// Every crossing over real n >= 2 (whole n for schedules with steps), certified to `digits` digits in n.
/// Throws LimitError where a sign stays undecided (the curves touch).
ScheduleCrossings schedule_crossings(const Schedule& s, const Keys& keys, long digits);

}  // namespace critscale::random
