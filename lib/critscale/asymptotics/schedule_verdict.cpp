// Phases and limits of schedules. Uses schedule_verdict.hpp.
#include "critscale/asymptotics/schedule_verdict.hpp"

namespace critscale {

Phase phase_at(const Schedule& s, const PowerProduct& n, const std::vector<Rational>& thresholds) {
  std::size_t below = 0;
  for (const Rational& t : thresholds) {
    const std::strong_ordering order = compare_gamma(s, n, t);
    if (order == std::strong_ordering::equal) return Phase::critical;
    if (order == std::strong_ordering::less) break;
    ++below;
  }
  if (below == thresholds.size()) return Phase::supercritical;
  return below == 0 ? Phase::subcritical : Phase::intermediate;
}

LimitVerdict limit_verdict(const Schedule& s, const std::vector<Rational>& thresholds) {
  LimitVerdict r{gamma_limit(s), Phase::supercritical, std::nullopt};
  if (r.limit.kind == GammaLimit::Kind::infinite || thresholds.empty()) return r;
  if (r.limit.kind == GammaLimit::Kind::zero) {
    r.phase = Phase::subcritical;
    return r;
  }
  std::size_t below = 0;
  for (const Rational& t : thresholds) {
    const std::strong_ordering order = r.limit.constant->compare(t);
    if (order == std::strong_ordering::equal) {
      r.threshold = t;
      r.phase = Phase::critical;
      return r;
    }
    if (order == std::strong_ordering::greater) ++below;
  }
  if (below < thresholds.size()) r.phase = below == 0 ? Phase::subcritical : Phase::intermediate;
  return r;
}

Ball window_self_weight(const Rational& delta, const Ball& offset) {
  return 1 / (1 + exp(-(Ball(delta, offset.precision()) * offset)));
}

}  // namespace critscale
