// Crossings of schedules: of one curve, or step by step.
#include "critscale/random/schedule_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/precision.hpp"
#include "critscale/random/curve_crossings.hpp"
#include "critscale/random/increasing_root.hpp"
#include "critscale/schedules/law.hpp"
#include "critscale/text/certify.hpp"

namespace critscale::random {

namespace {

LineCrossing certified(const std::function<Ball(Bits)>& x, bool upward, long digits) {
  return {certify_digits(digits, [&](Bits bits) { return exp(x(bits)); }), certify_digits(digits, x), upward};
}

ScheduleCrossings of_curve(const Schedule& s, const CriticalLine& line, const Rational& share, long digits) {
  const auto curve = schedule_curve(s);
  const CurveCrossings found = curve_crossings(*curve, line, share, PowerProduct(2));
  ScheduleCrossings r;
  r.line = line.name();
  for (const CurveRoot& root : found.roots) r.points.push_back(certified(root.x, root.upward, digits));
  r.count = Integer(r.points.size());
  r.finally = found.finally;
  r.reason = found.reason;
  return r;
}

/// A sign for every step from `first` on, the next one's `first` bounding it.
struct SignRun {
  Integer first;
  int sign;
};

int sign_on(const std::vector<SignRun>& runs, const Integer& j) {
  int sign = 0;
  for (const SignRun& run : runs)
    if (run.first <= j) sign = run.sign;
  return sign;
}

/// Consecutive crossings: at a start upward (unless the first is not `begins_up`), on that step downward, at
/// the next start upward, and so on.
struct CrossingRun {
  Integer step;
  bool begins_up;
  Integer count;
};

/// Step j runs from n = j L + o (the first from 2) to (j + 1) L + o, o = 0 or 1, with a constant multiplier,
/// so that f = (1 - rho) beta - b falls on it. The signs of f at the starts and at the ends are those of two
/// curves through them. [line-crossings]
class Stepped {
 public:
  Stepped(const Schedule& s, const CriticalLine& line, const Rational& share, long digits)
      : s_(s),
        line_(line),
        share_(share),
        digits_(digits),
        offset_(*s.law->first_of_step),
        L_(s.train_length.to_integer()),
        first_((2 - offset_) / L_) {}

  ScheduleCrossings run() const {
    const auto starts_curve = curve_of_starts(s_), ends_curve = curve_of_ends(s_);
    const PowerProduct second{Rational(start_of(Integer(first_ + 1)))};
    const CurveCrossings at_starts = curve_crossings(*starts_curve, line_, share_, second),
                         at_ends = curve_crossings(*ends_curve, line_, share_, second);
    // The starts of steps first + 1, ... and the ends of steps first, ... lie on the curves.
    std::vector<SignRun> starts = runs_of(at_starts, first_ + 1);
    starts.insert(starts.begin(), {first_, sign_at(first_, Integer(2))});
    const std::vector<CrossingRun> found = crossings(starts, runs_of(at_ends, first_));
    ScheduleCrossings r;
    r.line = line_.name();
    r.finally = at_ends.finally;
    r.reason = fmt::format(
        "on every step the schedule falls behind the line; through the steps' starts, and through their "
        "ends: {}",
        at_ends.reason);
    for (const CrossingRun& run : found) r.count += run.count;
    std::vector<Integer> shown{0, 1, r.count - 2, r.count - 1};
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    for (const Integer& k : shown)
      if (k >= 0 && k < r.count) r.points.push_back(crossing(found, k));
    return r;
  }

 private:
  Integer start_of(const Integer& j) const { return j == first_ ? Integer(2) : Integer(j * L_ + offset_); }
  Ball own(const Integer& j, Bits bits) const {
    const Lift<Ball> lift(bits);
    return lift(share_) * beta_on_step(s_, j, lift);
  }
  int sign_at(const Integer& j, const Integer& n) const {
    return sign_of_number(
        [&](Bits bits) {
          const Ball x = log(Ball(n, bits));
          return own(j, bits) - line_.at(line_.power() ? x : line_.parameter(x, bits)).b;
        },
        difference_from_line);
  }

