// Where a curve beta(x), x = ln n, that never falls crosses a critical line. [line-crossings] Uses
// critical_line.hpp and schedules/curve.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "critscale/random/critical_line.hpp"
#include "critscale/schedules/curve.hpp"

namespace critscale::random {

/// What f = share beta - b is called where its sign stays undecided.
inline constexpr const char* difference_from_line = "(1 - rho) beta less the critical b";

struct CurveRoot {
  std::function<Ball(Bits)> x;  ///< to about 2^-bits of itself
  bool upward;
};

struct CurveCrossings {
  std::vector<CurveRoot> roots;  ///< ascending, all of them
  int at_start = 0;              ///< the sign of f at the first n; 0 where f is not asked for there
  int finally = 0;               ///< its sign beyond the last root; 0 where f is 0 for all n
  std::string reason;            ///< what proves that there are no others
};

/// Every zero of f = share beta - b over real n >= from, share > 0. The result holds `curve` and `line` by
/// reference. Throws LimitError where a sign stays undecided (the curves touch).
CurveCrossings curve_crossings(const ScheduleCurve& curve, const CriticalLine& line, const Rational& share,
                               const PowerProduct& from);

}  // namespace critscale::random
