// A schedule's beta as a function of real x = ln n: values, slopes and growth that hold on whole intervals.
// What a law states about its multiplier, and what random keys' lines are crossed with. Uses schedule.hpp.
#pragma once

#include <functional>
#include <memory>

#include "critscale/schedules/schedule.hpp"

namespace critscale {

/// A multiplier as a function of x = ln n > 0 that never falls, as its law states it.
struct MultiplierFormula {
  using Function = std::function<Ball(const Ball& x)>;

  Function value;
  Function slope;                         ///< its derivative, monotone in x
  Rational growth = 0;                    ///< lim x m'(x)/m(x), to which that quotient is monotone
  std::function<Ball(Bits)> coefficient;  ///< lim m/x^growth
  std::optional<Rational> squared_coefficient = std::nullopt;  ///< its square, where that is rational
  /// The sign of x m'/m - growth for all x; null where m = coefficient x^growth.
  std::function<int()> excess = {};
  /// Before this n the multiplier is constant.
  std::optional<PowerProduct> kink = std::nullopt;
};

/// m does not depend on n.
MultiplierFormula constant_formula(std::function<Ball(Bits)> m);
/// m = c x^k + b.
MultiplierFormula power_formula(const Rational& c, const Rational& k, const Rational& b);
/// m = log n to this base.
MultiplierFormula log_formula(const PowerProduct& base);

/// beta(x) for x >= ln 2, where n runs through the reals. beta never falls.
class ScheduleCurve {
 public:
  virtual ~ScheduleCurve() = default;

  virtual Ball at(const Ball& x) const = 0;
  /// Contains beta(x) for every x between lo and hi.
  Ball over(const Ball& lo, const Ball& hi) const { return hull(at(lo), at(hi)); }
  /// Contains the slopes of every chord of beta between lo and hi: beta' wherever it exists.
  virtual Ball slopes(const Ball& lo, const Ball& hi) const = 0;
  /// Contains the growth x beta'(x)/beta(x) for every x >= from. Needs beta(from) > 0; the whole line where
  /// `from` may lie before a kink.
  virtual Ball growth_from(const Ball& from) const = 0;
  /// Its limit as x -> infinity, exactly.
  virtual Rational final_growth() const = 0;
  /// The sign of the growth less its limit for all large x; 0 where beta = C x^final_growth() from some x on.
  virtual int excess() const = 0;
  /// Whether `excess` is that sign for every x >= from.
  virtual bool excess_holds_from(const Ball& from) const = 0;
  /// C = lim beta/x^final_growth(), and C^2 where that is rational.
  virtual Ball final_coefficient(Bits bits) const = 0;
  virtual std::optional<Rational> squared_final_coefficient() const { return std::nullopt; }
  /// Before this n beta is constant.
  virtual std::optional<PowerProduct> kink() const { return std::nullopt; }
};

/// Throws InputError for a schedule with steps (llama4, mistral).
std::unique_ptr<ScheduleCurve> schedule_curve(const Schedule& s);

/// Of a schedule with steps, step j from n = j L + o on: through beta at every step's start (from step 1 on),
/// and through what it is on the step that ends there. Both are functions of real n >= L + o.
std::unique_ptr<ScheduleCurve> curve_of_starts(const Schedule& s);
std::unique_ptr<ScheduleCurve> curve_of_ends(const Schedule& s);
/// beta on step j.
Ball beta_on_step(const Schedule& s, const Integer& j, const Lift<Ball>& lift);

}  // namespace critscale
