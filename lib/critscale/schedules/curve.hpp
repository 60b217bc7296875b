// A schedule's beta as a function of real x = ln n: values, slopes and growth that hold on whole intervals.
// Uses schedule.hpp.
#pragma once

#include "critscale/schedules/schedule.hpp"

namespace critscale {

/// beta(x) of a schedule without steps, for x >= ln 2, where n runs through the reals. beta never falls.
class ScheduleCurve {
 public:
  /// Throws InputError for a schedule with steps (llama4, mistral).
  explicit ScheduleCurve(const Schedule& s);

  Ball at(const Ball& x) const;
  /// Contains beta(x) for every x between lo and hi.
  Ball over(const Ball& lo, const Ball& hi) const { return hull(at(lo), at(hi)); }
  /// Contains the slopes of every chord of beta between lo and hi: beta' wherever it exists.
  Ball slopes(const Ball& lo, const Ball& hi) const;
  /// Contains the growth x beta'(x)/beta(x) for every x >= from. Needs beta(from) > 0; the whole line where
  /// `from` may lie before a kink.
  Ball growth_from(const Ball& from) const;
  /// Its limit as x -> infinity, exactly.
  Rational final_growth() const;
  /// Whether beta = C x^k from some x on, k = final_growth(). Otherwise, `excess` is the sign of the growth
  /// less its limit, for all large x.
  bool is_power() const;
  int excess() const;
  /// C = lim beta/x^final_growth(), and C^2 where that is rational.
  Ball final_coefficient(Bits bits) const;
  std::optional<Rational> squared_final_coefficient() const;
  /// Before this x = ln n beta is constant.
  std::optional<PowerProduct> kink() const;

 private:
  /// c x^k + b.
  bool is_power_law() const;
  bool is_constant() const;
  /// beta' beyond the kink, monotone in x there.
  Ball formula_slope(const Ball& x) const;
  Ball factor(Bits bits) const { return logit_factor(s_, Lift<Ball>(bits)); }

  Schedule s_;
};

}  // namespace critscale
