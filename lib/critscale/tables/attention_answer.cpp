// Certified answers to attention questions.
#include <algorithm>

#include "critscale/number/errors.hpp"
#include "critscale/tables/detail/attention_question.hpp"

namespace critscale {

namespace {

Ball minus_infinity() {
  Ball r;
  arb_neg_inf(r.raw());
  return r;
}

std::vector<Ball> forward(const AttentionQuestion& a, const AttentionOptions& options) {
  std::vector<Ball> r;
  for (std::size_t h = 0; h < a.heads; ++h)
    for (AttentionRow& row : attend(a.head(h), options)) {
      if (a.quantity == AttentionQuantity::lse)
        r.push_back(row.lse ? std::move(*row.lse) : minus_infinity());
      else
        std::move(row.output.begin(), row.output.end(), std::back_inserter(r));
    }
  return r;
}

std::vector<Ball> backward(const AttentionQuestion& a, const AttentionOptions& options) {
  std::vector<Ball> r;
  const auto take = [&](std::vector<Ball>& x) { std::move(x.begin(), x.end(), std::back_inserter(r)); };
  for (std::size_t key_head = 0; key_head < a.key_heads; ++key_head) {
    std::vector<AttentionHead> heads;
    std::vector<std::span<const double>> d_out;
    for (std::size_t h = key_head * a.group(); h < (key_head + 1) * a.group(); ++h) {
      heads.push_back(a.head(h));
      d_out.push_back(a.d_out_of(h));
    }
    AttentionGradients g = attention_gradients(heads, d_out, options);
    if (a.quantity == AttentionQuantity::dq)
      for (std::vector<Ball>& x : g.dq) take(x);
    else
      take(a.quantity == AttentionQuantity::dk ? g.dk : a.quantity == AttentionQuantity::dv ? g.dv : g.dsink);
  }
  return r;
}

}  // namespace

std::vector<Ball> attention_answer(const AttentionQuestion& a, long digits, Bits max_bits) {
  AttentionOptions options = a.options;
  options.digits = digits;
  options.max_bits = max_bits;
  options.quantities = {a.quantity == AttentionQuantity::lse ? RowQuantity::lse : RowQuantity::output};
  return a.quantity <= AttentionQuantity::lse ? forward(a, options) : backward(a, options);
}

}  // namespace critscale
