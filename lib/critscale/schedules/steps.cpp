// The schedules with steps, 1 + rate ln(floor((n - o)/L) + 1): llama4 (Llama 4's attention temperature, rate
// 1/10, L = 8192, o = 0, so that it looks at position + 1) and mistral (Mistral 3's, o = 1: the 0-based
// position itself).
#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

/// ln(floor((n - before)/step) + 1), before = 0 or 1: exactly where n can be written out, else with
/// n/step + theta, 0 <= theta <= 1.
template <class Real>
Real log_of_step(const PowerProduct& step, const PowerProduct& n, long before, const Lift<Real>& lift) {
  if (!n.is_integer())
    throw InputError(fmt::format("this schedule has steps: n must be an integer, found {}", n.to_string()));
  static const PowerProduct written_out = PowerProduct::power(2, 4096);
  if (compare(n, step) < 0) return lift(Rational(0));
  if (compare(n, written_out) <= 0)
    return log(lift(Rational(Integer((n.to_integer() - before) / step.to_integer() + 1))));
  const PowerProduct ratio = n / step;
  const Real theta = before == 0 && divides(step, n) ? lift(Rational(1)) : Real::hull(0, 1, lift.bits());
  return lift.log(ratio) + log1p(Real(theta / lift(ratio)));
}

template <class Real>
Real step_multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  return 1 + lift(s.rate) * log_of_step(s.train_length, n, *s.law->first_of_step, lift);
}

std::optional<ExactGamma> step_gamma(const Schedule& s, const PowerProduct* n) {
  if (n) return std::nullopt;
  return linear_gamma(s, s.rate);
}

// The step's number is (n/L)(1 + o(1)).
Ball step_offset(const Schedule& s, const Lift<Ball>& lift) {
  return 1 - lift(s.rate) * lift.log(s.train_length);
}

std::string step_text(const Schedule& s) {
  return fmt::format("1 + {} ln(floor({}/{}) + 1)", to_string(s.rate),
                     *s.law->first_of_step == 0 ? "n" : "(n - 1)", s.train_length.to_string());
}

constexpr ScheduleLaw step_law(std::string_view name, long first,
                               std::string (*symbols)(const FormulaNames&)) {
  return {
      .name = name,
      .uses_train_length = true,
      .ball = step_multiplier<Ball>,
      .interval = step_multiplier<Interval>,
      .formula = step_text,
      .symbols = symbols,
      .constant_gamma = step_gamma,
      .offset = step_offset,
      .first_of_step = first,
  };
}

std::string step_symbols(const std::string& count) {
  return fmt::format("1 + rate*log(floor({}/train_length) + 1)", count);
}

}  // namespace

constinit const ScheduleLaw llama4_law =
    step_law("llama4", 0, [](const FormulaNames& names) { return step_symbols(names.n_factor); });
constinit const ScheduleLaw mistral_law =
    step_law("mistral", 1, [](const FormulaNames& names) { return step_symbols(names.before); });

}  // namespace critscale
