// Rows of attention in Ball arithmetic. Letters as in THEORY-attention.md.
#include "critscale/tokens/ball/detail/attention.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace critscale {

namespace {

/// Numbers of a row of doubles, exactly, as Arb's dot product takes them.
class ExactRow {
 public:
  explicit ExactRow(std::size_t size) : x_(_arb_vec_init(static_cast<slong>(size))), size_(size) {}
  ExactRow(const ExactRow&) = delete;
  ExactRow& operator=(const ExactRow&) = delete;
  ~ExactRow() { _arb_vec_clear(x_, static_cast<slong>(size_)); }

  void set(std::span<const double> row) {
    for (std::size_t k = 0; k < size_; ++k) arb_set_d(x_ + k, row[k]);
  }
  Ball dot(const ExactRow& other, Bits bits) const {
    Ball r(0, bits);
    arb_dot(r.raw(), nullptr, 0, x_, 1, other.x_, 1, static_cast<slong>(size_), bits);
    return r;
  }

 private:
  arb_ptr x_;
  std::size_t size_;
};

std::span<const double> row_of(std::span<const double> a, std::size_t i, std::size_t width) {
  return a.subspan(i * width, width);
}

Ball tanh(const Ball& x) {
  Ball r(0, x.precision());
  arb_tanh(r.raw(), x.raw(), x.precision());
  return r;
}

}  // namespace

std::optional<std::size_t> position_of(const AttentionHead& head, const AttentionOptions& options,
                                       std::size_t i) {
  if (options.causal != Causal::bottom_right) return i;
  if (i + head.n < head.m) return std::nullopt;
  return i + head.n - head.m;
}

std::pair<std::size_t, std::size_t> keys_in_place(const AttentionHead& head, const AttentionOptions& options,
                                                  std::size_t i) {
  const std::optional<std::size_t> position = position_of(head, options, i);
  std::size_t first = 0, last = head.n;
  if (options.causal != Causal::none) last = position ? std::min(head.n, *position + 1) : 0;
  if (options.window && position)
    first = *position + 1 > *options.window ? *position + 1 - *options.window : 0;
  return {std::min(first, last), last};
}

std::vector<std::size_t> visible_keys(const AttentionHead& head, const AttentionOptions& options,
                                      std::size_t i) {
  const auto [first, last] = keys_in_place(head, options, i);
  std::vector<std::size_t> r;
  for (std::size_t j = first; j < last; ++j)
    if (!is_masked(head, i, j)) r.push_back(j);
  return r;
}

BallAttention::BallAttention(const AttentionHead& head, const AttentionOptions& options, Bits bits)
    : head_(head), options_(options), bits_(bits) {
  if (options.unit_beta)
    factor_ = beta(*options.unit_beta, PowerProduct(std::max<std::size_t>(head.n, 2)), Lift<Ball>(bits));
  else if (options.scale)
    factor_ = Ball(*options.scale, bits);
  else
    factor_ = 1L / sqrt(Ball(head.d, bits));
}

bool BallAttention::wants(RowQuantity q) const {
  return std::find(options_.quantities.begin(), options_.quantities.end(), q) != options_.quantities.end();
}

Ball BallAttention::row_scale(std::size_t i) const {
  const std::optional<std::size_t> position = position_of(head_, options_, i);
  if (!options_.schedule || !position || *position == 0) return factor_;
  return factor_ * multiplier(*options_.schedule, PowerProduct(*position + 1), Lift<Ball>(bits_));
}

BallWeights BallAttention::weights(std::size_t i) const {
  BallWeights w;
  w.keys = visible_keys(head_, options_, i);
  w.scale = row_scale(i);
  if (w.keys.empty()) return w;

  ExactRow q(head_.d), k(head_.d);
  q.set(row_of(head_.q, i, head_.d));
  const Ball own = options_.unit_beta ? sqrt(q.dot(q, bits_)) : Ball(1, bits_);
  const Ball cap = options_.softcap ? Ball(*options_.softcap, bits_) : Ball();
  std::vector<Ball> score;
  for (const std::size_t j : w.keys) {
    k.set(row_of(head_.k, j, head_.d));
    Ball s = w.scale * q.dot(k, bits_);
    if (options_.unit_beta) s /= own * sqrt(k.dot(k, bits_));
    const Ball bias = head_.bias.empty() ? Ball() : Ball::exactly(head_.bias[i * head_.n + j], bits_);
    if (options_.softcap_after_bias) s += bias;
    if (options_.softcap) {
      const Ball t = tanh(s / cap);
      w.slope.push_back(1L - sqr(t));
      s = cap * t;
    }
    if (!options_.softcap_after_bias) s += bias;
    score.push_back(std::move(s));
  }
  for (std::size_t a = 1; a < score.size(); ++a)
    if (score[w.top].midpoint() < score[a].midpoint()) w.top = a;

  // Relative to the largest score, whose own term is exactly 1.
  Ball rest(0, bits_), square_sum(1, bits_), weighted(0, bits_), max_term(1, bits_);
  for (std::size_t a = 0; a < score.size(); ++a) {
    if (a == w.top) {
      w.weight.emplace_back(1L, bits_);
      continue;
    }
    const Ball gap = score[w.top] - score[a];
    Ball E = exp(-gap);
    weighted += E * gap;
    square_sum += sqr(E);
    max_term = max(std::move(max_term), E);
    rest += E;
    w.weight.push_back(std::move(E));
  }
  const Ball sink = options_.sink ? exp(Ball(*options_.sink, bits_) - score[w.top]) : Ball(0, bits_);
  const Ball total = 1L + (rest + sink), log_total = log1p(rest + sink);
  for (Ball& x : w.weight) x /= total;
  w.sink = sink / total;
  w.lse = score[w.top] + log_total;
  w.max = max_term / total;
  w.square_sum = square_sum / sqr(total);
  // sum_j P_ij (ln Z' + gap_j): no term is negative.
  w.entropy = ((1L + rest) * log_total + weighted) / total;
  return w;
}

