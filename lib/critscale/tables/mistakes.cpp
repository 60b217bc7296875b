// Known mistakes. Each rule follows the mistaken code at a precision that stands for exact arithmetic.
#include "critscale/tables/mistakes.hpp"

#include <algorithm>
#include <array>

#include "critscale/number/rounding.hpp"
#include "critscale/tables/answer.hpp"

namespace critscale {

namespace {

using Answers = std::vector<std::vector<Outcome>>;
using Kind = Outcome::Kind;

constexpr Bits bits = 256;

std::vector<Outcome> outcomes(std::vector<Ball> values) {
  std::vector<Outcome> r;
  for (Ball& x : values) r.push_back(Outcome::of(std::move(x)));
  return r;
}

Answers one(std::vector<Ball> values) { return {outcomes(std::move(values))}; }

bool has_scores(const Question& q) {
  return q.op == "softmax" || q.op == "logsumexp" || q.op == "entropy" || q.op == "attention_row";
}

std::vector<Score> scores_of(const Question& q) {
  return critscale::scores_of(q, q.op == "attention_row" ? "scores" : "logits");
}

Ball factor_of(const Question& q) {
  return q.find("d") ? 1 / sqrt(Ball(number_of(q, "d"), bits)) : Ball(1, bits);
}

/// What exp without a shift makes of scores in one format.
struct Unshifted {
  bool overflow = false;
  bool all_zero = true;
  std::vector<bool> infinite;
};

Unshifted unshifted(const Question& q, const BinaryFormat& format) {
  Unshifted r;
  const Ball factor = factor_of(q);
  Ball sum(0, bits);
  for (const Score& z : scores_of(q)) {
    const Ball e = z ? exp(factor * Ball(*z, bits)) : Ball(0, bits);
    sum += e;
    const auto rounded = round_to(format, e.midpoint());
    r.infinite.push_back(!from_bits(format, rounded).is_finite());
    if (rounded != 0) r.all_zero = false;
    if (r.infinite.back()) r.overflow = true;
  }
  if (!from_bits(format, round_to(format, sum.midpoint())).is_finite()) r.overflow = true;
  return r;
}

/// exp without the maximum subtracted: inf/inf and 0/0 are nan.
Answers shift_forgotten(const Question& q) {
  if (!has_scores(q)) return {};
  Answers r;
  for (const BinaryFormat* format : {&binary16, &binary32, &binary64}) {
    const Unshifted u = unshifted(q, *format);
    if (!u.overflow && !u.all_zero) continue;
    const std::size_t count = answer_labels(q).size();
    if (q.op == "logsumexp") {
      r.push_back({Outcome::special(u.overflow ? Kind::plus_infinity : Kind::minus_infinity)});
      continue;
    }
    r.emplace_back(count, Outcome::special(Kind::nan));
    // Division entry by entry leaves 0 where only the sum is infinite.
    if (q.op == "softmax" && u.overflow) {
      std::vector<Outcome> parts;
      for (const bool infinite : u.infinite)
        parts.push_back(infinite ? Outcome::special(Kind::nan) : Outcome::of(Ball(0, bits)));
      r.push_back(std::move(parts));
    }
  }
  return r;
}

/// 0 log 0 evaluated as 0 * -inf.
Answers zero_weight(const Question& q) {
  if (q.op != "entropy") return {};
  const std::vector<Score> scores = scores_of(q);
  const Exponentials e = exponentials(scores, Ball(1, bits), bits);
  for (const BinaryFormat* format : {&binary64, &binary32, &binary16})
    for (const Ball& t : e.terms)
      if (round_to(*format, Ball(t / e.sum).midpoint()) == 0) return {{Outcome::special(Kind::nan)}};
  return {};
}

/// 2^z in place of e^z.
Answers base_two(const Question& q) {
  if (q.op != "softmax" && q.op != "logsumexp") return {};
  const Ball ln2 = log(Ball(2, bits));
  Exponentials e = exponentials(scores_of(q), ln2, bits);
  if (q.op == "logsumexp") return one({Ball(e.maximum, bits) + log(e.sum) / ln2});
  for (Ball& t : e.terms) t /= e.sum;
  return one(std::move(e.terms));
}

/// 1/sqrt(d) left out.
Answers scale_lost(const Question& q) {
  if (q.op != "attention_row" || !q.find("d")) return {};
  Question unscaled = q;
  std::erase_if(unscaled.inputs, [](const auto& input) { return input.first == "d"; });
  return one(answer(unscaled, bits));
}

bool is_schedule(const Question& q, std::string_view name) {
  return q.op == "schedule" && q.find("schedule") && *q.find("schedule") == name;
}

/// Query and key are both scaled, so the logit has the square.
Answers not_squared(const Question& q) {
  if (!is_schedule(q, "yarn")) return {};
  Question m = q;
  for (auto& [key, text] : m.inputs)
    if (key == "schedule") text = "yarn-attention-factor";
  return one(answer(m, bits));
}

/// The attention factor m corrected a second time by 0.1 ln m + 1.
Answers logarithm_twice(const Question& q) {
  if (!is_schedule(q, "yarn-attention-factor")) return {};
  const Ball m = answer(q, bits)[0];
  return one({m * (log(m) / 10 + 1)});
}

/// The number of keys in place of each row's position.
Answers one_factor_for_all_rows(const Question& q) {
  if (!is_schedule(q, "qwen-logn") || !q.find("keys")) return {};
  Question all = q;
  for (auto& [key, text] : all.inputs)
    if (key == "position") text = q.at("keys");
  return one(answer(all, bits));
}

/// floor(pos/8192) in place of floor((pos + 1)/8192): the value of the position before.
Answers step_not_offset(const Question& q) {
  if (!is_schedule(q, "llama4") || !q.find("position")) return {};
  const Rational position = number_of(q, "position");
  if (position == 0) return one(answer(q, bits));
  Question before = q;
  for (auto& [key, text] : before.inputs)
    if (key == "position") text = to_string(Rational(position - 1));
  return one(answer(before, bits));
}

const std::array<Mistake, 8> mistakes{
    {{"softmax-shift", "no maximum subtracted before exp", shift_forgotten},
     {"entropy-zero-weight", "0 * log 0 not taken as 0", zero_weight},
     {"lse-base", "natural exponentials or logarithms read as base 2", base_two},
     {"yarn-square", "multiplier not squared although both query and key are scaled", not_squared},
     {"yarn-twice-32", "logarithm applied twice", logarithm_twice},
     {"logn-row", "one factor for all rows, taken from the number of keys", one_factor_for_all_rows},
     {"llama4-step", "position not offset by one at the step", step_not_offset},
     {"scale-lost", "1/sqrt(d) lost", scale_lost}}};

}  // namespace

std::span<const Mistake> known_mistakes() { return mistakes; }

}  // namespace critscale
