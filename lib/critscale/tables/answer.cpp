// Certified answers to questions.
#include "critscale/tables/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "critscale/layer/gram.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/schedules/schedule.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

std::vector<Ball> softmax(const std::vector<Score>& scores, const Ball& factor, Bits bits) {
  Exponentials e = exponentials(scores, factor, bits);
  for (Ball& t : e.terms) t /= e.sum;
  return e.terms;
}

Ball logsumexp(const std::vector<Score>& scores, Bits bits) {
  const Exponentials e = exponentials(scores, Ball(1, bits), bits);
  return Ball(e.maximum, bits) + log(e.sum);
}

/// ln S + sum p_i (max - z_i): no term is negative.
Ball entropy(const std::vector<Score>& scores, Bits bits) {
  const Exponentials e = exponentials(scores, Ball(1, bits), bits);
  Ball r = log(e.sum);
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i]) r += e.terms[i] / e.sum * Ball(Rational(e.maximum - *scores[i]), bits);
  return r;
}

/// 1/sqrt d.
Ball score_factor(const Question& q, Bits bits) {
  if (!q.find("d")) return Ball(1, bits);
  const Rational d = number_of(q, "d");
  if (d <= 0) throw InputError(fmt::format("d must be positive, found {}", to_string(d)));
  return 1 / sqrt(Ball(d, bits));
}

/// The output of one column of values where it is rational. Scores are algebraic, so that their
/// exponentials are linearly independent over the algebraic numbers where they differ
/// (Lindemann-Weierstrass): sum_j e^(s_j) (v_j - r) = 0 for a rational r if and only if r is the mean of
/// the values in every group of equal scores.
std::optional<Rational> exact_mean(const std::vector<Score>& scores,
                                   const std::vector<std::vector<Rational>>& values, std::size_t column) {
  std::map<Rational, std::pair<Rational, long>> groups;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i]) {
      auto& [sum, count] = groups[*scores[i]];
      sum += values[i][column];
      ++count;
    }
  std::optional<Rational> mean;
  for (const auto& [score, group] : groups) {
    const Rational m = group.first / group.second;
    if (mean && *mean != m) return std::nullopt;
    mean = m;
  }
  return mean;
}

std::vector<Ball> attention_row(const Question& q, Bits bits) {
  const auto values = matrix_of(q, "values");
  const auto scores = scores_of(q, "scores");
  const std::vector<Ball> p = softmax(scores, score_factor(q, bits), bits);
  if (values.size() != p.size())
    throw InputError(fmt::format("attention_row: {} scores, but {} rows of values", p.size(), values.size()));
  std::vector<Ball> r;
  for (std::size_t c = 0; c < values[0].size(); ++c) {
    if (const auto exact = exact_mean(scores, values, c)) {
      r.emplace_back(*exact, bits);
      continue;
    }
    Ball sum(0, bits);
    for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * Ball(values[i][c], bits);
    r.push_back(std::move(sum));
  }
  return r;
}

Rational dot(const std::vector<Rational>& a, const std::vector<Rational>& b) {
  Rational r = 0;
  for (std::size_t i = 0; i < a.size(); ++i) r += a[i] * b[i];
  return r;
}

/// The layer of [layer] on explicit tokens.
struct ExplicitLayer {
  std::vector<std::vector<Rational>> tokens;
  std::vector<Ball> norm;
  Ball alpha;
  GramLayer<Ball> layer;
};

ExplicitLayer explicit_layer(const Question& q, Bits bits) {
  auto tokens = matrix_of(q, "tokens");
  const std::size_t n = tokens.size();
  const Rational beta = number_of(q, "beta"), alpha = q.find("alpha") ? number_of(q, "alpha") : Rational(0);
  if (beta < 0) throw InputError(fmt::format("beta must not be negative, found {}", to_string(beta)));
  if (alpha < 0) throw InputError(fmt::format("alpha must not be negative, found {}", to_string(alpha)));
  GramInputs<Ball> in{SquareMatrix<Ball>(n),
                      {},
                      Ball(static_cast<long>(tokens[0].size()), bits),
                      Ball(beta, bits),
                      Ball(alpha, bits),
                      SquareMatrix<bool>(n)};
  for (const auto& x : tokens) {
    const Rational norm2 = dot(x, x);
    if (norm2 == 0) throw InputError("tokens: a token is zero");
    in.norm.push_back(sqrt(Ball(norm2, bits)));
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const Rational product = dot(tokens[i], tokens[j]);
      const Rational norms = dot(tokens[i], tokens[i]) * dot(tokens[j], tokens[j]);
      in.tied(i, j) = product > 0 && product * product == norms;
      in.G(i, j) = in.tied(i, j) ? Ball(1, bits) : Ball(product, bits) / sqrt(Ball(norms, bits));
    }
  std::vector<Ball> norm = in.norm;
  Ball residual = in.alpha;
  return {std::move(tokens), std::move(norm), std::move(residual), GramLayer<Ball>(std::move(in))};
}