  /// The least integer above the real j that belongs to x = ln(j L + o).
  Integer step_after(const CurveRoot& root) const {
    constexpr Bits most_bits = 1 << 15;
    const auto step = decide(64, most_bits, [&](Bits bits) -> std::optional<Integer> {
      const Ball j = (exp(root.x(bits)) - offset_) / Ball(L_, bits + 64);
      const auto below = [](const Dyadic& x) {
        const Rational r = x.to_rational();
        return Integer(numerator(r) / denominator(r));
      };
      const Integer low = below(j.lower()), high = below(j.upper());
      return low == high ? std::optional<Integer>(low + 1) : std::nullopt;
    });
    if (!step) throw LimitError(fmt::format("{} crosses in a step that is out of reach", name(s_)));
    return *step;
  }

  /// The signs at j = first, first + 1, ..., where n = (j + ahead) L + o is the start of step first_ + 1 for
  /// the first of them.
  std::vector<SignRun> runs_of(const CurveCrossings& c, const Integer& first) const {
    std::vector<SignRun> r{{first, c.at_start}};
    for (const CurveRoot& root : c.roots) {
      const Integer j = step_after(root) - (first_ + 1 - first);
      // Two roots between neighbours leave no trace.
      if (r.back().first == j && r.size() > 1)
        r.pop_back();
      else
        r.push_back({j, root.upward ? 1 : -1});
    }
    return r;
  }

  std::vector<CrossingRun> crossings(const std::vector<SignRun>& starts,
                                     const std::vector<SignRun>& ends) const {
    std::vector<Integer> cuts;
    for (const auto* runs : {&starts, &ends})
      for (const SignRun& run : *runs) cuts.push_back(run.first);
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<CrossingRun> r;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      const Integer& from = cuts[i];
      if (sign_on(starts, from) < 0) continue;
      const bool up = from > first_ && sign_on(ends, Integer(from - 1)) < 0, down = sign_on(ends, from) < 0;
      if (down && i + 1 == cuts.size())
        throw LimitError(fmt::format("{} crosses on every step from some n on", name(s_)));
      const Integer downs = down ? Integer(cuts[i + 1] - from) : Integer(0);
      const Integer count = down ? Integer(2 * downs - (up ? 0 : 1)) : Integer(up ? 1 : 0);
      if (count > 0) r.push_back({from, up, count});
    }
    return r;
  }

  /// Crossing number k of all.
  LineCrossing crossing(const std::vector<CrossingRun>& runs, Integer k) const {
    std::size_t i = 0;
    for (; k >= runs[i].count; ++i) k -= runs[i].count;
    const Integer place = runs[i].begins_up ? k : Integer(k + 1);
    const Integer j = runs[i].step + place / 2;
    return place % 2 == 0 ? at_start_of(j) : on_step(j);
  }

  /// On the step b = (1 - rho) beta, whose place is the line's inverse.
  LineCrossing on_step(const Integer& j) const {
    const auto x_at = [&](Bits bits) { return line_.place(own(j, bits + 64), bits); };
    return certified(x_at, false, digits_);
  }

  /// The jump at a step's start.
  LineCrossing at_start_of(const Integer& j) const {
    const Ball n(start_of(j), bits_for_digits(digits_) + 4096);
    return {n, certify_digits(digits_, [&](Bits bits) { return log(n.at(bits)); }), true};
  }

  const Schedule& s_;
  const CriticalLine& line_;
  Rational share_;
  long digits_, offset_;
  Integer L_, first_;
};

}  // namespace

ScheduleCrossings schedule_crossings(const Schedule& s, const Keys& keys, long digits) {
  validate(s);
  const auto line = critical_line(keys);
  const Rational share = 1 - keys.rho;
  if (s.law->first_of_step) return Stepped(s, *line, share, digits).run();
  return of_curve(s, *line, share, digits);
}

}  // namespace critscale::random
