// constant: no scaling by length, the multiplier c.
#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

template <class Real>
Real constant_multiplier(const Schedule& s, const PowerProduct&, const Lift<Real>& lift) {
  return lift(s.coefficient);
}

}  // namespace

constinit const ScheduleLaw constant_law{
    .name = "constant",
    .ball = constant_multiplier<Ball>,
    .interval = constant_multiplier<Interval>,
    .formula = [](const Schedule& s) { return to_string(s.coefficient); },
    .symbols = [](const FormulaNames&) { return std::string("coefficient"); },
    .pieces = [](const Schedule& s) { return std::vector{falling_constant(s, start_of_lengths())}; },
    .curve = constant_curve,
};

}  // namespace critscale
