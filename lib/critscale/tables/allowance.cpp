// Allowances: rows of attention and the layer. Binary64 arithmetic: an allowance need not be exact, and is
// widened by far more than its own rounding.
#include "critscale/tables/allowance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "critscale/tables/detail/score_rows.hpp"
#include "critscale/tables/formulas.hpp"

namespace critscale {

namespace {

/// Covers the rounding of this file's own arithmetic.
constexpr double widening = 1 + 1e-9;

/// The relative errors of one elementary function and of the elementwise operations.
struct Units {
  explicit Units(const Arithmetic& a)
      : elementwise(unit_roundoff(*a.elementwise)),
        accumulate(unit_roundoff(*a.accumulate)),
        weights(unit_roundoff(*a.weights)),
        output(unit_roundoff(*a.format)),
        inner(std::min(elementwise, unit_roundoff(binary32))),
        // Two units of the last place, but narrow formats round a binary32 result once.
        function(a.elementwise->width < 32 ? elementwise + 4 * inner : 4 * elementwise) {}
  double elementwise, accumulate, weights, output, inner, function;
};

/// ln((1 + u)^k) and -ln((1 - u)^k). A sum cannot grow without bound, as an addition errs by no more than
/// its smaller term (THEORY-rounding [sum-rounding]): an answer of 0 stays outside.
constexpr double most_growth = 20;
double grown(double k, double u) { return std::min(k * std::log1p(u), most_growth); }
double shrunk(double k, double u) { return std::min(-k * std::log1p(-u), most_growth); }

/// The smaller one; `most` where x is not a number, as infinity times 0 is not.
double at_most(double x, double most) { return x < most ? x : most; }

/// p (e^a - 1) and p (1 - e^-a) for p = e^l, where e^a alone may overflow.
double excess(double p, double l, double a) { return a < 1 ? p * std::expm1(a) : std::exp(l + a) - p; }
double deficit(double p, double a) { return -p * std::expm1(-a); }

/// One row of scores: weights, and bounds of their relative errors (THEORY-rounding [weight-rounding]).
class RowErrors {
 public:
  /// `score_error[j]` bounds the error of score j.
  RowErrors(const ScoreRow& row, const std::vector<double>& score_error, const Arithmetic& arithmetic)
      : a_(arithmetic), u_(arithmetic), row_(row) {
    const std::size_t n = row.x.size();
    std::vector<double> distinct;
    double top_error = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (!std::isfinite(row.x[j])) continue;
      distinct.push_back(row.x[j]);
      sum_ += std::exp(row.x[j]);
      if (row.x[j] == 0) top_error = std::max(top_error, score_error[j]);
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
      if (std::isfinite(x) && (x != 0 || top_error > 0 || score_error[j] > 0))
        error = (1 + u_.elementwise) * score_error[j] + u_.elementwise * (-x + top_error) - 2 * u_.inner * x -
                std::log1p(-u_.function);
      p_.push_back(p);
      log_p_.push_back(l);
      error_.push_back(error);
      excess_ += p > 0 || l + error > -745 ? excess(p, l, error) : 0;
      deficit_ += deficit(p, error);
      largest_ = std::max(largest_, error);
    }
  }

  std::size_t visible() const { return visible_; }
  bool sees(std::size_t j) const { return std::isfinite(row_.x[j]); }
  double log_sum() const { return log_sum_; }
  const std::vector<double>& p() const { return p_; }
  double log_p(std::size_t j) const { return log_p_[j]; }
  /// p_j (e^(a_j) - 1).
  double excess_of(std::size_t j) const { return excess(p_[j], log_p_[j], error_[j]); }
  /// sum p_j (e^(a_j) - 1) and a lower bound of sum p_j e^(-a_j).
  double excess_sum() const { return excess_; }
  double least_sum() const { return 1 - deficit_; }