std::vector<Ball> BallAttention::output(const BallWeights& w, std::span<const std::size_t> columns) const {
  std::vector<Ball> r;
  for (const std::size_t l : columns) {
    const auto value = [&](std::size_t a) { return head_.v[w.keys[a] * head_.e + l]; };
    bool constant = true;
    for (std::size_t a = 1; a < w.keys.size(); ++a) constant = constant && value(a) == value(0);
    if (w.keys.empty() || (constant && (value(0) == 0 || !options_.sink))) {
      r.push_back(w.keys.empty() ? Ball(0, bits_) : Ball::exactly(value(0), bits_));
      continue;
    }
    Ball sum(0, bits_);
    for (std::size_t a = 0; a < w.keys.size(); ++a) sum += w.weight[a] * Ball::exactly(value(a), bits_);
    r.push_back(std::move(sum));
  }
  return r;
}

AttentionRow BallAttention::row(std::size_t i) const {
  const BallWeights w = weights(i);
  AttentionRow r;
  r.row = i;
  r.sees_nothing = w.keys.empty();
  const std::optional<std::size_t> position = position_of(head_, options_, i);
  const bool has_own = position && *position < head_.n;
  if (wants(RowQuantity::output)) {
    std::vector<std::size_t> columns(head_.e);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    r.output = output(w, columns);
  }
  if (wants(RowQuantity::weights)) {
    r.weights.assign(head_.n, Ball(0, bits_));
    for (std::size_t a = 0; a < w.keys.size(); ++a) r.weights[w.keys[a]] = w.weight[a];
  }
  if (wants(RowQuantity::self_weight) && has_own) {
    const auto own = std::find(w.keys.begin(), w.keys.end(), *position);
    r.self_weight =
        own == w.keys.end() ? Ball(0, bits_) : w.weight[static_cast<std::size_t>(own - w.keys.begin())];
  }
  if (r.sees_nothing) {
    if (wants(RowQuantity::lse) && options_.sink) r.lse = Ball(*options_.sink, bits_);
    if (wants(RowQuantity::max_weight)) r.max_weight = Ball(0, bits_);
    if (wants(RowQuantity::entropy)) r.entropy = Ball(0, bits_);
    return r;
  }
  if (wants(RowQuantity::lse)) r.lse = w.lse;
  if (wants(RowQuantity::max_weight)) r.max_weight = w.max;
  if (wants(RowQuantity::entropy)) r.entropy = w.entropy;
  if (wants(RowQuantity::participation)) r.participation = 1L / w.square_sum;
  return r;
}

std::vector<Ball> BallAttention::score_gradients(const BallWeights& w, std::span<const double> d_out,
                                                 Ball& dsink) const {
  if (w.keys.empty()) return {};
  // g_j = <dO_i, v_j>, relative to that of the largest weight: where one key has nearly all of it, g_j - D_i
  // is a sum over the others [attention-backward].
  ExactRow out(head_.e), v(head_.e), top(head_.e);
  out.set(d_out);
  top.set(row_of(head_.v, w.keys[w.top], head_.e));
  const Ball g_top = out.dot(top, bits_);
  std::vector<Ball> difference;
  Ball mean(0, bits_), D(0, bits_);
  for (std::size_t a = 0; a < w.keys.size(); ++a) {
    v.set(row_of(head_.v, w.keys[a], head_.e));
    const Ball g = out.dot(v, bits_);
    D += w.weight[a] * g;
    difference.push_back(a == w.top ? Ball(0, bits_) : g - g_top);
    mean += w.weight[a] * difference.back();
  }
  const Ball shift = options_.sink ? g_top * w.sink - mean : -mean;
  std::vector<Ball> r;
  for (std::size_t a = 0; a < w.keys.size(); ++a) {
    Ball x = w.weight[a] * (difference[a] + shift);
    if (!w.slope.empty()) x *= w.slope[a];
    r.push_back(std::move(x));
  }
  dsink = -(w.sink * D);
  return r;
}

}  // namespace critscale
