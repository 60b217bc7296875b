// The multiplier that two schedules have in common: log_L n beyond the training length L, else 1.
#pragma once

#include <string>

#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

template <class Real>
Real log_beyond_training(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  return beyond_training(s, n) ? Real(lift.log(n) / lift.log(s.train_length)) : lift(Rational(1));
}

inline std::string log_beyond_training_text(const Schedule& s) {
  return fmt::format("ln(n)/ln({0}) for n > {0}, else 1", s.train_length.to_string());
}

inline std::string log_beyond_training_symbols(const FormulaNames& names) {
  return fmt::format("max(log({})/log(train_length), 1)", names.n);
}

inline MultiplierFormula log_beyond_training_curve(const Schedule& s) {
  MultiplierFormula r = log_formula(s.train_length);
  r.kink = s.train_length;
  return r;
}

inline std::optional<ExactGamma> log_beyond_training_gamma(const Schedule& s, const PowerProduct* n) {
  if (n && !beyond_training(s, *n)) return std::nullopt;
  return gamma_over_log(s, s.train_length);
}

}  // namespace critscale
