// Upper envelopes and phases. Uses envelope.hpp and number/.
#include "critscale/asymptotics/envelope.hpp"

#include <algorithm>
#include <utility>

#include "critscale/number/errors.hpp"

namespace critscale {

std::vector<Line> lines(const Profile& profile) {
  std::vector<Line> r{{Rational(0), Rational(1)}};
  for (const ProfileBand& b : profile) r.push_back({b.size.exponent, b.r});
  return r;
}

Envelope::Envelope(std::vector<Line> lines) : lines_(std::move(lines)) {
  if (lines_.empty()) throw InputError("an envelope needs at least one line");
  const auto indices_of = [&](const Line& line) {
    std::vector<std::size_t> r;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i] == line) r.push_back(i);
    return r;
  };
  // Just after gamma = 0 the largest theta leads, and among equals the steepest line.
  Line current = *std::max_element(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
    return std::pair(a.theta, a.r) < std::pair(b.theta, b.r);
  });
  for (;;) {
    pieces_.push_back({current, indices_of(current)});
    const Line* next = nullptr;
    Rational crossing;
    for (const Line& line : lines_) {
      if (line.r <= current.r) continue;
      const Rational gamma = (current.theta - line.theta) / (line.r - current.r);
      if (!next || gamma < crossing || (gamma == crossing && line.r > next->r)) {
        next = &line;
        crossing = gamma;
      }
    }
    if (!next) return;
    breaks_.push_back(crossing);
    current = *next;
  }
}

std::vector<std::size_t> Envelope::top(const Rational& gamma) const {
  std::vector<std::size_t> r;
  Rational largest;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Rational value = lines_[i].at(gamma);
    if (!r.empty() && value < largest) continue;
    if (!r.empty() && value > largest) r.clear();
    largest = value;
    r.push_back(i);
  }
  return r;
}

std::vector<Rational> thresholds(const Profile& profile) { return Envelope(lines(profile)).breaks(); }

std::vector<Rational> forward_thresholds(const Profile& profile, bool with_residual) {
  if (with_residual || profile.back().r != 0) return thresholds(profile);
  // With h_t = theta_t + gamma r_t, the own clusters contribute n^(2 h_t) to |m|^2 Z^2 for every t
  // up to the last level whose features have weight, and the outer bands n^(theta_t + theta_last)
  // through the clusters of that level. Halved, these are lines.
  std::vector<Line> all = lines(profile), halves;
  std::size_t last = all.size() - 1;
  while (last > 0 && all[last].r == 0) --last;
  for (std::size_t t = 0; t < all.size(); ++t)
    halves.push_back(t <= last ? all[t] : Line{(all[t].theta + all[last].theta) / 2, all[t].r});
  return Envelope(std::move(halves)).breaks();
}

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::subcritical:
      return "subcritical";
    case Phase::intermediate:
      return "intermediate";
    case Phase::supercritical:
      return "supercritical";
    case Phase::critical:
      return "critical";
  }
  return "";
}

Phase phase(const std::vector<Rational>& thresholds, const Rational& gamma) {
  if (std::binary_search(thresholds.begin(), thresholds.end(), gamma)) return Phase::critical;
  if (thresholds.empty() || gamma > thresholds.back()) return Phase::supercritical;
  return gamma < thresholds.front() ? Phase::subcritical : Phase::intermediate;
}

std::vector<Rational> limit_masses(const Profile& profile, const Rational& gamma) {
  // The leading coefficient of N_l - N_(l-1).
  std::vector<Rational> share(profile.size() + 1);
  Rational sum = 0;
  for (const std::size_t l : Envelope(lines(profile)).top(gamma)) {
    if (l == 0) {
      share[l] = 1;
    } else {
      const Size inner = l == 1 ? Size{PowerProduct(1), Rational(0)} : profile[l - 2].size;
      share[l] = profile[l - 1].size.coefficient.to_rational();
      if (inner.exponent == profile[l - 1].size.exponent) share[l] -= inner.coefficient.to_rational();
    }
    sum += share[l];
  }
  for (Rational& s : share) s /= sum;
  return share;
}

}  // namespace critscale
