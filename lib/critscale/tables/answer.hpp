// Certified answers to questions: softmax and its relatives from exact scores, the layer on explicit
// tokens, schedule multipliers. Uses question.hpp, outcome.hpp, layer/gram.hpp and number/.
#pragma once

#include <string>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/tables/outcome.hpp"
#include "critscale/tables/question.hpp"

namespace critscale {

/// Names of the values of an answer: "softmax[0]", "softmax[1]", ... or "entropy". Throws InputError
/// for inputs without meaning.
std::vector<std::string> answer_labels(const Question& q);

/// Enclosures of the values at one working precision:
///   softmax        logits -> exp(z_i)/sum; a masked entry has weight exactly 0
///   logsumexp      logits -> ln sum exp(z_i)
///   entropy        logits -> -sum p_i ln p_i of their softmax
///   attention_row  scores, values, d (default 1), softcap, sink, visible -> sum e_j v_j/(sum e_j + e^sink)
///                  with e_j = exp(cap(z_j/sqrt d)), cap(x) = softcap tanh(x/softcap), of the first
///                  `visible` keys; 0 where every score is masked
///   attention      quantity (output, lse, dq, dk, dv, dsink) of q, k, v, and d_out, mask, scale, causal,
///   window,
///                  softcap, softcap_after_mask, sink -> [attention-forward], [attention-backward], heads,
///                  then rows, then columns; the log-sum-exp of a row that sees nothing is a Ball that is
///                  minus infinity
///   layer          tokens, beta, alpha (default 0) -> the rows x'_i of [layer], one after the other
///   jacobian_norm  tokens, beta, alpha (default 0) -> eta of [jacobian] with d the tokens' dimension
///   schedule       schedule, its constants, n or position -> the multiplier of [schedules]
/// Throws InputError for inputs without meaning, UndefinedError where the answer is no number: then every
/// value is `undefined_answer(q)`.
std::vector<Ball> answer(const Question& q, Bits bits);

/// The same with every value good for `digits` digits where the precision limit allows it: a value
/// that is 0 by cancellation stays an enclosure around 0.
std::vector<Ball> certified_answer(const Question& q, long digits, Bits max_bits = 0);

/// What is right where answer() throws UndefinedError: a row without a visible key has nan for its softmax
/// and entropy, minus infinity for its logsumexp. Values of an answer that are not finite are that too.
Outcome::Kind undefined_answer(const Question& q);

/// exp(c (z_i - max z)) and their sum, for c > 0; what the mistaken rules share with the right one.
struct Exponentials {
  Rational maximum;
  std::vector<Ball> terms;
  Ball sum;
};
Exponentials exponentials(const std::vector<Score>& scores, const Ball& factor, Bits bits);

}  // namespace critscale
