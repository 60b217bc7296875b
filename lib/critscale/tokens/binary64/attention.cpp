// Rows of attention in binary64. Every error bound is one line of [attention-binary64].
#include "critscale/tokens/binary64/detail/attention.hpp"

#include <algorithm>
#include <cmath>

#include "critscale/tokens/binary64/detail/facts.hpp"

namespace critscale {

namespace {

constexpr double u = Bounded::u;
/// Weights below 2^-980 that are taken for 0, and everything that underflows.
constexpr double least = 0x1p-900;
constexpr double largest_error = 0.001;
/// Where the exponential is 0 [token-weights].
constexpr double exponential_limit = 680;
/// Beyond this many keys or coordinates gamma_bound is not proved.
constexpr std::size_t longest_sum = std::size_t{1} << 24;
/// Keys of a row whose terms are made and added up together.
constexpr std::size_t stretch = 4096;
/// Sums over keys of outputs are taken in parts of so many: a term passes fewer roundings.
constexpr std::size_t segment = std::size_t{1} << 16;

}  // namespace

/// Numbers of one row, a key each.
struct DoubleAttention::Scratch {
  explicit Scratch(std::size_t count) : t(count), other(count) {}
  std::vector<double> t, other;
};

double length_bound(const TokenKernels& kernels, const double* row, std::size_t d) {
  const double square = kernels.dot(d, row, row);
  if (square > least && square < 1 / least) return std::sqrt(square) * bound_slack;
  double largest = 0;
  for (std::size_t l = 0; l < d; ++l) largest = std::max(largest, std::fabs(row[l]));
  return largest * std::sqrt(static_cast<double>(d)) * bound_slack;
}

bool wants(const AttentionOptions& options, RowQuantity q) {
  return std::find(options.quantities.begin(), options.quantities.end(), q) != options.quantities.end();
}

DoubleAttention::DoubleAttention(const AttentionHead& head, const AttentionOptions& options,
                                 const TokenKernels& kernels)
    : head_(head), options_(options), kernels_(kernels), shared_(head, options, 128) {
  if (!options.schedule && !options.unit_beta) scale_ = to_bounded(shared_.row_scale(0));
  for (std::size_t j = 0; j < head_.n; ++j) {
    key_length_.push_back(length_bound(kernels_, head_.k.data() + j * head_.d, head_.d));
    double bound = 0;
    for (std::size_t l = 0; l < head_.e; ++l) bound = std::max(bound, std::fabs(head_.v[j * head_.e + l]));
    value_bound_.push_back(bound);
    key_value_.push_back(key_length_.back() * bound);
    longest_key_ = std::max(longest_key_, key_length_.back());
    all_values_ += bound;
  }
}

std::size_t DoubleAttention::rows_at_once(std::size_t keys) {
  return std::clamp<std::size_t>((std::size_t{1} << 21) / keys, 8, 128);
}

bool DoubleAttention::applies() const {
  return !options_.unit_beta && head_.n <= longest_sum && head_.d <= longest_sum && head_.e <= longest_sum;
}

/// <q_i, k_j> for all keys that one of the rows sees by position; they begin at a multiple of the chunk, so
/// that sums over keys have the same chunks whatever row begins the block.
void DoubleAttention::products(AttentionBlock& block, std::span<const std::size_t> wanted) const {
  std::size_t first = head_.n, last = 0;
  for (const std::size_t i : wanted) {
    const auto [from, to] = keys_in_place(head_, options_, i);
    if (from == to) continue;
    first = std::min(first, from);
    last = std::max(last, to);
  }
  block.first = first < last ? first / summation_chunk * summation_chunk : 0;
  block.count = first < last ? last - block.first : 0;
  const std::size_t height = wanted.size(), count = block.count;
  std::vector<double> queries;
  for (const std::size_t i : wanted) {
    DoubleAttentionRow& row = block.rows.emplace_back();
    row.i = i;
    const auto [from, to] = keys_in_place(head_, options_, i);
    if (from < to) row.first = from - block.first, row.last = to - block.first;
    queries.insert(queries.end(), head_.q.begin() + static_cast<std::ptrdiff_t>(i * head_.d),
                   head_.q.begin() + static_cast<std::ptrdiff_t>((i + 1) * head_.d));
  }
  block.E.resize(height * count);
  // As many keys as stay in a cache with their products.
  constexpr std::size_t width = 256;
  std::vector<double> scratch(height * std::min(width, count));
  for (std::size_t j = 0; j < count; j += width)
    kernels_.times_transposed(
        {queries.data(), height, head_.d, head_.d},
        {head_.k.data() + (block.first + j) * head_.d, std::min(width, count - j), head_.d, head_.d},
        &block.E[j], count, scratch.data());
}

AttentionBlock DoubleAttention::block(std::span<const std::size_t> wanted, bool with_slopes) const {
  AttentionBlock b;
  products(b, wanted);
  if (with_slopes && options_.softcap) b.slope.resize(b.E.size());
  Scratch scratch(b.count);
  for (std::size_t at = 0; at < b.rows.size(); ++at) {
    DoubleAttentionRow& row = b.rows[at];
    double* E = b.E.data() + at * b.count;
    std::fill(E, E + row.first, 0.0);
    std::fill(E + row.last, E + b.count, 0.0);
    double* slope = b.slope.empty() ? nullptr : b.slope.data() + at * b.count;
    row.covered = scores(row, E, slope, b.first, scratch);
    if (row.covered && row.seen > 0)
      terms(row, E, b.first, scratch);
    else
      std::fill(E, E + b.count, 0.0);
  }
  return b;
}

std::vector<std::optional<AttentionRow>> DoubleAttention::rows(std::span<const std::size_t> wanted) const {
  std::vector<std::optional<AttentionRow>> r(wanted.size());
  if (!applies()) return r;
  const AttentionBlock b = block(wanted, false);
  const std::size_t height = b.rows.size();
  std::vector<double> sums;
  if (wants(options_, RowQuantity::output) && b.count > 0) {
    sums.resize(height * head_.e);
    std::vector<double> part(sums.size()), scratch(sums.size());
    for (std::size_t j = 0; j < b.count; j += segment) {
      const std::size_t size = std::min(segment, b.count - j);
      kernels_.times({&b.E[j], height, size, b.count},
                     {head_.v.data() + (b.first + j) * head_.e, size, head_.e, head_.e}, part.data(), head_.e,
                     scratch.data());
      for (std::size_t at = 0; at < sums.size(); ++at) sums[at] += part[at];
    }
  }
  for (std::size_t at = 0; at < height; ++at) {
    const DoubleAttentionRow& row = b.rows[at];
    // What has no key has exact values; they are the Ball path's.
    if (!row.covered || row.seen == 0) continue;
    r[at] = values(row, b.E.data() + at * b.count, sums.empty() ? nullptr : &sums[at * head_.e], b.first);
  }
  return r;
}

/// Scores from products: s_j, minus infinity where the mask hides; the error of s_j is at most of_key |k_j| +
/// of_all + u |s_top - s_j|. False where a bound is out of reach.
bool DoubleAttention::scores(DoubleAttentionRow& row, double* s, double* slope, std::size_t first,
                             Scratch& scratch) const {
  const std::size_t begin = first + row.first, count = row.last - row.first;
  s += row.first;
  if (slope) slope += row.first;
  row.scale = scale_ ? *scale_ : to_bounded(shared_.row_scale(row.i));
  const double query_length = length_bound(kernels_, head_.q.data() + row.i * head_.d, head_.d);
  const double magnitude_of_scale = std::fabs(row.scale.v);
  row.of_key = (magnitude_of_scale * (gamma_bound(summation_height(head_.d)) + 2 * u) + row.scale.e) *
               query_length * bound_slack;
  row.of_all = (magnitude_of_scale + 1) * 0x1p-1000;
  // The second: no sum of products overflows.
  if (!(row.of_key * longest_key_ + row.of_all < largest_error) || !(query_length * longest_key_ < 1 / least))
    return false;
  kernels_.scale(count, row.scale.v, s);

  const double* bias = head_.bias.empty() ? nullptr : head_.bias.data() + row.i * head_.n + begin;
  const auto add_bias = [&] {
    double largest = 0;
    for (std::size_t j = 0; j < count; ++j) {
      if (bias[j] == -HUGE_VAL) continue;
      s[j] += bias[j];
      largest = std::max(largest, std::fabs(s[j]));
    }
    return largest;
  };
  if (bias && options_.softcap_after_bias) row.of_all += u * add_bias() * bound_slack;
  if (options_.softcap) cap(row, s, slope, row.of_all, scratch);
  if (bias && !options_.softcap_after_bias) add_bias();
  row.seen = count;
  if (bias || !head_.visible.empty())
    for (std::size_t j = 0; j < count; ++j)
      if (is_masked(head_, row.i, begin + j)) {
        s[j] = -HUGE_VAL;
        --row.seen;
      }
  if (row.seen == 0) return true;
  row.score = kernels_.largest(count, s);
  if (!std::isfinite(row.score)) return false;
  row.top = row.first + static_cast<std::size_t>(std::find(s, s + count, row.score) - s);
  if (row.top == row.last) return false;
  // |s_j| <= |s_top| + t_j for the sum with the mask's number.
  const bool added = bias && !options_.softcap_after_bias;
  if (added) row.of_all += u * std::fabs(row.score) * bound_slack;
  const double key = key_length_[first + row.top];
  row.score_error = (row.of_key * key + row.of_all) * bound_slack;
  // From here on of_all is that of E_j, but for the part that grows with t_j.
  row.of_all = 2 * row.of_all + row.of_key * key;
  const double most = (row.of_key * longest_key_ + row.of_all + 2 * u * exponential_limit) * bound_slack;
  return most < largest_error && row.slope_of_key * longest_key_ + row.slope_of_all < largest_error;
}

/// s_j becomes c tanh(s_j/c), by E = exp(-2|x|/c); its slope 4E/(1 + E)^2 is at most 1.
void DoubleAttention::cap(DoubleAttentionRow& row, double* s, double* slope, double& error,
                          Scratch& scratch) const {
  const std::size_t count = row.last - row.first;
  const double c = to_bounded(Ball(*options_.softcap, 128)).v;
  if (!(c > 0x1p-500 && c < 0x1p500)) {
    error = HUGE_VAL;
    return;
  }
  if (slope) {
    row.slope_of_key = 2 * row.of_key / c * bound_slack;
    row.slope_of_all = (2 * error / c + 0x1p-41) * bound_slack;
  }
  double *x = scratch.t.data(), *E = scratch.other.data();
  for (std::size_t j = 0; j < count; ++j) x[j] = std::fabs(s[j]);
  kernels_.exponentials(count, 2 / c, x, E);
  for (std::size_t j = 0; j < count; ++j) {
    const double capped = c * ((1 - E[j]) / (1 + E[j]));
    s[j] = s[j] < 0 ? -capped : capped;
    if (slope) slope[j] = 4 * E[j] / ((1 + E[j]) * (1 + E[j]));
  }
  error += c * 0x1p-46;
}

/// Scores become terms, and the sums over them; so many keys at a time as stay in a small cache.
void DoubleAttention::terms(DoubleAttentionRow& row, double* s, std::size_t first, Scratch& scratch) const {
  const std::size_t count = row.last - row.first;
  double rest_of_keys = 0, reach_of_keys = 0, farthest = 0;
  for (std::size_t from = 0; from < count; from += stretch) {
    const std::size_t size = std::min(stretch, count - from), begin = first + row.first + from;
    double *E = s + row.first + from, *t = scratch.t.data();
    kernels_.gaps(size, row.score, E, t);
    kernels_.exponentials(size, 1, t, E);
    farthest = std::max(farthest, kernels_.largest(size, t));
    // Sums over the keys but the largest one, whose term is exactly 1.
    const bool has_top = first + row.top >= begin && first + row.top < begin + size;
    if (has_top) s[row.top] = 0;
    row.rest += kernels_.sum(size, E);
    rest_of_keys += kernels_.dot(size, E, &key_length_[begin]);
    if (wants(options_, RowQuantity::participation)) row.rest2 += kernels_.dot(size, E, E);
    if (wants(options_, RowQuantity::entropy)) {
      // Terms that count as 0 may have an infinite t.
      for (std::size_t j = 0; j < size; ++j) t[j] = std::min(t[j], exponential_limit);
      row.weighted += kernels_.dot(size, E, t);
    }
    if (wants(options_, RowQuantity::output)) {
      row.reach += kernels_.dot(size, E, &value_bound_[begin]);
      reach_of_keys += kernels_.dot(size, E, &key_value_[begin]);
    }
    row.second = std::max(row.second, kernels_.largest(size, E));
    if (has_top) s[row.top] = 1;
  }
  row.of_all = (row.of_all + 2 * u * std::min(farthest, exponential_limit) + 0x1p-50) * bound_slack;
  row.of_key *= bound_slack;
  row.error_at_most = row.of_key * longest_key_ + row.of_all;
  row.rest_error = (row.of_key * rest_of_keys + row.of_all * row.rest) * bound_slack;
  row.weighted_error = (row.error_at_most * row.weighted + 1.01 * row.rest_error) * bound_slack;
  row.reach_error = (row.of_key * reach_of_keys + row.of_all * row.reach) * bound_slack;

  const double gamma_n = gamma_bound(summation_height(head_.n) + 4);
  const double tiny = row.seen > 1 ? least * static_cast<double>(count) : 0;
  const Ball score = to_ball({row.score, row.score_error});
  const Ball sink = options_.sink ? exp(Ball(*options_.sink, 128) - score) : Ball(0, 64);
  row.total_ball = to_ball({row.rest, (row.rest_error + gamma_n * row.rest) * bound_slack + tiny}) + sink;
  row.total = to_bounded(1L + row.total_ball);
  row.sink = to_bounded(sink);
}

AttentionRow DoubleAttention::values(const DoubleAttentionRow& row, const double* E, const double* sums,
                                     std::size_t first) const {
  const std::size_t count = row.last - row.first;
  const double gamma_n = gamma_bound(summation_height(head_.n) + 4);
  const double tiny = least * static_cast<double>(count);
  const Ball rest = to_ball({row.rest, (row.rest_error + gamma_n * row.rest) * bound_slack + tiny});
  const Ball total = 1L + row.total_ball, log_total = log1p(row.total_ball);
  const Ball top = to_ball({row.score, row.score_error});
  AttentionRow r;
  r.row = row.i;
  if (wants(options_, RowQuantity::lse)) r.lse = top + log_total;
  if (wants(options_, RowQuantity::max_weight)) {
    const double largest = std::max(1.0, row.second * (1 + row.error_at_most * bound_slack) * (1 + 4 * u));
    r.max_weight = Ball(Dyadic::exactly(1.0), Dyadic::exactly(largest), 64) / total;
  }
  if (wants(options_, RowQuantity::entropy)) {
    const Ball weighted =
        to_ball({row.weighted, (row.weighted_error + gamma_n * row.weighted) * bound_slack + tiny});
    r.entropy = ((1L + rest) * log_total + weighted) / total;
  }
  if (wants(options_, RowQuantity::participation)) {
    // Terms are at most 1.001.
    const Ball rest2 =
        to_ball({row.rest2, (2.01 * row.rest_error + gamma_n * row.rest2) * bound_slack + tiny});
    r.participation = sqr(total) / (1L + rest2);
  }
  const auto weight = [&](std::size_t j) {
    const double error = j == row.top ? 0 : row.of_key * key_length_[first + j] + row.of_all;
    return to_ball({E[j], E[j] * error * bound_slack + least}) / total;
  };
  if (wants(options_, RowQuantity::weights)) {
    r.weights.assign(head_.n, Ball(0, 64));
    for (std::size_t j = row.first; j < row.last; ++j)
      if (!is_masked(head_, row.i, first + j)) r.weights[first + j] = weight(j);
  }
  const std::optional<std::size_t> position = position_of(head_, options_, row.i);
  if (wants(options_, RowQuantity::self_weight) && position && *position < head_.n) {
    const bool seen =
        *position >= first + row.first && *position < first + row.last && !is_masked(head_, row.i, *position);
    r.self_weight = seen ? weight(*position - first) : Ball(0, 64);
  }
  if (sums) {
    // The sums went over all keys of the block.
    const double gamma_all =
        gamma_bound(summation_height(std::min(head_.n, segment)) + head_.n / segment + 4);
    const double error =
        (row.reach_error + gamma_all * (row.reach + value_bound_[first + row.top]) + all_values_ * 0x1p-970) *
            bound_slack +
        tiny;
    for (std::size_t l = 0; l < head_.e; ++l)
      r.output.push_back(to_ball(Bounded{sums[l], error} / row.total));
  }
  return r;
}

}  // namespace critscale
