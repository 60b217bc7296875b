// longrope: queries and keys are both multiplied by sqrt(1 + ln(factor)/ln L) (Ding et al., 2024, as
// configured); without a fixed factor that factor is n/L.
#include "critscale/schedules/detail/beyond_training.hpp"

namespace critscale {

namespace {

template <class Real>
Real longrope_multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  if (!s.factor) return log_beyond_training(s, n, lift);
  if (*s.factor <= 1) return lift(Rational(1));
  return 1 + lift.log(PowerProduct(*s.factor)) / lift.log(s.train_length);
}

std::string longrope_text(const Schedule& s) {
  if (!s.factor) return log_beyond_training_text(s);
  if (*s.factor <= 1) return "1";
  return fmt::format("1 + ln({})/ln({})", to_string(*s.factor), s.train_length.to_string());
}

std::string longrope_symbols(const FormulaNames& names) {
  return names.given("factor") ? "1 + log(max(factor, 1))/log(train_length)"
                               : log_beyond_training_symbols(names);
}

}  // namespace

constinit const ScheduleLaw longrope_law{
    .name = "longrope",
    .uses_train_length = true,
    .ball = longrope_multiplier<Ball>,
    .interval = longrope_multiplier<Interval>,
    .formula = longrope_text,
    .symbols = longrope_symbols,
    .constant_gamma = [](const Schedule& s, const PowerProduct* n) -> std::optional<ExactGamma> {
      return s.factor ? std::nullopt : log_beyond_training_gamma(s, n);
    },
    .pieces =
        [](const Schedule& s) {
          return s.factor ? std::vector{falling_constant(s, start_of_lengths())} : level_beyond_training(s);
        },
    .curve = [](const Schedule& s) { return s.factor ? constant_curve(s) : log_beyond_training_curve(s); },
};

}  // namespace critscale
