// gaussian: the scale at which independent Gaussian scores sharpen, sqrt(2 ln n) ([random-scores]).
#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

template <class Real>
Real gaussian_multiplier(const Schedule&, const PowerProduct& n, const Lift<Real>& lift) {
  return sqrt(Real(2 * lift.log(n)));
}

// sqrt 2 x^(1/2)/x falls.
std::vector<Piece> gaussian_pieces(const Schedule& s) {
  return {{start_of_lengths(), std::nullopt, -1,
           [s](const Ball& x) { return logit_factor(s, Lift<Ball>(x.precision())) * sqrt(2 * x) / x; }}};
}

}  // namespace

constinit const ScheduleLaw gaussian_law{
    .name = "gaussian",
    .ball = gaussian_multiplier<Ball>,
    .interval = gaussian_multiplier<Interval>,
    .formula = [](const Schedule&) { return std::string("sqrt(2 ln(n))"); },
    .symbols = [](const FormulaNames& names) { return fmt::format("(2*log({}))^(1/2)", names.n); },
    .pieces = gaussian_pieces,
};

}  // namespace critscale
