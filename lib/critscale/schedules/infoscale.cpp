// infoscale: scaling by information entropy invariance, d the head's dimension.
#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

/// 1 - x^(-2/d).
template <class Real>
Real spread(const PowerProduct& x, const Rational& d, const Lift<Real>& lift) {
  return -expm1(Real(lift(Rational(-2 / d)) * lift.log(x)));
}

template <class Real>
Real infoscale_multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  return sqrt(Real(spread(n, s.dimension, lift) / spread(s.train_length, s.dimension, lift)));
}

std::string infoscale_text(const Schedule& s) {
  return fmt::format("sqrt((1 - n^(-2/{0}))/(1 - {1}^(-2/{0})))", to_string(s.dimension),
                     s.train_length.to_string());
}

std::string infoscale_symbols(const FormulaNames& names) {
  const auto spread_of = [](const std::string& x) {
    return fmt::format("(1 - exp(-2*log({})/entropy_dim))", x);
  };
  return fmt::format("({}/{})^(1/2)", spread_of(names.n), spread_of("train_length"));
}

// (ln gamma^2)' = (2/d)/(e^(2x/d) - 1) - 2/x < 0, because e^y - 1 > y.
std::vector<Piece> infoscale_pieces(const Schedule& s) {
  return {{start_of_lengths(), std::nullopt, -1, [s](const Ball& x) {
             const Lift<Ball> lift(x.precision());
             const Ball rate = lift(Rational(-2 / s.dimension));
             return logit_factor(s, lift) * sqrt(expm1(rate * x) / expm1(rate * lift.log(s.train_length))) /
                    x;
           }}};
}

void validate_infoscale(const Schedule& s) {
  if (s.dimension <= 0)
    throw InputError(fmt::format("infoscale needs the head's dimension, a positive number, found {}",
                                 to_string(s.dimension)));
}

}  // namespace

constinit const ScheduleLaw infoscale_law{
    .name = "infoscale",
    .uses_train_length = true,
    .ball = infoscale_multiplier<Ball>,
    .interval = infoscale_multiplier<Interval>,
    .formula = infoscale_text,
    .symbols = infoscale_symbols,
    .validate = validate_infoscale,
    .pieces = infoscale_pieces,
};

}  // namespace critscale
