// Uses attention_pairs.hpp. Every error bound is one line of [attention-backward-pairs].
#include "critscale/tokens/binary64/detail/attention_pairs.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "critscale/tokens/binary64/detail/double_double.hpp"
#include "critscale/tokens/binary64/detail/facts.hpp"

namespace critscale {

namespace {

/// The relative error of an operation, and that of the exponential [double-double].
constexpr double operation = 0x1p-100, exponential_error = 0x1p-94;
/// Weights that are taken for 0, and everything that underflows.
constexpr double least = 0x1p-900, vanishing = 0x1p-860;
constexpr double largest_error = 0.001;
constexpr double exponential_limit = 680;
/// Precision of the few numbers a row that are Balls.
constexpr Bits row_bits = 192;

/// Of a sum of products of d doubles, relative to the product of the lengths.
double product_error(std::size_t d) {
  const double terms = static_cast<double>(d) + 2;
  return terms * terms * 0x1p-106;
}
double sum_error(std::size_t terms) { return static_cast<double>(terms + 4) * operation * bound_slack; }

double largest_of(std::span<const double> a) {
  double r = 0;
  for (const double x : a) r = std::max(r, std::fabs(x));
  return r;
}

/// A number as a pair with a bound; the bound is infinite where doubles do not reach it.
struct BoundedPair {
  NumberPair v;
  double e = 0;
};

BoundedPair to_pair(const Ball& x) {
  const Bounded high = to_bounded(x);
  if (!std::isfinite(high.e)) return {{0, 0}, HUGE_VAL};
  const Bounded low = to_bounded(x - Ball::exactly(high.v, row_bits));
  // Normalised: the difference is at most half a unit in the last place of `high`, or it is all error.
  return {{high.v, low.v}, low.e};
}

Ball to_ball(NumberPair x, double error) {
  if (!std::isfinite(x.hi) || !std::isfinite(x.lo) || !std::isfinite(error)) return Ball::whole_line(53);
  Ball r = Ball::exactly(x.hi, row_bits) + Ball::exactly(x.lo, row_bits);
  Ball radius(0, 64);
  mag_set_d(arb_radref(radius.raw()), error);
  return r + radius;
}

/// Numbers in double-double arithmetic.
struct PairArray {
  explicit PairArray(std::size_t size) : hi(size), lo(size) {}
  std::vector<double> hi, lo;
};

/// What the other sums of a query row need to know of it.
struct RowInPairs {
  bool covered = false;
  /// Sees no key, or its d_out is 0: nothing comes of it. Sees one key and no sink: P = 1 and dS = 0.
  bool silent = false, single = false;
  std::size_t first = 0, last = 0;  ///< the keys it sees by position
  std::size_t top = 0;              ///< the key of the largest score
  BoundedPair scale;
  NumberPair score, inverse, g_top, shift;
  double of_key = 0, of_all = 0, slope_of_key = 0, slope_of_all = 0;
  double shift_error = 0;
  double length = 0, largest = 0;  ///< |d_out_i|, max_l |d_out_il|
  double tiny = 0;                 ///< what underflows, a term
  Ball dsink;
};

/// Keys, with their vectors one after the other.
struct KeyGroup {
  std::vector<std::size_t> keys;
  std::vector<double> k, v;
};

/// One query head.
class PairHead {
 public:
  PairHead(const AttentionHead& head, std::span<const double> d_out, const AttentionOptions& options,
           const PairKernels& kernels, std::size_t additions)
      : doubles_(head, options),
        head_(head),
        d_out_(d_out),
        options_(options),
        pairs_(kernels),
        shared_(head, options, row_bits),
        gamma_m_(sum_error(additions)),
        gamma_n_(sum_error(head.n)) {
    for (std::size_t j = 0; j < head.n; ++j) {
      value_length_.push_back(length_bound(doubles_.kernels(), head.v.data() + j * head.e, head.e));
      key_bound_.push_back(largest_of(head.k.subspan(j * head.d, head.d)));
    }
    longest_key_ = largest_of(doubles_.key_lengths());
    longest_value_ = largest_of(value_length_);
    longest_query_ = largest_of(head.q);
  }

  bool applies() const { return doubles_.applies(); }
  std::size_t rows_at_once() const {
    return std::clamp<std::size_t>((std::size_t{1} << 18) / head_.n, 4, 32);
  }

