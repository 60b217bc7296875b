// The scaling schedules in use ([schedules]) as exact functions of the context length, and what decides
// their phase: gamma_eff(n) = beta(n)/ln n at any n and as n grows. Uses lift.hpp and number/.
//
// Every step and clamp is decided on exact numbers; only the transcendental value is enclosed.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/model/lift.hpp"

namespace critscale {

/// What tells one schedule from another; schedules/law.hpp.
struct ScheduleLaw;
extern const ScheduleLaw constant_law;

/// A multiplier m(n) on the scores with its constants, and the scale it multiplies:
/// beta(n) = logit_scale / sqrt(head_dim) * m(n). n is the number of keys that the query sees; for a
/// causal row at 0-based position p that is p + 1.
struct Schedule {
  const ScheduleLaw* law = &constant_law;
  PowerProduct train_length;  ///< L (qwen-log-n, yarn, longrope, infoscale), or the step of llama4, mistral
  std::optional<Rational> factor;   ///< yarn, longrope: a fixed extension factor in place of n/L
  Rational coefficient = 1;         ///< c of constant, ssmax, swan, power-of-log
  Rational offset = 0;              ///< b of ssmax, swan, power-of-log
  Rational power = 1;               ///< k of power-of-log
  Rational rate = Rational(1, 10);  ///< yarn (times mscale) and llama4
  Rational mscale = 1;              ///< yarn
  /// yarn: the factor's second mscale, by which the first one's factor is divided.
  std::optional<Rational> mscale_all_dim;
  std::optional<Rational>
      attention_factor;      ///< yarn: replaces rate mscale ln(factor) + 1; squared on the scores
  Rational dimension = 0;    ///< d of infoscale
  Rational logit_scale = 1;  ///< the score |q||k| of an aligned pair before any division
  Rational head_dim = 1;     ///< scores are divided by its square root
};

/// The names of all schedules: constant, log-n, ...
std::vector<std::string_view> schedule_names();
std::string_view name(const Schedule& s);
/// Throws InputError that lists what is allowed.
const ScheduleLaw& schedule_by_name(std::string_view name);
/// The multiplier as a formula with this schedule's constants.
std::string formula(const Schedule& s);

/// The constants that a schedule can be given, by name, with what each means.
struct ScheduleConstant {
  std::string_view key, help;
};
std::span<const ScheduleConstant> schedule_constants();
/// A schedule with the constants of common use: training length 8192, entropy dimension 128.
/// Throws InputError that lists the names that there are.
Schedule default_schedule(std::string_view name);
/// power-of-log with the constants of beta = c (ln n)^k + b; the lower ends where those are boxes.
Schedule schedule_of(const LogitScale& scale);
/// Sets a constant from text; head_dim sets the entropy dimension too, so that entropy_dim comes after
/// it. Throws InputError for malformed text and for a key that is none of schedule_constants().
void set_constant(Schedule& s, std::string_view key, std::string_view text);

/// Throws InputError that names the constant: factors, scales and dimensions must be positive, training
/// lengths integers >= 2, coefficients, rates and powers not negative.
void validate(const Schedule& s);

/// m(n) for n >= 2, for Real = Ball or Interval. Throws InputError when n is not an integer and the
/// schedule has steps.
template <class Real>
Real multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift);
/// beta(n) = logit_scale / sqrt(head_dim) * m(n).
template <class Real>
Real beta(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift);
/// logit_scale / sqrt(head_dim).
template <class Real>
Real logit_factor(const Schedule& s, const Lift<Real>& lift);
extern template Ball logit_factor(const Schedule&, const Lift<Ball>&);
extern template Interval logit_factor(const Schedule&, const Lift<Interval>&);
extern template Ball multiplier(const Schedule&, const PowerProduct&, const Lift<Ball>&);
extern template Interval multiplier(const Schedule&, const PowerProduct&, const Lift<Interval>&);
extern template Ball beta(const Schedule&, const PowerProduct&, const Lift<Ball>&);
extern template Interval beta(const Schedule&, const PowerProduct&, const Lift<Interval>&);

/// gamma_eff(n) = beta(n)/ln n.
Ball gamma_effective(const Schedule& s, const PowerProduct& n, Bits bits);

/// An exact positive number rational / (sqrt(head_dim) ln log_base), without the logarithm when log_base
/// is empty. With the logarithm it is transcendental, so it equals no rational.
struct ExactGamma {
  Rational rational;
  Rational head_dim = 1;
  std::optional<PowerProduct> log_base;

  /// The number itself where it is rational.
  std::optional<Rational> exact() const;
  Ball value(Bits bits) const;
  /// The exact order against t > 0.
  std::strong_ordering compare(const Rational& t) const;
  std::string to_string() const;
};

/// gamma_eff as n -> infinity: 0, a constant, or infinity. For a constant, beta = gamma ln n + offset + o(1).
struct GammaLimit {
  enum class Kind { zero, constant, infinite } kind;
  std::optional<ExactGamma> constant;
};
GammaLimit gamma_limit(const Schedule& s);
/// The offset b for a schedule whose limit is a constant.
Ball limit_offset(const Schedule& s, Bits bits);

/// The exact order of gamma_eff(n) against t > 0. Where gamma_eff(n) is not constant in n the two are
/// compared by enclosures, which ends unless they are equal; equality is
/// excluded by transcendence but for yarn with two independent logarithms. Throws LimitError when undecided
/// at `max_bits`.
std::strong_ordering compare_gamma(const Schedule& s, const PowerProduct& n, const Rational& t,
                                   Bits max_bits = 16384);

}  // namespace critscale