std::vector<Ball> layer_outputs(const Question& q, Bits bits) {
  const ExplicitLayer e = explicit_layer(q, bits);
  std::vector<Ball> r;
  for (std::size_t i = 0; i < e.tokens.size(); ++i)
    for (std::size_t c = 0; c < e.tokens[0].size(); ++c) {
      Ball x = e.alpha * Ball(e.tokens[i][c], bits);
      for (std::size_t j = 0; j < e.tokens.size(); ++j)
        x += e.layer.weight(i, j) * Ball(e.tokens[j][c], bits) / e.norm[j];
      r.push_back(std::move(x));
    }
  return r;
}

/// Tables name two schedules as implementations do; the others have their own names.
ScheduleKind kind_of(std::string_view schedule) {
  if (schedule == "yarn-attention-factor") return ScheduleKind::yarn;
  if (schedule == "qwen-logn") return ScheduleKind::qwen_log_n;
  return schedule_by_name(schedule);
}

/// The context length a multiplier is asked for: `n`, or the `position` of a row, counted from 1 but for
/// llama4, whose positions start at 0.
PowerProduct length_of(const Question& q, ScheduleKind kind) {
  if (q.find("n")) return parse_context_length(q.at("n"));
  const Rational position = number_of(q, "position");
  const Rational n = kind == ScheduleKind::llama4 ? Rational(position + 1) : position;
  if (!is_integer(n) || n < 1)
    throw InputError(fmt::format("position must be a count, found {}", to_string(position)));
  return PowerProduct(n);
}

Ball schedule_multiplier(const Question& q, Bits bits) {
  const std::string& schedule = q.at("schedule");
  Schedule s = default_schedule(kind_of(schedule));
  for (const ScheduleConstant& c : schedule_constants())
    if (const std::string* text = q.find(c.key)) set_constant(s, c.key, *text);
  if (const std::string* text = q.find("train")) set_constant(s, "train_length", *text);
  validate(s);
  const bool has_length = q.find("n") || q.find("position");
  const bool any_length = s.kind == ScheduleKind::constant || s.factor || s.attention_factor;
  if (!has_length && !any_length) throw InputError(fmt::format("schedule {} needs n or position", schedule));
  const Ball m = multiplier(s, has_length ? length_of(q, s.kind) : PowerProduct(2), Lift<Ball>(bits));
  // YaRN's attention factor multiplies queries and keys: the multiplier is its square.
  return schedule == "yarn-attention-factor" ? sqrt(m) : m;
}

}  // namespace

Exponentials exponentials(const std::vector<Score>& scores, const Ball& factor, Bits bits) {
  Exponentials r;
  bool any = false;
  for (const Score& z : scores) {
    if (z && (!any || *z > r.maximum)) r.maximum = *z;
    any = any || z.has_value();
  }
  if (!any) throw UndefinedError("every entry is masked");
  r.sum = Ball(0, bits);
  for (const Score& z : scores) {
    r.terms.push_back(z ? exp(factor * Ball(Rational(*z - r.maximum), bits)) : Ball(0, bits));
    r.sum += r.terms.back();
  }
  return r;
}

std::vector<std::string> answer_labels(const Question& q) {
  std::size_t count = 1;
  if (q.op == "softmax")
    count = scores_of(q, "logits").size();
  else if (q.op == "attention_row")
    count = matrix_of(q, "values")[0].size();
  else if (q.op == "layer")
    count = matrix_of(q, "tokens").size() * matrix_of(q, "tokens")[0].size();
  else if (is_operation(q.op))
    return {q.op};
  std::vector<std::string> r;
  for (std::size_t i = 0; i < count; ++i) r.push_back(fmt::format("{}[{}]", q.op, i));
  return r;
}

std::vector<Ball> answer(const Question& q, Bits bits) {
  if (q.op == "softmax") return softmax(scores_of(q, "logits"), Ball(1, bits), bits);
  if (q.op == "logsumexp") return {logsumexp(scores_of(q, "logits"), bits)};
  if (q.op == "entropy") return {entropy(scores_of(q, "logits"), bits)};
  if (q.op == "attention_row") return attention_row(q, bits);
  if (q.op == "layer") return layer_outputs(q, bits);
  if (q.op == "jacobian_norm") return {explicit_layer(q, bits).layer.jacobian_norm()};
  if (q.op == "schedule") return {schedule_multiplier(q, bits)};
  throw InputError(fmt::format("{} is not an operation", in_quotes(q.op)));
}

std::vector<Ball> certified_answer(const Question& q, long digits, Bits max_bits) {
  require_digits(digits);
  // The cancellation in explicit layers is moderate; more precision cannot turn 0 into digits.
  const Bits limit = max_bits > 0 ? max_bits : 4 * bits_for_digits(digits) + 2048;
  for (Bits bits = std::min(limit, bits_for_digits(digits) + 64);; bits = std::min(2 * bits, limit)) {
    std::vector<Ball> values = answer(q, bits);
    if (bits >= limit ||
        std::all_of(values.begin(), values.end(), [&](const Ball& x) { return has_digits(x, digits); }))
      return values;
  }
}

}  // namespace critscale