  /// Facts of these rows; `dq` receives d entries for each row whose place in `wants_dq` is not 0.
  std::vector<RowInPairs> rows(std::span<const std::size_t> wanted, std::span<const unsigned char> wants_dq,
                               std::vector<std::vector<Ball>>& dq) const;

  /// Adds dk and dv of the group's keys, row by row of d and e numbers, with one bound a key each.
  void add_keys(const std::vector<RowInPairs>& rows, const KeyGroup& group, PairArray& dk, PairArray& dv,
                std::vector<double>& dk_error, std::vector<double>& dv_error) const;

 private:
  /// Numbers of one row and some keys.
  struct Numbers {
    explicit Numbers(std::size_t n) : slope(n) {}
    PairArray slope;
    bool has_slope = false;
  };
  bool seen(const RowInPairs& row, std::size_t i, std::size_t j) const {
    return j >= row.first && j < row.last && !is_masked(head_, i, j);
  }
  double scores(const RowInPairs& row, std::size_t i, std::span<const std::size_t> keys, double* hi,
                double* lo, Numbers& numbers) const;
  bool begin_row(RowInPairs& row, std::size_t i) const;
  void finish_row(RowInPairs& row, std::size_t i, std::span<const std::size_t> keys, double* s_hi,
                  double* s_lo, double* g_hi, double* g_lo, Numbers& numbers, std::vector<Ball>* dq) const;
  std::vector<Ball> query(const RowInPairs& row, std::span<const std::size_t> keys, double* P, double* P_lo,
                          double* x, double* x_lo, const Numbers& numbers, std::size_t top,
                          double tiny) const;

