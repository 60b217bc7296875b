// Certified answers to questions: softmax and its relatives from exact scores, the layer on explicit
// tokens, schedule multipliers. Uses question.hpp, layer/gram.hpp and number/.
#pragma once

#include <string>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/tables/question.hpp"

namespace critscale {

/// Names of the values of an answer: "softmax[0]", "softmax[1]", ... or "entropy". Throws InputError
/// for inputs without meaning.
std::vector<std::string> answer_labels(const Question& q);

/// Enclosures of the values at one working precision:
///   softmax        logits -> exp(z_i)/sum; a masked entry has weight exactly 0
///   logsumexp      logits -> ln sum exp(z_i)
///   entropy        logits -> -sum p_i ln p_i of their softmax
///   attention_row  scores, values, d (default 1) -> sum_i p_i v_i, p = softmax(scores/sqrt d)
///   layer          tokens, beta, alpha (default 0) -> the rows x'_i of [layer], one after the other
///   jacobian_norm  tokens, beta, alpha (default 0) -> eta of [jacobian] with d the tokens' dimension
///   schedule       schedule = yarn (factor) | yarn-attention-factor (factor) |
///                  qwen-logn (position, train) | llama4 (position) -> the multiplier of [schedules]
/// Throws InputError for inputs without meaning, UndefinedError where every entry is masked.
std::vector<Ball> answer(const Question& q, Bits bits);

/// The same with every value good for `digits` digits where the precision limit allows it: a value
/// that is 0 by cancellation stays an enclosure around 0.
std::vector<Ball> certified_answer(const Question& q, long digits, Bits max_bits = 0);

/// exp(c (z_i - max z)) and their sum, for c > 0; what the mistaken rules share with the right one.
struct Exponentials {
  Rational maximum;
  std::vector<Ball> terms;
  Ball sum;
};
Exponentials exponentials(const std::vector<Score>& scores, const Ball& factor, Bits bits);

}  // namespace critscale
