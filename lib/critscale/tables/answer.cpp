// Certified answers to questions.
#include "critscale/tables/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/model/gram.hpp"
#include "critscale/number/certify.hpp"
#include "critscale/number/quote.hpp"

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

std::vector<Ball> attention_row(const Question& q, Bits bits) {
  const auto values = matrix_of(q, "values");
  const std::vector<Ball> p = softmax(scores_of(q, "scores"), score_factor(q, bits), bits);
  if (values.size() != p.size())
    throw InputError(fmt::format("attention_row: {} scores, but {} rows of values", p.size(), values.size()));
  std::vector<Ball> r;
  for (std::size_t c = 0; c < values[0].size(); ++c) {
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

/// The layer of theory §1 on explicit tokens.
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

Rational positive(const Question& q, std::string_view key) {
  const Rational v = number_of(q, key);
  if (v <= 0) throw InputError(fmt::format("{} must be positive, found {}", key, to_string(v)));
  return v;
}

/// 0.1 ln x + 1.
Ball magnitude_scale(const Ball& x) { return log(x) / 10 + 1; }

Ball multiplier(const Question& q, Bits bits) {
  const std::string& schedule = q.at("schedule");
  if (schedule == "yarn" || schedule == "yarn-attention-factor") {
    const Rational factor = positive(q, "factor");
    const Ball m = factor <= 1 ? Ball(1, bits) : magnitude_scale(Ball(factor, bits));
    return schedule == "yarn" ? sqr(m) : m;
  }
  if (schedule == "qwen-logn") {
    const Rational n = positive(q, "position"), train = positive(q, "train");
    if (train <= 1) throw InputError(fmt::format("train must exceed 1, found {}", to_string(train)));
    return n > train ? Ball(log(Ball(n, bits)) / log(Ball(train, bits))) : Ball(1, bits);
  }
  if (schedule == "llama4") {
    const Rational position = number_of(q, "position");
    if (position < 0 || !is_integer(position))
      throw InputError(fmt::format("position must be a count, found {}", to_string(position)));
    const Integer step = (numerator(position) + 1) / 8192;
    return magnitude_scale(Ball(Integer(step + 1), bits));
  }
  throw InputError(
      fmt::format("{} is not a schedule known here; allowed: yarn, yarn-attention-factor, qwen-logn, llama4",
                  in_quotes(schedule)));
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
  if (q.op == "schedule") return {multiplier(q, bits)};
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