  DoubleAttention doubles_;
  const AttentionHead& head_;
  std::span<const double> d_out_;
  const AttentionOptions& options_;
  const PairKernels& pairs_;
  BallAttention shared_;
  double gamma_m_, gamma_n_;
  std::vector<double> value_length_, key_bound_;
  double longest_key_ = 0, longest_value_ = 0, longest_query_ = 0;
};

/// Scores from products, but for the mask. Returns the largest magnitude of a sum of score and bias before
/// the cap, 0 where the cap comes first.
double PairHead::scores(const RowInPairs& row, std::size_t i, std::span<const std::size_t> keys, double* hi,
                        double* lo, Numbers& numbers) const {
  const std::size_t n = keys.size();
  double largest = 0;
  const auto add_bias = [&] {
    for (std::size_t at = 0; at < n; ++at) {
      if (!seen(row, i, keys[at])) continue;
      const DoubleDouble s = DoubleDouble{hi[at], lo[at]} + head_.bias[i * head_.n + keys[at]];
      hi[at] = s.hi, lo[at] = s.lo;
      largest = std::max(largest, std::fabs(s.hi));
    }
  };
  pairs_.scale(n, row.scale.v, hi, lo);
  if (!head_.bias.empty() && options_.softcap_after_bias) add_bias();
  numbers.has_slope = options_.softcap.has_value();
  if (options_.softcap) {
    const Ball c(*options_.softcap, row_bits);
    pairs_.cap(n, to_pair(c).v, to_pair(2L / c).v, hi, lo, numbers.slope.hi.data(), numbers.slope.lo.data());
  }
  if (!head_.bias.empty() && !options_.softcap_after_bias) add_bias();
  return options_.softcap_after_bias ? largest : 0;
}

/// What is known of a row before its scores. False where the bounds are out of reach.
bool PairHead::begin_row(RowInPairs& row, std::size_t i) const {
  std::tie(row.first, row.last) = keys_in_place(head_, options_, i);
  const std::span<const double> d_out = d_out_.subspan(i * head_.e, head_.e);
  row.largest = largest_of(d_out);
  row.dsink = Ball(0, row_bits);
  if (row.first == row.last || row.largest == 0) {
    row.silent = row.covered = true;
    return true;
  }
  row.length = length_bound(doubles_.kernels(), d_out.data(), head_.e);
  row.scale = to_pair(shared_.row_scale(i));
  const double query_length = length_bound(doubles_.kernels(), head_.q.data() + i * head_.d, head_.d),
               scale = std::fabs(row.scale.v.hi) * bound_slack;
  row.of_key = (scale * (product_error(head_.d) + 2 * operation) + row.scale.e) * query_length * bound_slack;
  row.of_all = (scale + 1) * 0x1p-1000;
  if (options_.softcap) {
    const double c = to_bounded(Ball(*options_.softcap, 128)).v;
    if (!(c > 0x1p-500 && c < 0x1p500)) return false;
  }
  return row.of_key * longest_key_ + row.of_all < largest_error && query_length * longest_key_ < 1 / least;
}

/// The sums over all keys of a row: scores s and products g = <dO, v>.
void PairHead::finish_row(RowInPairs& row, std::size_t i, std::span<const std::size_t> keys, double* s_hi,
                          double* s_lo, double* g_hi, double* g_lo, Numbers& numbers,
                          std::vector<Ball>* dq) const {
  const TokenKernels& k = doubles_.kernels();
  const std::size_t n = keys.size();
  const std::vector<double>& key_length = doubles_.key_lengths();
  const double before_cap = scores(row, i, keys, s_hi, s_lo, numbers);
  row.of_all += operation * before_cap * bound_slack;
  if (options_.softcap) {
    const double c = to_bounded(Ball(*options_.softcap, 128)).v;
    row.slope_of_key = 2 * row.of_key / c * bound_slack;
    row.slope_of_all = (2 * row.of_all / c + 0x1p-82) * bound_slack;
    row.of_all += c * 0x1p-90;
  }
  std::size_t count = 0, top = n;
  for (std::size_t at = 0; at < n; ++at) {
    if (!seen(row, i, keys[at])) continue;
    ++count;
    if (top == n || s_hi[at] > s_hi[top] || (s_hi[at] == s_hi[top] && s_lo[at] > s_lo[top])) top = at;
  }
  if (count == 0) {
    row.silent = row.covered = true;
    if (dq != nullptr) dq->assign(head_.d, Ball(0, row_bits));
    return;
  }
  row.top = keys[top];
  if (count == 1 && !options_.sink) {
    row.single = row.covered = true;
    if (dq != nullptr) dq->assign(head_.d, Ball(0, row_bits));
    return;
  }
  row.score = {s_hi[top], s_lo[top]};
  if (!std::isfinite(row.score.hi) || !std::isfinite(row.score.lo)) return;
  if (!head_.bias.empty() && !options_.softcap_after_bias)
    row.of_all += operation * std::fabs(row.score.hi) * bound_slack;
  const double score_error = (row.of_key * key_length[row.top] + row.of_all) * bound_slack;

  pairs_.gaps(n, row.score, s_hi, s_lo);
  double farthest = 0;
  for (std::size_t at = 0; at < n; ++at)
    if (seen(row, i, keys[at])) farthest = std::max(farthest, s_hi[at]);
  pairs_.exponentials(n, s_hi, s_lo);
  for (std::size_t at = 0; at < n; ++at)
    if (at == top || !seen(row, i, keys[at])) s_hi[at] = s_lo[at] = 0;
  row.of_all = (2 * row.of_all + row.of_key * key_length[row.top] +
                4 * operation * std::min(farthest, exponential_limit) + exponential_error) *
               bound_slack;
  row.of_key *= bound_slack;
  if (!(row.of_key * longest_key_ + row.of_all < largest_error) ||
      !(row.slope_of_key * longest_key_ + row.slope_of_all < largest_error))
    return;

  const double size = static_cast<double>(n);
  std::vector<double> lengths(n);
  for (std::size_t at = 0; at < n; ++at) lengths[at] = key_length[keys[at]];
  const NumberPair others = pairs_.sum(n, s_hi, s_lo);
  const Ball rest =
      to_ball(others, (row.of_key * k.dot(n, s_hi, lengths.data()) + (row.of_all + gamma_n_) * others.hi) *
                              bound_slack * bound_slack +
                          (count > 1 ? least * size : 0));
  const Ball score = to_ball(row.score, score_error);
  const Ball sink = options_.sink ? exp(Ball(*options_.sink, row_bits) - score) : Ball(0, row_bits);
  const Ball total = 1L + (rest + sink);
  const BoundedPair inverse = to_pair(1L / total);
  if (!(inverse.v.hi > 0 && inverse.e < largest_error * inverse.v.hi)) return;
  row.inverse = inverse.v;
  // From here on of P_j.
  row.of_all = (row.of_all + inverse.e / inverse.v.hi + 2 * operation) * bound_slack;

  row.g_top = {g_hi[top], g_lo[top]};
  pairs_.shift(n, {-row.g_top.hi, -row.g_top.lo}, g_hi, g_lo);
  g_hi[top] = g_lo[top] = 0;
  pairs_.scale(n, row.inverse, s_hi, s_lo);
  for (std::size_t at = 0; at < n; ++at)
    if (!seen(row, i, keys[at])) g_hi[at] = g_lo[at] = 0;
  const NumberPair mean = pairs_.dot(n, s_hi, s_lo, g_hi, g_lo);
  double mean_size = 0, mean_of_keys = 0, weights = 0, of_values = 0;
  for (std::size_t at = 0; at < n; ++at) {
    const double z = s_hi[at] * std::fabs(g_hi[at]);
    mean_size += z;
    mean_of_keys += z * lengths[at];
    weights += s_hi[at];
    of_values += s_hi[at] * value_length_[keys[at]];
  }
  const double product = product_error(head_.e) * row.length, value = value_length_[row.top];
  row.tiny = vanishing * size * (1 + row.length) * (1 + longest_value_);
  const Ball mean_ball =
      to_ball(mean, (row.of_key * mean_of_keys + (row.of_all + gamma_n_ + 2 * operation) * mean_size +
                     product * (of_values + value * weights)) *
                            bound_slack * bound_slack +
                        row.tiny);
  Ball shift = -mean_ball;
  if (options_.sink) {
    const Ball g = to_ball(row.g_top, product * value * bound_slack + row.tiny), share = sink / total;
    shift = share * g - mean_ball;
    row.dsink = -(share * (g * (1L - share) + mean_ball));
  }
  const BoundedPair h = to_pair(shift);
  row.shift = h.v;
  row.shift_error = (operation * std::fabs(h.v.hi) + h.e) * bound_slack;
  row.covered = std::isfinite(row.shift_error);
  if (row.covered && dq != nullptr) {
    s_hi[top] = row.inverse.hi, s_lo[top] = row.inverse.lo;
    *dq = query(row, keys, s_hi, s_lo, g_hi, g_lo, numbers, top, row.tiny);
  }
}

/// sigma sum_j dS_j k_j; weights in P, differences of <dO, v_j> in x.
std::vector<Ball> PairHead::query(const RowInPairs& row, std::span<const std::size_t> keys, double* P,
                                  double* P_lo, double* x, double* x_lo, const Numbers& numbers,
                                  std::size_t top, double tiny) const {
  const std::size_t n = keys.size();
  pairs_.shift(n, row.shift, x, x_lo);
  pairs_.multiply(n, P, P_lo, x, x_lo);
  if (numbers.has_slope) pairs_.multiply(n, numbers.slope.hi.data(), numbers.slope.lo.data(), x, x_lo);
  PairArray sums(head_.d);
  double of_keys = 0, all = 0, of_values = 0, of_top = 0, of_shift = 0;
  for (std::size_t at = 0; at < n; ++at) {
    if (P[at] == 0) continue;
    const std::size_t j = keys[at];
    pairs_.add_multiple(head_.d, {x[at], x_lo[at]}, head_.k.data() + j * head_.d, sums.hi.data(),
                        sums.lo.data());
    const double size = std::fabs(x[at]) * key_bound_[j], weight = P[at] * key_bound_[j];
    of_keys += size * doubles_.key_lengths()[j];
    all += size;
    of_shift += weight;
    if (at == top) continue;
    of_values += weight * value_length_[j];
    of_top += weight;
  }
  pairs_.scale(head_.d, row.scale.v, sums.hi.data(), sums.lo.data());
  const double scale = std::fabs(row.scale.v.hi), of_scale = scale == 0 ? 0 : row.scale.e / scale;
  const double error =
      scale *
          (of_keys * (row.of_key + row.slope_of_key) +
           all * (row.of_all + row.slope_of_all + gamma_n_ + 10 * operation + of_scale) +
           product_error(head_.e) * row.length * (of_values + value_length_[row.top] * of_top) +
           of_shift * row.shift_error) *
          bound_slack * bound_slack +
      tiny * (1 + scale) * (1 + longest_key_);
  std::vector<Ball> r;
  for (std::size_t l = 0; l < head_.d; ++l) r.push_back(to_ball(NumberPair{sums.hi[l], sums.lo[l]}, error));
  return r;
}

std::vector<RowInPairs> PairHead::rows(std::span<const std::size_t> wanted,
                                       std::span<const unsigned char> wants_dq,
                                       std::vector<std::vector<Ball>>& dq) const {
  std::vector<RowInPairs> r(wanted.size());
  std::vector<unsigned char> reached(wanted.size());
  std::size_t first = head_.n, last = 0;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    reached[at] = begin_row(r[at], wanted[at]) ? 1 : 0;
    if (r[at].silent && wants_dq[at] != 0) dq[at].assign(head_.d, Ball(0, row_bits));
    if (reached[at] == 0 || r[at].silent) continue;
    first = std::min(first, r[at].first);
    last = std::max(last, r[at].last);
  }
  if (first >= last) return r;
  const std::size_t count = last - first, height = wanted.size();
  std::vector<double> queries, d_out, scratch(pairs_.width * std::max(head_.d, head_.e));
  for (const std::size_t i : wanted) {
    queries.insert(queries.end(), &head_.q[i * head_.d], &head_.q[i * head_.d] + head_.d);
    d_out.insert(d_out.end(), &d_out_[i * head_.e], &d_out_[i * head_.e] + head_.e);
  }
  PairArray s(height * count), g(height * count);
  pairs_.dots({queries.data(), height, head_.d, head_.d},
              {head_.k.data() + first * head_.d, count, head_.d, head_.d}, s.hi.data(), s.lo.data(), count,
              scratch.data());
  pairs_.dots({d_out.data(), height, head_.e, head_.e},
              {head_.v.data() + first * head_.e, count, head_.e, head_.e}, g.hi.data(), g.lo.data(), count,
              scratch.data());
  std::vector<std::size_t> keys(count);
  std::iota(keys.begin(), keys.end(), first);
  Numbers numbers(count);
  for (std::size_t at = 0; at < height; ++at) {
    RowInPairs& row = r[at];
    if (reached[at] == 0 || row.silent) continue;
    const std::size_t offset = at * count + (row.first - first), size = row.last - row.first;
    finish_row(row, wanted[at], std::span(keys).subspan(row.first - first, size), &s.hi[offset],
               &s.lo[offset], &g.hi[offset], &g.lo[offset], numbers, wants_dq[at] != 0 ? &dq[at] : nullptr);
  }
  return r;
}

void PairHead::add_keys(const std::vector<RowInPairs>& rows, const KeyGroup& group, PairArray& dk,
                        PairArray& dv, std::vector<double>& dk_error, std::vector<double>& dv_error) const {
  const std::size_t n = group.keys.size(), height = 32, d = head_.d, e = head_.e;
  PairArray s(height * n), g(height * n);
  std::vector<double> scratch(pairs_.width * std::max(d, e));
  Numbers numbers(n);
  for (std::size_t from = 0; from < head_.m; from += height) {
    const std::size_t size = std::min(height, head_.m - from);
    pairs_.dots({head_.q.data() + from * d, size, d, d}, {group.k.data(), n, d, d}, s.hi.data(), s.lo.data(),
                n, scratch.data());
    pairs_.dots({d_out_.data() + from * e, size, e, e}, {group.v.data(), n, e, e}, g.hi.data(), g.lo.data(),
                n, scratch.data());
    for (std::size_t at = 0; at < size; ++at) {
      const std::size_t i = from + at;
      const RowInPairs& row = rows[i];
      if (row.silent) continue;
      double *P = &s.hi[at * n], *P_lo = &s.lo[at * n], *x = &g.hi[at * n], *x_lo = &g.lo[at * n];
      if (!row.single) {
        scores(row, i, group.keys, P, P_lo, numbers);
        pairs_.gaps(n, row.score, P, P_lo);
        pairs_.exponentials(n, P, P_lo);
        pairs_.scale(n, row.inverse, P, P_lo);
        pairs_.shift(n, {-row.g_top.hi, -row.g_top.lo}, x, x_lo);
        for (std::size_t a = 0; a < n; ++a)
          if (group.keys[a] == row.top) {
            P[a] = row.inverse.hi, P_lo[a] = row.inverse.lo;
            x[a] = x_lo[a] = 0;
          }
        pairs_.shift(n, row.shift, x, x_lo);
        pairs_.multiply(n, P, P_lo, x, x_lo);
        if (numbers.has_slope) pairs_.multiply(n, numbers.slope.hi.data(), numbers.slope.lo.data(), x, x_lo);
        pairs_.scale(n, row.scale.v, x, x_lo);
      }
      const double* q = head_.q.data() + i * d;
      const double* out = d_out_.data() + i * e;
      const double scale = std::fabs(row.scale.v.hi), query = largest_of({q, d}),
                   of_scale = scale == 0 ? 0 : row.scale.e / scale,
                   product = product_error(e) * row.length * scale,
                   tiny_of_key = row.tiny * (1 + scale) * (1 + longest_query_),
                   tiny_of_value = row.tiny * (1 + row.largest);
      for (std::size_t a = 0; a < n; ++a) {
        const std::size_t j = group.keys[a];
        if (!seen(row, i, j)) continue;
        if (row.single) {
          pairs_.add_multiple(e, {1, 0}, out, &dv.hi[a * e], &dv.lo[a * e]);
          dv_error[a] += row.largest * gamma_m_ * bound_slack;
          continue;
        }
        pairs_.add_multiple(d, {x[a], x_lo[a]}, q, &dk.hi[a * d], &dk.lo[a * d]);
        pairs_.add_multiple(e, {P[a], P_lo[a]}, out, &dv.hi[a * e], &dv.lo[a * e]);
        const double length = doubles_.key_lengths()[j], of_score = (row.of_key + row.slope_of_key) * length +
                                                                    row.of_all + row.slope_of_all + gamma_m_ +
                                                                    10 * operation + of_scale;
        const double of_values = j == row.top ? 0 : product * (value_length_[j] + value_length_[row.top]);
        dk_error[a] += query * (std::fabs(x[a]) * of_score + P[a] * (of_values + scale * row.shift_error)) *
                           bound_slack +
                       tiny_of_key;
        dv_error[a] +=
            P[a] * row.largest * (row.of_key * length + row.of_all + gamma_m_ + 2 * operation) * bound_slack +
            tiny_of_value;
      }
    }
  }
}

/// The rows of one head and, where keys are open, what is known of all of them.
class PairPass {
 public:
  PairPass(std::span<const AttentionHead> heads, std::span<const std::span<const double>> d_out,
           const AttentionOptions& options, const Checkpoint& checkpoint, const OpenGradients& open,
           const std::function<bool(const Ball&)>& enough, AttentionGradients& gradients,
           const PairKernels& kernels)
      : heads_(heads),
        options_(options),
        checkpoint_(checkpoint),
        open_(open),
        enough_(enough),
        g_(gradients) {
    std::size_t additions = 0;
    for (const AttentionHead& head : heads) additions += head.m;
    for (std::size_t h = 0; h < heads.size(); ++h)
      of_heads_.push_back(std::make_unique<PairHead>(heads[h], d_out[h], options, kernels, additions));
  }

