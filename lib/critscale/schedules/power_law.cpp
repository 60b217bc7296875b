// The schedules c (ln n)^k + b: ssmax (Nakanishi, 2025, Scalable-Softmax, with its variant with a bias) and
// swan (SWAN-GPT, constants given by the user) have k = 1, power-of-log any k.
#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

template <class Real>
Real linear_multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  return power_law(s.coefficient, Rational(1), s.offset, lift.log(n), lift);
}

template <class Real>
Real power_multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  return power_law(s.coefficient, s.power, s.offset, lift.log(n), lift);
}

std::optional<ExactGamma> linear_law_gamma(const Schedule& s, const PowerProduct* n) {
  if (n && s.offset != 0) return std::nullopt;
  return linear_gamma(s, s.coefficient);
}

Ball offset_of(const Schedule& s, const Lift<Ball>& lift) { return lift(s.offset); }

constexpr ScheduleLaw linear_law(std::string_view name) {
  return {
      .name = name,
      .ball = linear_multiplier<Ball>,
      .interval = linear_multiplier<Interval>,
      .formula = [](const Schedule& s) { return power_law_text(s.coefficient, Rational(1), s.offset); },
      .symbols =
          [](const FormulaNames& names) { return fmt::format("coefficient*log({}) + offset", names.n); },
      .constant_gamma = linear_law_gamma,
      .offset = offset_of,
      .pieces = [](const Schedule& s) { return power_law_pieces(s, s.coefficient, Rational(1), s.offset); },
      .curve = [](const Schedule& s) { return power_formula(s.coefficient, Rational(1), s.offset); },
  };
}

}  // namespace

constinit const ScheduleLaw ssmax_law = linear_law("ssmax");
constinit const ScheduleLaw swan_law = linear_law("swan");
constinit const ScheduleLaw power_of_log_law{
    .name = "power-of-log",
    .ball = power_multiplier<Ball>,
    .interval = power_multiplier<Interval>,
    .formula = [](const Schedule& s) { return power_law_text(s.coefficient, s.power, s.offset); },
    .symbols =
        [](const FormulaNames& names) {
          return fmt::format("coefficient*exp(power*log(log({}))) + offset", names.n);
        },
    .constant_gamma = [](const Schedule& s, const PowerProduct* n) -> std::optional<ExactGamma> {
      return s.power == 1 ? linear_law_gamma(s, n) : std::nullopt;
    },
    .unbounded = [](const Schedule& s) { return s.power > 1 && s.coefficient > 0; },
    .offset = offset_of,
    .pieces = [](const Schedule& s) { return power_law_pieces(s, s.coefficient, s.power, s.offset); },
    .curve = [](const Schedule& s) { return power_formula(s.coefficient, s.power, s.offset); },
};

Schedule schedule_of(const LogitScale& scale) {
  Schedule s;
  s.law = &power_of_log_law;
  s.coefficient = scale.coefficient.lo;
  s.power = scale.power;
  s.offset = scale.offset.lo;
  return s;
}

}  // namespace critscale
