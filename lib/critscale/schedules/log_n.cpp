// log-n: Su's length-scaled logits, log_512 n, kept constant below 16.
#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

constexpr long floor_length = 16, log_base = 512;

template <class Real>
Real log_n_multiplier(const Schedule&, const PowerProduct& n, const Lift<Real>& lift) {
  const PowerProduct least(floor_length);
  return lift.log(compare(n, least) < 0 ? least : n) / lift.log(PowerProduct(log_base));
}

std::optional<ExactGamma> log_n_gamma(const Schedule& s, const PowerProduct* n) {
  if (n && compare(*n, PowerProduct(floor_length)) < 0) return std::nullopt;
  return gamma_over_log(s, PowerProduct(log_base));
}

}  // namespace

constinit const ScheduleLaw log_n_law{
    .name = "log-n",
    .ball = log_n_multiplier<Ball>,
    .interval = log_n_multiplier<Interval>,
    .formula = [](const Schedule&) { return fmt::format("ln(max(n, {}))/ln({})", floor_length, log_base); },
    .symbols =
        [](const FormulaNames& names) {
          return fmt::format("log(max({}, {}))/log({})", names.n, floor_length, log_base);
        },
    .constant_gamma = log_n_gamma,
    .pieces =
        [](const Schedule& s) {
          const Place least = place_of(PowerProduct(floor_length));
          return std::vector{falling_constant(s, start_of_lengths(), least), level_piece(least)};
        },
    .curve =
        [](const Schedule&) {
          MultiplierFormula r = log_formula(PowerProduct(log_base));
          r.kink = PowerProduct(floor_length);
          return r;
        },
};

}  // namespace critscale