  void run() {
    if (!of_heads_[0]->applies()) return;
    const bool all_rows = !open_.keys.empty() || open_.sink;
    std::vector<std::vector<RowInPairs>> rows(heads_.size());
    bool covered = true;
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      rows[h] = of_head(h, all_rows);
      for (const RowInPairs& row : rows[h]) covered = covered && row.covered;
    }
    if (!covered || !all_rows) return;
    for (std::size_t h = 0; open_.sink && h < heads_.size(); ++h) {
      Ball sum(0, row_bits);
      for (const RowInPairs& row : rows[h]) sum += row.dsink;
      keep(sum, g_.dsink[h]);
    }
    constexpr std::size_t at_once = 64;
    tbb::parallel_for(std::size_t{0}, (open_.keys.size() + at_once - 1) / at_once, [&](std::size_t part) {
      const std::size_t first = part * at_once;
      keys(rows, std::span(open_.keys).subspan(first, std::min(at_once, open_.keys.size() - first)));
    });
  }

 private:
  void keep(const Ball& found, Ball& entry) const {
    if (!enough_(entry) && found.is_finite()) entry = found;
  }

  std::vector<RowInPairs> of_head(std::size_t h, bool all_rows) {
    const PairHead& head = *of_heads_[h];
    const std::size_t m = heads_[h].m, d = heads_[h].d;
    std::vector<unsigned char> wants_dq(m);
    for (const std::size_t i : open_.queries[h]) wants_dq[i] = 1;
    std::vector<std::size_t> wanted = open_.queries[h];
    if (all_rows) {
      wanted.resize(m);
      std::iota(wanted.begin(), wanted.end(), std::size_t{0});
    }
    std::vector<RowInPairs> r(wanted.size());
    const std::size_t height = head.rows_at_once();
    tbb::parallel_for(std::size_t{0}, (wanted.size() + height - 1) / height, [&](std::size_t block) {
      checkpoint_();
      const std::size_t first = block * height;
      const auto some = std::span(wanted).subspan(first, std::min(height, wanted.size() - first));
      std::vector<unsigned char> wants;
      for (const std::size_t i : some) wants.push_back(wants_dq[i]);
      std::vector<std::vector<Ball>> dq(some.size());
      std::vector<RowInPairs> found = head.rows(some, wants, dq);
      for (std::size_t at = 0; at < some.size(); ++at) {
        for (std::size_t l = 0; l < dq[at].size(); ++l) keep(dq[at][l], g_.dq[h][some[at] * d + l]);
        r[first + at] = std::move(found[at]);
      }
    });
    return r;
  }

