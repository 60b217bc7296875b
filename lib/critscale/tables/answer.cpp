// Certified answers to questions.
#include "critscale/tables/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "critscale/layer/detail/gram.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/tables/detail/attention_question.hpp"
#include "critscale/tables/detail/schedule_questions.hpp"
#include "critscale/tables/detail/score_rows.hpp"
#include "critscale/text/certify.hpp"

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

/// c tanh(x/c).
Ball capped(const Ball& x, const Ball& c) {
  const Ball y = expm1(-2 * abs(x) / c);
  const Ball size = c * -y / (2 + y);
  return certainly(x.is_negative()) ? -size : size;
}

/// exp(s_j), s_j = cap(z_j/sqrt d) (a common factor taken out), and the sum with the sink's term.
Exponentials row_exponentials(const Question& q, const std::vector<Score>& scores, Bits bits) {
  const Ball factor = score_factor(q, bits);
  if (!q.find("softcap") && !q.find("sink")) return exponentials(scores, factor, bits);
  std::vector<std::optional<Ball>> s;
  for (const Score& z : scores) s.push_back(z ? std::optional(factor * Ball(*z, bits)) : std::nullopt);
  if (q.find("softcap")) {
    const Rational cap = number_of(q, "softcap");
    if (cap <= 0) throw InputError(fmt::format("softcap must be positive, found {}", to_string(cap)));
    for (std::size_t j = 0; j < s.size(); ++j)
      if (s[j]) s[j] = *scores[j] == 0 ? Ball(0, bits) : capped(*s[j], Ball(cap, bits));
  }
  if (q.find("sink")) s.emplace_back(Ball(number_of(q, "sink"), bits));
  Ball shift(0, bits);
  bool any = false;
  for (const auto& x : s) {
    if (!x) continue;
    if (!any || arf_cmp(arb_midref(x->raw()), arb_midref(shift.raw())) > 0) shift = x->center();
    any = true;
  }
  Exponentials r;
  r.sum = Ball(0, bits);
  for (const auto& x : s) {
    r.terms.push_back(x ? exp(*x - shift) : Ball(0, bits));
    r.sum += r.terms.back();
  }
  return r;
}

std::vector<Ball> attention_row(const Question& q, Bits bits) {
  const auto values = matrix_of(q, "values");
  auto scores = scores_of(q, "scores");
  if (values.size() != scores.size())
    throw InputError(
        fmt::format("attention_row: {} scores, but {} rows of values", scores.size(), values.size()));
  for (std::size_t j = visible_keys(q, scores.size()); j < scores.size(); ++j) scores[j].reset();
  if (std::none_of(scores.begin(), scores.end(), [](const Score& s) { return s.has_value(); })) {
    score_factor(q, bits);
    return std::vector<Ball>(values[0].size(), Ball(0, bits));
  }
  const Exponentials e = row_exponentials(q, scores, bits);
  std::vector<Ball> r;
  for (std::size_t c = 0; c < values[0].size(); ++c) {
    // Capped scores are no longer algebraic, and a sink has its own weight.
    const auto exact = q.find("softcap") || q.find("sink") ? std::nullopt : exact_mean(scores, values, c);
    if (exact) {
      r.emplace_back(*exact, bits);
      continue;
    }
    Ball sum(0, bits);
    for (std::size_t j = 0; j < scores.size(); ++j) sum += e.terms[j] * Ball(values[j][c], bits);
    r.push_back(sum / e.sum);
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
  else if (q.op == "attention")
    count = attention_of(q).shape().size();
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
  // The digits of so many bits, less those that attention works with beyond them.
  if (q.op == "attention") return attention_answer(attention_of(q), std::max<long>(1, (bits - 64) / 4), 0);
  if (q.op == "layer") return layer_outputs(q, bits);
  if (q.op == "jacobian_norm") return {explicit_layer(q, bits).layer.jacobian_norm()};
  if (q.op == "schedule") return {schedule_multiplier(q, bits)};
  throw InputError(fmt::format("{} is not an operation", in_quotes(q.op)));
}

Outcome::Kind undefined_answer(const Question& q) {
  return q.op == "logsumexp" || q.op == "attention" ? Outcome::Kind::minus_infinity : Outcome::Kind::nan;
}

std::vector<Ball> certified_answer(const Question& q, long digits, Bits max_bits) {
  require_digits(digits);
  if (q.op == "attention") return attention_answer(attention_of(q), digits, max_bits);
  // The cancellation in explicit layers is moderate; more precision cannot turn 0 into digits.
  const Bits limit = max_bits > 0 ? max_bits : 4 * bits_for_digits(digits) + 2048;
  return last_at_rising_precision(
      bits_for_digits(digits) + 64, limit, [&](Bits bits) { return answer(q, bits); },
      [&](const std::vector<Ball>& values) {
        return std::all_of(values.begin(), values.end(),
                           [&](const Ball& x) { return has_digits(x, digits); });
      });
}

}  // namespace critscale
