// infoscale: scaling by information entropy invariance, d the head's dimension.
#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

/// The square root of (1 - n^(-2/d))/(1 - L^(-2/d)), from ln n.
template <class Real>
Real entropy_ratio(const Schedule& s, const Real& log_n, const Lift<Real>& lift) {
  const Real rate = lift(Rational(-2 / s.dimension));
  return sqrt(Real(expm1(Real(rate * log_n)) / expm1(Real(rate * lift.log(s.train_length)))));
}

template <class Real>
Real infoscale_multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  return entropy_ratio(s, lift.log(n), lift);
}

Ball infoscale_at(const Schedule& s, const Ball& x) { return entropy_ratio(s, x, Lift<Ball>(x.precision())); }

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
             return logit_factor(s, Lift<Ball>(x.precision())) * infoscale_at(s, x) / x;
           }}};
}

// m^2 = A (1 - e^(-y)), y = 2 x/d: m' = m/(d (e^y - 1)), which falls, and x m'/m = y/(2 (e^y - 1)) falls to
// 0.
MultiplierFormula infoscale_curve(const Schedule& s) {
  return {.value = [s](const Ball& x) { return infoscale_at(s, x); },
          .slope =
              [s](const Ball& x) {
                const Lift<Ball> lift(x.precision());
                return infoscale_at(s, x) / (lift(s.dimension) * expm1(lift(Rational(2 / s.dimension)) * x));
              },
          .coefficient =
              [s](Bits bits) {
                const Lift<Ball> lift(bits);
                return 1 / sqrt(-expm1(lift(Rational(-2 / s.dimension)) * lift.log(s.train_length)));
              },
          .excess = [] { return 1; }};
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
    .curve = infoscale_curve,
};

}  // namespace critscale
