// gaussian: the scale at which independent Gaussian scores sharpen, sqrt(2 ln n) ([random-scores]).
#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

template <class Real>
Real critical_for_scores(const Real& log_n) {
  return sqrt(Real(2 * log_n));
}

template <class Real>
Real gaussian_multiplier(const Schedule&, const PowerProduct& n, const Lift<Real>& lift) {
  return critical_for_scores(lift.log(n));
}

// sqrt 2 x^(1/2)/x falls.
std::vector<Piece> gaussian_pieces(const Schedule& s) {
  return {{start_of_lengths(), std::nullopt, -1, [s](const Ball& x) {
             return logit_factor(s, Lift<Ball>(x.precision())) * critical_for_scores(x) / x;
           }}};
}

MultiplierFormula gaussian_curve(const Schedule&) {
  return {.value = [](const Ball& x) { return critical_for_scores(x); },
          .slope = [](const Ball& x) { return 1 / critical_for_scores(x); },
          .growth = Rational(1, 2),
          .coefficient = [](Bits bits) { return critical_for_scores(Ball(1, bits)); },
          .squared_coefficient = Rational(2)};
}

}  // namespace

constinit const ScheduleLaw gaussian_law{
    .name = "gaussian",
    .ball = gaussian_multiplier<Ball>,
    .interval = gaussian_multiplier<Interval>,
    .formula = [](const Schedule&) { return std::string("sqrt(2 ln(n))"); },
    .symbols = [](const FormulaNames& names) { return fmt::format("(2*log({}))^(1/2)", names.n); },
    .pieces = gaussian_pieces,
    .curve = gaussian_curve,
};

}  // namespace critscale
