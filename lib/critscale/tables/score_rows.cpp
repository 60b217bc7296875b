// Binary64 views of questions.
#include "critscale/tables/detail/score_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "critscale/number/errors.hpp"

namespace critscale {

namespace {

constexpr double masked = -std::numeric_limits<double>::infinity();

double number(const Rational& v) { return static_cast<double>(v); }

ScoreRow row_of_doubles(const std::vector<double>& scores) {
  ScoreRow r{scores, *std::max_element(scores.begin(), scores.end())};
  for (double& x : r.x) x = std::isfinite(x) ? x - r.maximum : masked;
  return r;
}

}  // namespace

ScoreRow score_row_of(const std::vector<Score>& scores) {
  const Rational* top = nullptr;
  for (const Score& s : scores)
    if (s && (!top || *s > *top)) top = &*s;
  ScoreRow r{{}, top ? number(*top) : 0};
  for (const Score& s : scores) r.x.push_back(s ? number(Rational(*s - *top)) : masked);
  return r;
}

std::size_t visible_keys(const Question& q, std::size_t keys) {
  if (!q.find("visible")) return keys;
  const Rational v = number_of(q, "visible");
  if (!is_integer(v) || v < 0 || v > static_cast<unsigned long>(keys))
    throw InputError(fmt::format("visible must be a number of keys, 0 to {}, found {}", keys, to_string(v)));
  return static_cast<std::size_t>(v);
}

MaskedRow masked_row_of(const Question& q) {
  MaskedRow r;
  std::vector<Score> scores = scores_of(q, "scores");
  const auto values = matrix_of(q, "values");
  const std::size_t visible = visible_keys(q, scores.size());
  for (std::size_t j = visible; j < scores.size(); ++j) scores[j].reset();
  r.columns.assign(values[0].size(), {});
  for (const auto& v : values)
    for (std::size_t c = 0; c < r.columns.size(); ++c) r.columns[c].push_back(number(v[c]));
  const double d = q.find("d") ? number(number_of(q, "d")) : 1, factor = 1 / std::sqrt(d);
  r.cap = q.find("softcap") ? number(number_of(q, "softcap")) : 0;
  r.is_scaled = d != 1;
  r.scores = score_row_of(scores);
  for (const Score& s : scores) {
    r.scaled.push_back(s ? factor * number(*s) : 0);
    r.capped.push_back(r.cap > 0 ? r.cap * std::tanh(r.scaled.back() / r.cap) : r.scaled.back());
  }
  if (r.cap == 0 && !q.find("sink")) {
    for (double& x : r.scores.x) x *= factor;
    r.scores.maximum *= factor;
    return r;
  }
  std::vector<double> all;
  for (std::size_t j = 0; j < scores.size(); ++j) all.push_back(scores[j] ? r.capped[j] : masked);
  if (q.find("sink")) {
    all.push_back(number(number_of(q, "sink")));
    r.scaled.push_back(0);
    r.capped.push_back(0);
    for (auto& column : r.columns) column.push_back(0);
  }
  r.scores = row_of_doubles(all);
  return r;
}

LayerRows layer_rows_of(const Question& q) {
  LayerRows r;
  r.beta = number(number_of(q, "beta"));
  r.alpha = q.find("alpha") ? number(number_of(q, "alpha")) : 0;
  for (const auto& x : matrix_of(q, "tokens")) {
    r.tokens.emplace_back();
    for (const Rational& v : x) r.tokens.back().push_back(number(v));
    double norm2 = 0;
    for (const double v : r.tokens.back()) norm2 += v * v;
    r.directions.push_back(r.tokens.back());
    for (double& v : r.directions.back()) v /= std::sqrt(norm2);
  }
  for (const auto& a : r.directions) {
    std::vector<double> s;
    for (const auto& b : r.directions) {
      double product = 0;
      for (std::size_t c = 0; c < a.size(); ++c) product += a[c] * b[c];
      s.push_back(r.beta * product);
    }
    r.scores.push_back(row_of_doubles(s));
  }
  return r;
}

}  // namespace critscale