  void keys(const std::vector<std::vector<RowInPairs>>& rows, std::span<const std::size_t> some) {
    checkpoint_();
    const std::size_t n = some.size(), d = heads_[0].d, e = heads_[0].e;
    KeyGroup group{{some.begin(), some.end()}, {}, {}};
    for (const std::size_t j : some) {
      group.k.insert(group.k.end(), &heads_[0].k[j * d], &heads_[0].k[j * d] + d);
      group.v.insert(group.v.end(), &heads_[0].v[j * e], &heads_[0].v[j * e] + e);
    }
    PairArray dk(n * d), dv(n * e);
    std::vector<double> dk_error(n), dv_error(n);
    for (std::size_t h = 0; h < heads_.size(); ++h)
      of_heads_[h]->add_keys(rows[h], group, dk, dv, dk_error, dv_error);
    for (std::size_t a = 0; a < n; ++a) {
      // Errors were added up too.
      for (std::size_t l = 0; l < d; ++l)
        keep(to_ball(NumberPair{dk.hi[a * d + l], dk.lo[a * d + l]}, dk_error[a] * bound_slack),
             g_.dk[some[a] * d + l]);
      for (std::size_t l = 0; l < e; ++l)
        keep(to_ball(NumberPair{dv.hi[a * e + l], dv.lo[a * e + l]}, dv_error[a] * bound_slack),
             g_.dv[some[a] * e + l]);
    }
  }