  /// Roundings of a sum over the visible keys, in the worst case and likely.
  double roundings(bool likely, bool online = true) const {
    const double k = a_.order.roundings(visible_, online ? rescalings_ : 0);
    return likely ? std::min(k, 6 * std::sqrt(k)) : k;
  }
  /// ln of how much too large and too small the computed partition function may be.
  Margin log_of_sum(bool likely) const {
    const double k = roundings(likely), vanished = static_cast<double>(visible_) * underflow();
    const double rounded = a_.elementwise == a_.accumulate ? 0 : 1;
    // No exponent errs by more than the largest error, so the sum's logarithm does not either.
    const double down = std::min(-std::log1p(-std::min(deficit_, 1.0)), largest_),
                 up = std::min(std::log1p(excess_), largest_);
    return {down + shrunk(k, u_.accumulate) + shrunk(rounded, u_.elementwise) + vanished,
            up + grown(k, u_.accumulate) + grown(rounded, u_.elementwise) + vanished};
  }
  /// How far computed weight i may lie from p_i, rounded to the elementwise format.
  Margin weight(std::size_t i, bool likely) const {
    const double p = p_[i], a = error_[i], k = roundings(likely);
    if (p == 0) return {0, std::exp(std::min(log_p_[i] + a, 0.0)) + 2 * underflow()};
    const double others_excess = std::isfinite(excess_) ? std::max(excess_ - excess_of(i), 0.0) : excess_,
                 others_deficit = std::max(deficit_ - deficit(p, a), 0.0);
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
  double underflow() const { return underflow_error(*a_.elementwise); }

 private:
  const Arithmetic& a_;
  Units u_;
  const ScoreRow& row_;
  std::size_t visible_ = 0, rescalings_ = 0;
  double sum_ = 0, log_sum_ = 0, excess_ = 0, deficit_ = 0, largest_ = 0;
  std::vector<double> p_, log_p_, error_;
};

Margin symmetric(double error) { return {error, error}; }

/// Rounding to the output's format, and underflow there.
Margin stored(Margin m, double value, const Arithmetic& a) {
  const double u = unit_roundoff(*a.format), least = underflow_error(*a.format);
  const double rounded = a.format == a.elementwise ? 0 : u;
  m.down = (m.down + rounded * std::max(std::abs(value) - m.down, 0.0) + least) * widening;
  m.up = (m.up + rounded * (std::abs(value) + m.up) + least) * widening;
  return m;
}

template <class Error>
Allowance both(const Error& error) {
  return {error(false), error(true)};
}

std::vector<Allowance> softmax_allowances(const ScoreRow& row, const Arithmetic& a) {
  const RowErrors e(row, std::vector<double>(row.x.size(), 0.0), a);
  std::vector<Allowance> r;
  for (std::size_t i = 0; i < row.x.size(); ++i)
    r.push_back(both([&](bool likely) {
      return std::isfinite(row.x[i]) ? stored(e.weight(i, likely), e.p()[i], a) : Margin{};
    }));
  return r;
}

/// THEORY-rounding [logsumexp-rounding].
Allowance logsumexp_allowance(const ScoreRow& row, const Arithmetic& a) {
  const RowErrors e(row, std::vector<double>(row.x.size(), 0.0), a);
  const Units u(a);
  const double value = row.maximum + e.log_sum();
  return both([&](bool likely) {
    Margin m = e.log_of_sum(likely);
    for (double* side : {&m.down, &m.up}) {
      const double logarithm = (u.function + 3 * u.inner) * (e.log_sum() + *side);
      *side += logarithm;
      *side += u.elementwise * (std::abs(value) + *side);
    }
    return stored(m, value, a);
  });
}

/// THEORY-rounding [entropy-rounding]: the larger bound of -sum p ln p and ln S - sum p x.
Allowance entropy_allowance(const ScoreRow& row, const Arithmetic& a) {
  const RowErrors e(row, std::vector<double>(row.x.size(), 0.0), a);
  const Units u(a);
  const double least = e.underflow(), log_least = -std::log(least);
  return both([&](bool likely) {
    const double k = std::expm1(shrunk(e.roundings(likely, false), u.accumulate));
    double value = 0, by_weights = 0, by_scores = 0, products = 0;
    for (std::size_t i = 0; i < row.x.size(); ++i) {
      const double p = e.p()[i], l = e.log_p(i);
      if (!std::isfinite(row.x[i])) continue;
      by_weights += least * (log_least + 1);
      if (p == 0) continue;
      const Margin w = e.weight(i, likely);
      const double error = std::max(w.down, w.up);
      value -= p * l;
      by_weights += error * (std::abs(l + 1) + error / p) +
                    (p + error) * (u.function + 3 * u.inner + u.elementwise) * (std::abs(l) + error / p);
      by_scores += error * -row.x[i] + 2 * u.elementwise * (p + error) * -row.x[i];
      products -= (p + error) * row.x[i];
    }
    by_weights += k * (value + by_weights);
    const Margin s = e.log_of_sum(likely);
    const double log_error = std::max(s.down, s.up);
    by_scores += k * products + log_error + (u.function + 3 * u.inner) * (e.log_sum() + log_error);
    double error = std::max(by_weights, by_scores);
    error += 2 * u.elementwise * (value + error);
    return stored(symmetric(error), value, a);
  });
}

/// One column of an attention row (THEORY-rounding [row-rounding]); `value_error` bounds the values' relative
/// error.
Allowance output_allowance(const RowErrors& e, const std::vector<double>& values, double value_error,
                           const Arithmetic& a) {
  const Units u(a);
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
  return both([&](bool likely) {
    const double k = 2 * e.roundings(likely) + 2;
    const double rounding = std::expm1(shrunk(k, u.accumulate) + shrunk(1, u.weights) +
                                       shrunk(3, u.elementwise) + std::log1p(value_error));
    const double vanished =
        (2 * underflow_error(*a.elementwise) + underflow_error(*a.weights)) * (all + std::abs(output));
    return stored(symmetric(spread + grown_size * rounding + vanished), output, a);
  });
}

std::vector<Allowance> row_allowances(const Question& q, const Arithmetic& a) {
  const MaskedRow row = masked_row_of(q);
  const Units u(a);
  std::vector<double> error;
  for (std::size_t j = 0; j < row.scores.x.size(); ++j) {
    // 1/sqrt d and its product: three roundings; the cap: a quotient, tanh and a product.
    double t = row.is_scaled ? 3.1 * u.elementwise * std::abs(row.scaled[j]) : 0;
    if (row.is_capped)
      t += u.elementwise * std::abs(row.scaled[j]) +
           (u.function + 2 * u.elementwise) * std::abs(row.capped[j]);
    error.push_back(std::isfinite(row.scores.x[j]) ? t : 0);
  }
  const RowErrors e(row.scores, error, a);
  std::vector<Allowance> r;
  for (const std::vector<double>& column : row.columns)
    r.push_back(e.visible() == 0 ? Allowance{} : output_allowance(e, column, 0, a));
  return r;
}

/// THEORY-rounding [layer-rounding].
std::vector<Allowance> layer_allowances(const Question& q, const Arithmetic& a) {
  const LayerRows layer = layer_rows_of(q);
  const Units u(a);
  const std::size_t n = layer.tokens.size(), d = layer.tokens[0].size();
  const double sum = a.order.roundings(d) + 1;
  const double direction = sum * u.accumulate / 2 + 4 * u.elementwise + u.function;
  std::vector<Allowance> r;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> error;
    for (std::size_t j = 0; j < n; ++j) {
      double size = 0;
      for (std::size_t c = 0; c < d; ++c) size += std::abs(layer.directions[i][c] * layer.directions[j][c]);
      error.push_back(1.01 * layer.beta * ((2 * direction + sum * u.accumulate + 2 * u.elementwise) * size));
    }
    const RowErrors e(layer.scores[i], error, a);
    for (std::size_t c = 0; c < d; ++c) {
      std::vector<double> column;
      for (std::size_t j = 0; j < n; ++j) column.push_back(layer.directions[j][c]);
      Allowance v = output_allowance(e, column, direction, a);
      const double residual = std::abs(layer.alpha * layer.tokens[i][c]);
      double output = 0;
      for (std::size_t j = 0; j < n; ++j) output += e.p()[j] * column[j];
      const double extra =
          residual == 0 ? 0 : widening * u.elementwise * (3 * residual + 2 * std::abs(output));
      for (Margin* m : {&v.worst, &v.likely})
        for (double* side : {&m->down, &m->up})
          *side += extra + (residual == 0 ? 0 : u.output * residual + u.elementwise * *side);
      r.push_back(v);
    }
  }
  return r;
}

}  // namespace

std::optional<std::vector<Allowance>> allowances(const Question& q, const Arithmetic& a) {
  if (q.op == "softmax") return softmax_allowances(score_row_of(scores_of(q, "logits")), a);
  if (q.op == "logsumexp" || q.op == "entropy") {
    const ScoreRow row = score_row_of(scores_of(q, "logits"));
    return std::vector{q.op == "entropy" ? entropy_allowance(row, a) : logsumexp_allowance(row, a)};
  }
  if (q.op == "attention_row") return row_allowances(q, a);
  if (q.op == "layer" && q.find("tokens")) return layer_allowances(q, a);
  if (q.op == "schedule") return std::vector{schedule_allowance(q, a)};
  return std::nullopt;
}

}  // namespace critscale
