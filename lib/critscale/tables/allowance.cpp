// Allowances: rows of attention and the layer. Binary64 arithmetic: an allowance need not be exact, and is
// widened by far more than its own rounding.
#include "critscale/tables/allowance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "critscale/tables/detail/attention_question.hpp"
#include "critscale/tables/detail/row_errors.hpp"
#include "critscale/tables/detail/score_rows.hpp"
#include "critscale/tables/formulas.hpp"

namespace critscale {

namespace {

std::vector<Allowance> softmax_allowances(const ScoreRow& row, const Arithmetic& a) {
  const RowErrors e(row, std::vector<double>(row.x.size(), 0.0), a);
  std::vector<Allowance> r;
  for (std::size_t i = 0; i < row.x.size(); ++i)
    r.push_back(worst_and_likely([&](bool likely) {
      return std::isfinite(row.x[i]) ? stored_margin(e.weight(i, likely), e.p()[i], a) : Margin{};
    }));
  return r;
}

Allowance logsumexp_allowance(const ScoreRow& row, const Arithmetic& a) {
  const RowErrors e(row, std::vector<double>(row.x.size(), 0.0), a);
  return worst_and_likely([&](bool likely) {
    return stored_margin(log_sum_margin(e, row.maximum, a, likely), row.maximum + e.log_sum(), a);
  });
}

/// THEORY-rounding [entropy-rounding]: the larger bound of -sum p ln p and ln S - sum p x.
Allowance entropy_allowance(const ScoreRow& row, const Arithmetic& a) {
  const RowErrors e(row, std::vector<double>(row.x.size(), 0.0), a);
  const RoundingUnits u(a);
  const double least = e.underflow(), log_least = -std::log(least);
  return worst_and_likely([&](bool likely) {
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
      // Both -p ln p and what is computed lie between 0 and -q ln q.
      const double q = std::min(p + error, std::exp(-1.0)), most = -q * std::log(q);
      by_weights += std::min(error * (std::abs(l + 1) + error / p), most) +
                    (u.function + 3 * u.inner + u.elementwise) *
                        std::min((p + error) * (std::abs(l) + error / p), most);
      by_scores += error * -row.x[i] + 2 * u.elementwise * (p + error) * -row.x[i];
      products -= (p + error) * row.x[i];
    }
    by_weights += k * (value + by_weights);
    const Margin s = e.log_of_sum(likely);
    const double log_error = std::max(s.down, s.up);
    by_scores += k * products + log_error + (u.function + 3 * u.inner) * (e.log_sum() + log_error);
    double error = std::max(by_weights, by_scores);
    error += 2 * u.elementwise * (value + error);
    return stored_margin(symmetric_margin(error), value, a);
  });
}

std::vector<Allowance> row_allowances(const Question& q, const Arithmetic& a) {
  const MaskedRow row = masked_row_of(q);
  const RoundingUnits u(a);
  std::vector<double> error;
  for (std::size_t j = 0; j < row.scores.x.size(); ++j) {
    // 1/sqrt d and its product: three roundings; the cap: a quotient, tanh and a product.
    double t = row.is_scaled ? 3.1 * u.elementwise * std::abs(row.scaled[j]) : 0;
    if (row.cap > 0) {
      const double argument = (t + u.elementwise * (std::abs(row.scaled[j]) + t)) / row.cap;
      t = row.cap * tanh_error(row.scaled[j] / row.cap, argument);
      t += 1.01 * (u.function + 2 * u.elementwise) * (std::abs(row.capped[j]) + t);
    }
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
  const RoundingUnits u(a);
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
  if (q.op == "attention") return attention_allowances(attention_of(q), a);
  if (q.op == "layer" && q.find("tokens")) return layer_allowances(q, a);
  if (q.op == "schedule") return std::vector{schedule_allowance(q, a)};
  return std::nullopt;
}

}  // namespace critscale
