// One row of attention scores: its weights, and what rounding may do to them and to what is computed from
// them (THEORY-rounding [weight-rounding], [row-rounding]). Binary64 arithmetic: an allowance need not be
// exact, and is widened by far more than its own rounding. Private to tables/; uses allowance.hpp and
// score_rows.hpp.
#pragma once

#include <vector>

#include "critscale/tables/allowance.hpp"
#include "critscale/tables/detail/score_rows.hpp"

namespace critscale {

/// Covers the rounding of the allowances' own arithmetic.
inline constexpr double widening = 1 + 1e-9;

/// The relative errors of one elementary function and of the elementwise operations.
struct RoundingUnits {
  explicit RoundingUnits(const Arithmetic& a);
  double elementwise, accumulate, weights, output, inner, function;
};

/// ln((1 + u)^k) and -ln((1 - u)^k). A sum cannot grow without bound, as an addition errs by no more than
/// its smaller term (THEORY-rounding [sum-rounding]): an answer of 0 stays outside.
double grown(double k, double u);
double shrunk(double k, double u);

/// How far tanh of x and tanh of an argument that errs by `error` may lie apart: little where tanh is
/// nearly 1.
double tanh_error(double x, double error);

/// The roundings of a sum of `terms` terms in the worst case, and those that are likely.
double sum_roundings(const Arithmetic& a, std::size_t terms, bool likely, std::size_t rescalings = 0);

class RowErrors {
 public:
  /// `score_error[j]` bounds the error of score j. Keeps references to the row and the arithmetic.
  RowErrors(const ScoreRow& row, const std::vector<double>& score_error, const Arithmetic& arithmetic);

  std::size_t visible() const { return visible_; }
  bool sees(std::size_t j) const;
  double log_sum() const { return log_sum_; }
  /// How far the computed maximum may lie from the maximum.
  double top_error() const { return top_error_; }
  const std::vector<double>& p() const { return p_; }
  double log_p(std::size_t j) const { return log_p_[j]; }
  /// p_j (e^(a_j) - 1).
  double excess_of(std::size_t j) const;
  /// sum p_j (e^(a_j) - 1) and a lower bound of sum p_j e^(-a_j).
  double excess_sum() const { return excess_; }
  double least_sum() const { return 1 - deficit_; }
  /// Roundings of a sum over the visible keys, in the worst case and likely.
  double roundings(bool likely, bool online = true) const;
  /// ln of how much too large and too small the computed partition function may be.
  Margin log_of_sum(bool likely) const;
  /// How far computed weight i may lie from p_i, rounded to the elementwise format.
  Margin weight(std::size_t i, bool likely) const;
  double underflow() const { return underflow_error(*a_.elementwise); }

 private:
  const Arithmetic& a_;
  RoundingUnits u_;
  const ScoreRow& row_;
  std::size_t visible_ = 0, rescalings_ = 0;
  double sum_ = 0, log_sum_ = 0, excess_ = 0, deficit_ = 0, largest_ = 0, top_error_ = 0;
  std::vector<double> p_, log_p_, error_;
};

Margin symmetric_margin(double error);
/// Rounding to the output's format, and underflow there.
Margin stored_margin(Margin m, double value, const Arithmetic& a);

/// error(false) and error(true): the worst case and the likely bound.
template <class Error>
Allowance worst_and_likely(const Error& error) {
  return {error(false), error(true)};
}

/// p (e^a - 1) for p = e^l, where e^a alone may overflow.
double weight_excess(double p, double l, double a);
/// The smaller one; `most` where x is not a number, as infinity times 0 is not.
double at_most(double x, double most);

/// The log-sum-exp of a row with this maximum, before it is stored (THEORY-rounding [logsumexp-rounding]).
Margin log_sum_margin(const RowErrors& e, double maximum, const Arithmetic& a, bool likely);

/// One column of an attention row (THEORY-rounding [row-rounding]); `value_error` bounds the values' relative
/// error.
Allowance output_allowance(const RowErrors& e, const std::vector<double>& values, double value_error,
                           const Arithmetic& a);

}  // namespace critscale