  std::span<const AttentionHead> heads_;
  const AttentionOptions& options_;
  const Checkpoint& checkpoint_;
  const OpenGradients& open_;
  const std::function<bool(const Ball&)>& enough_;
  AttentionGradients& g_;
  std::vector<std::unique_ptr<PairHead>> of_heads_;
};

}  // namespace

OpenGradients OpenGradients::of(const AttentionGradients& g, std::size_t d, std::size_t e,
                                const std::function<bool(const Ball&)>& enough) {
  OpenGradients r;
  const auto is_open = [&](const std::vector<Ball>& a, std::size_t row, std::size_t width) {
    const auto first = a.begin() + static_cast<std::ptrdiff_t>(row * width);
    return !std::all_of(first, first + static_cast<std::ptrdiff_t>(width), enough);
  };
  for (const std::vector<Ball>& dq : g.dq) {
    std::vector<std::size_t>& rows = r.queries.emplace_back();
    for (std::size_t i = 0; i < dq.size() / d; ++i)
      if (is_open(dq, i, d)) rows.push_back(i);
  }
  for (std::size_t j = 0; j < g.dk.size() / d; ++j)
    if (is_open(g.dk, j, d) || is_open(g.dv, j, e)) r.keys.push_back(j);
  r.sink = !std::all_of(g.dsink.begin(), g.dsink.end(), enough);
  return r;
}

bool OpenGradients::none() const {
  return keys.empty() && !sink &&
         std::all_of(queries.begin(), queries.end(), [](const auto& rows) { return rows.empty(); });
}

void refine_gradients(std::span<const AttentionHead> heads, std::span<const std::span<const double>> d_out,
                      const AttentionOptions& options, const Checkpoint& checkpoint,
                      const OpenGradients& open, const std::function<bool(const Ball&)>& enough,
                      AttentionGradients& gradients, const PairKernels& kernels) {
  PairPass(heads, d_out, options, checkpoint, open, enough, gradients, kernels).run();
}

}  // namespace critscale
