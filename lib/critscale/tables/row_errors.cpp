// Weights of a row and their errors.
#include "critscale/tables/detail/row_errors.hpp"

#include <algorithm>
#include <cmath>

namespace critscale {

namespace {

constexpr double most_growth = 20;

/// p (1 - e^-a).
double weight_deficit(double p, double a) { return -p * std::expm1(-a); }

}  // namespace

RoundingUnits::RoundingUnits(const Arithmetic& a)
    : elementwise(unit_roundoff(*a.elementwise)),
      accumulate(unit_roundoff(*a.accumulate)),
      weights(unit_roundoff(*a.weights)),
      output(unit_roundoff(*a.format)),
      inner(std::min(elementwise, unit_roundoff(binary32))),
      // Two units of the last place, but narrow formats round a binary32 result once.
      function(a.elementwise->width < 32 ? elementwise + 4 * inner : 4 * elementwise) {}

double grown(double k, double u) { return std::min(k * std::log1p(u), most_growth); }
double shrunk(double k, double u) { return std::min(-k * std::log1p(-u), most_growth); }

double tanh_error(double x, double error) {
  // The slope is largest towards 0.
  const double a = std::abs(x), b = a - error;
  if (b <= 0) return std::min(error, std::tanh(a) - std::tanh(b));
  // tanh a - tanh b without the difference of numbers near 1.
  const double change = 2 * std::exp(-2 * b) * -std::expm1(-2 * error);
  return widening * change / ((1 + std::exp(-2 * a)) * (1 + std::exp(-2 * b)));
}

double at_most(double x, double most) { return x < most ? x : most; }

double weight_excess(double p, double l, double a) { return a < 1 ? p * std::expm1(a) : std::exp(l + a) - p; }

double sum_roundings(const Arithmetic& a, std::size_t terms, bool likely, std::size_t rescalings) {
  const double k = a.order.roundings(terms, rescalings);
  return likely ? std::min(k, 6 * std::sqrt(k)) : k;
}

RowErrors::RowErrors(const ScoreRow& row, const std::vector<double>& score_error,
                     const Arithmetic& arithmetic)
    : a_(arithmetic), u_(arithmetic), row_(row) {
  const std::size_t n = row.x.size();
  std::vector<double> distinct;
  for (std::size_t j = 0; j < n; ++j) {
    if (!std::isfinite(row.x[j])) continue;
    distinct.push_back(row.x[j]);
    sum_ += std::exp(row.x[j]);
    // The computed maximum is at most s_j + t_j for some j, and at least that of the key at the maximum.
    top_error_ = std::max(top_error_, score_error[j] + row.x[j]);
  }
  visible_ = distinct.size();
  std::sort(distinct.begin(), distinct.end());
  rescalings_ = static_cast<std::size_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
  rescalings_ -= rescalings_ > 0 ? 1 : 0;
  log_sum_ = std::log(sum_);
  for (std::size_t j = 0; j < n; ++j) {
    const double x = row.x[j];
    const double l = x - log_sum_, p = std::isfinite(x) ? std::exp(l) : 0;
    double error = 0;
    if (std::isfinite(x) && (x != 0 || top_error_ > 0 || score_error[j] > 0))
      error = (1 + u_.elementwise) * score_error[j] + u_.elementwise * (-x + top_error_) - 2 * u_.inner * x -
              std::log1p(-u_.function);
    p_.push_back(p);
    log_p_.push_back(l);
    error_.push_back(error);
    excess_ += p > 0 || l + error > -745 ? weight_excess(p, l, error) : 0;
    deficit_ += weight_deficit(p, error);
    largest_ = std::max(largest_, error);
  }
}

bool RowErrors::sees(std::size_t j) const { return std::isfinite(row_.x[j]); }

double RowErrors::excess_of(std::size_t j) const { return weight_excess(p_[j], log_p_[j], error_[j]); }

double RowErrors::roundings(bool likely, bool online) const {
  return sum_roundings(a_, visible_, likely, online ? rescalings_ : 0);
}

Margin RowErrors::log_of_sum(bool likely) const {
  const double k = roundings(likely), vanished = static_cast<double>(visible_) * underflow();
  const double rounded = a_.elementwise == a_.accumulate ? 0 : 1;
  // No exponent errs by more than the largest error, so the sum's logarithm does not either.
  const double down = std::min(-std::log1p(-std::min(deficit_, 1.0)), largest_),
               up = std::min(std::log1p(excess_), largest_);
  return {down + shrunk(k, u_.accumulate) + shrunk(rounded, u_.elementwise) + vanished,
          up + grown(k, u_.accumulate) + grown(rounded, u_.elementwise) + vanished};
}

Margin RowErrors::weight(std::size_t i, bool likely) const {
  const double p = p_[i], a = error_[i], k = roundings(likely);
  if (p == 0) return {0, std::exp(std::min(log_p_[i] + a, 0.0)) + 2 * underflow()};
  const double others_excess = std::isfinite(excess_) ? std::max(excess_ - excess_of(i), 0.0) : excess_,
               others_deficit = std::max(deficit_ - weight_deficit(p, a), 0.0);
  const double down = std::expm1(a) * (1 - p) + std::exp(a) * others_excess,
               up = -std::expm1(-a) * (1 - p) + std::exp(-a) * others_deficit;
  const double log_down = std::log1p(down) + grown(k, u_.accumulate) + shrunk(2, u_.elementwise),
               log_up = -std::log1p(-std::min(up, 1.0)) + shrunk(k, u_.accumulate) +
                        grown(1, u_.elementwise) + shrunk(1, u_.elementwise);
  const double vanished = 2 * underflow() + static_cast<double>(visible_) * underflow() * p;
  // Weights are quotients of a term and a sum that contains it: at most 1, up to the roundings of both.
  const double most = std::expm1(shrunk(k, u_.accumulate) + grown(2, u_.elementwise)) + (1 - p);
  return {-p * std::expm1(-log_down) + vanished, at_most(p * std::expm1(log_up), most) + vanished};
}

Margin symmetric_margin(double error) { return {error, error}; }

Margin stored_margin(Margin m, double value, const Arithmetic& a) {
  const double u = unit_roundoff(*a.format), least = underflow_error(*a.format);
  const bool rounds = a.format != a.elementwise;
  const double down = rounds ? u * std::max(std::abs(value) - m.down, 0.0) : 0,
               up = rounds ? u * (std::abs(value) + m.up) : 0;
  return {(m.down + down + least) * widening, (m.up + up + least) * widening};
}

Margin log_sum_margin(const RowErrors& e, double maximum, const Arithmetic& a, bool likely) {
  const RoundingUnits u(a);
  const double value = maximum + e.log_sum();
  Margin m = e.log_of_sum(likely);
  for (double* side : {&m.down, &m.up}) {
    // The error of the maximum is in both terms of M + ln S, with opposite signs; the logarithm's own
    // rounding is that of the ln S that is computed.
    const double logarithm = (u.function + 3 * u.inner) * (e.log_sum() + e.top_error() + *side);
    *side += logarithm;
    *side += u.elementwise * (std::abs(value) + *side);
  }
  return m;
}

Allowance output_allowance(const RowErrors& e, const std::vector<double>& values, double value_error,
                           const Arithmetic& a) {
  const RoundingUnits u(a);
  double output = 0, size = 0, spread = 0, all = 0, farthest = 0, largest = 0;
  for (std::size_t j = 0; j < values.size(); ++j) output += e.p()[j] * values[j];
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!e.sees(j)) continue;
    const double distance = std::abs(values[j] - output);
    size += e.p()[j] * std::abs(values[j]);
    spread += distance > 0 ? e.excess_of(j) * distance : 0;
    all += std::abs(values[j]);
    farthest = std::max(farthest, distance);
    largest = std::max(largest, std::abs(values[j]));
  }
  // Whatever the weights are, the output is a mean of the values that are seen.
  spread = at_most(spread / std::max(e.least_sum(), 1e-300), farthest);
  const double grown_size = at_most(size * (1 + e.excess_sum() / std::max(e.least_sum(), 1e-300)), largest);
  return worst_and_likely([&](bool likely) {
    const double k = 2 * e.roundings(likely) + 2;
    const double rounding = std::expm1(shrunk(k, u.accumulate) + shrunk(1, u.weights) +
                                       shrunk(3, u.elementwise) + std::log1p(value_error));
    const double vanished =
        (2 * underflow_error(*a.elementwise) + underflow_error(*a.weights)) * (all + std::abs(output));
    return stored_margin(symmetric_margin(spread + grown_size * rounding + vanished), output, a);
  });
}

}  // namespace critscale
