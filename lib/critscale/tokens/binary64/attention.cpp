// Attention in binary64. Every error bound is one line of [attention-binary64].
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

/// |row| from above, also where squares leave the range of doubles.
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

}  // namespace

/// One row: its keys' terms relative to the largest score, with relative errors.
struct DoubleAttention::Row {
  std::size_t i = 0;
  std::vector<std::size_t> keys;
  std::vector<double> term, error, gap, gap_error;  ///< E_j and eps_j; t_j and its error
  std::size_t top = 0;
  double score = 0, score_error = 0;  ///< of the largest
  std::vector<double> sum;            ///< sum_j E_j v_j
  Bounded scale;
};

DoubleAttention::DoubleAttention(const AttentionHead& head, const AttentionOptions& options,
                                 const TokenKernels& kernels)
    : head_(head), options_(options), kernels_(kernels), shared_(head, options, 128) {
  for (std::size_t j = 0; j < head_.n; ++j) {
    key_length_.push_back(length_bound(kernels_, head_.k.data() + j * head_.d, head_.d));
    double bound = 0;
    for (std::size_t l = 0; l < head_.e; ++l) bound = std::max(bound, std::fabs(head_.v[j * head_.e + l]));
    value_bound_.push_back(bound);
  }
}

std::size_t DoubleAttention::rows_at_once() const {
  return std::clamp<std::size_t>((std::size_t{1} << 22) / head_.n, 1, 64);
}

std::vector<std::optional<AttentionRow>> DoubleAttention::rows(std::span<const std::size_t> wanted) const {
  std::vector<std::optional<AttentionRow>> r(wanted.size());
  // Beyond this many keys gamma_bound is not proved.
  constexpr std::size_t most_keys = std::size_t{1} << 22;
  if (options_.unit_beta || head_.n > most_keys || head_.d > most_keys) return r;
  std::vector<Row> rows(wanted.size());
  std::size_t first = head_.n, last = 0;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    rows[at].i = wanted[at];
    rows[at].keys = visible_keys(head_, options_, wanted[at]);
    if (rows[at].keys.empty()) continue;
    first = std::min(first, rows[at].keys.front());
    last = std::max(last, rows[at].keys.back() + 1);
  }
  if (first >= last) return r;
  // Products with every key that one of the rows sees.
  const std::size_t count = last - first, height = wanted.size();
  std::vector<double> queries, products(height * count), scratch(height * std::max(count, head_.e));
  for (const std::size_t i : wanted)
    queries.insert(queries.end(), head_.q.begin() + static_cast<std::ptrdiff_t>(i * head_.d),
                   head_.q.begin() + static_cast<std::ptrdiff_t>((i + 1) * head_.d));
  kernels_.times_transposed({queries.data(), height, head_.d, head_.d},
                            {head_.k.data() + first * head_.d, count, head_.d, head_.d}, products.data(),
                            count, scratch.data());
  std::vector<char> covered(height);
  for (std::size_t at = 0; at < height; ++at)
    covered[at] = !rows[at].keys.empty() && scores(rows[at], &products[at * count], first);
  if (wants(options_, RowQuantity::output)) {
    std::vector<double> sums(height * head_.e);
    std::fill(products.begin(), products.end(), 0.0);
    for (std::size_t at = 0; at < height; ++at)
      if (covered[at] != 0)
        for (std::size_t a = 0; a < rows[at].keys.size(); ++a)
          products[at * count + rows[at].keys[a] - first] = rows[at].term[a];
    kernels_.times({products.data(), height, count, count},
                   {head_.v.data() + first * head_.e, count, head_.e, head_.e}, sums.data(), head_.e,
                   scratch.data());
    for (std::size_t at = 0; at < height; ++at)
      rows[at].sum.assign(&sums[at * head_.e], &sums[at * head_.e] + head_.e);
  }
  for (std::size_t at = 0; at < height; ++at)
    if (covered[at] != 0) r[at] = values(rows[at]);
  return r;
}

/// False where a bound is out of reach.
bool DoubleAttention::scores(Row& row, const double* products, std::size_t first) const {
  const std::size_t count = row.keys.size();
  const double* q = head_.q.data() + row.i * head_.d;
  const double query_length = length_bound(kernels_, q, head_.d);
  const Bounded scale = to_bounded(shared_.row_scale(row.i));
  const double gamma_d = gamma_bound(summation_height(head_.d));
  // |error of scale <q, k>| <= slope |k| + underflow.
  const double slope = (std::fabs(scale.v) * (gamma_d + 2 * u) + scale.e) * query_length * bound_slack;
  const double underflow = (std::fabs(scale.v) + 1) * 0x1p-1000;
  std::vector<double> score(count), error(count), work(count);
  for (std::size_t a = 0; a < count; ++a) {
    const std::size_t j = row.keys[a];
    score[a] = scale.v * products[j - first];
    error[a] = slope * key_length_[j] + underflow;
  }
  const auto add_bias = [&] {
    if (head_.bias.empty()) return;
    for (std::size_t a = 0; a < count; ++a) {
      score[a] += head_.bias[row.i * head_.n + row.keys[a]];
      error[a] += u * std::fabs(score[a]);
    }
  };
  if (options_.softcap_after_bias) add_bias();
  if (options_.softcap) {
    // c tanh(x/c) by E = exp(-2|x|/c); its slope is at most 1.
    const double cap = to_bounded(Ball(*options_.softcap, 128)).v;
    for (std::size_t a = 0; a < count; ++a) work[a] = std::fabs(score[a]);
    if (!(cap > 0x1p-500 && cap < 0x1p500)) return false;
    std::vector<double> E(count);
    kernels_.exponentials(count, 2 / cap, work.data(), E.data());
    for (std::size_t a = 0; a < count; ++a) {
      const double capped = cap * ((1 - E[a]) / (1 + E[a]));
      score[a] = score[a] < 0 ? -capped : capped;
      error[a] += cap * 0x1p-46;
    }
  }
  if (!options_.softcap_after_bias) add_bias();

  for (std::size_t a = 1; a < count; ++a)
    if (score[row.top] < score[a]) row.top = a;
  row.score = score[row.top];
  row.score_error = error[row.top] * bound_slack;
  if (!std::isfinite(row.score) || !(row.score_error < largest_error)) return false;
  row.term.resize(count);
  row.error.resize(count);
  row.gap.resize(count);
  row.gap_error.resize(count);
  for (std::size_t a = 0; a < count; ++a) row.gap[a] = row.score - score[a];
  kernels_.exponentials(count, 1, row.gap.data(), row.term.data());
  for (std::size_t a = 0; a < count; ++a) {
    row.gap_error[a] = (error[a] + row.score_error + u * row.gap[a]) * bound_slack;
    row.error[a] = (row.gap_error[a] + 0x1p-50) * bound_slack;
    // A term that is certainly below 2^-980 stands for 0, whatever its relative error.
    if (row.gap[a] - row.gap_error[a] >= exponential_limit)
      row.term[a] = row.error[a] = 0;
    else if (!(row.error[a] < largest_error))
      return false;
  }
  row.term[row.top] = 1;
  row.error[row.top] = row.gap_error[row.top] = 0;
  return true;
}

AttentionRow DoubleAttention::values(const Row& row) const {
  const std::size_t count = row.keys.size();
  const double gamma_n = gamma_bound(summation_height(count) + 4);
  // Sums over the keys but the largest one, whose term is exactly 1.
  double rest = 0, rest_error = 0, rest2 = 0, weighted = 0, weighted_error = 0, reach = 0, reach_error = 0,
         dropped = 0, largest = 1;
  std::vector<double> others = row.term;
  others[row.top] = 0;
  rest = kernels_.sum(count, others.data());
  rest2 = kernels_.dot(count, others.data(), others.data());
  weighted = kernels_.dot(count, others.data(), row.gap.data());
  rest_error = kernels_.dot(count, others.data(), row.error.data());
  for (std::size_t a = 0; a < count; ++a) {
    const double E = row.term[a], bound = value_bound_[row.keys[a]];
    weighted_error += E * (row.error[a] * row.gap[a] + 1.01 * row.gap_error[a]);
    reach += E * bound;
    reach_error += E * row.error[a] * bound;
    if (E == 0) dropped += bound;
    largest = std::max(largest, E * (1 + row.error[a]));
  }
  // These four are sums of `count` numbers >= 0 one after the other.
  const double slack = bound_slack + gamma_bound(count) * 2;
  const double tiny = least * static_cast<double>(count);
  const Bounded rest_b{rest, (rest_error * slack + gamma_n * rest) * bound_slack + tiny};
  const Ball rest_ball = to_ball(rest_b);
  // Terms are at most 1.001.
  const Ball rest2_ball =
      to_ball({rest2, (2.01 * rest_error * slack + gamma_n * rest2) * bound_slack + tiny});
  const Ball weighted_ball =
      to_ball({weighted, (weighted_error * slack + gamma_n * weighted) * bound_slack + tiny});
  const Ball top = to_ball({row.score, row.score_error});
  const Ball sink = options_.sink ? exp(Ball(*options_.sink, 128) - top) : Ball(0, 64);
  const Ball total = 1L + (rest_ball + sink), log_total = log1p(rest_ball + sink);

  AttentionRow r;
  r.row = row.i;
  if (wants(options_, RowQuantity::lse)) r.lse = top + log_total;
  if (wants(options_, RowQuantity::max_weight))
    r.max_weight = Ball(Dyadic::exactly(1.0), Dyadic::exactly(largest * (1 + 4 * u)), 64) / total;
  if (wants(options_, RowQuantity::entropy))
    r.entropy = ((1L + rest_ball) * log_total + weighted_ball) / total;
  if (wants(options_, RowQuantity::participation)) r.participation = sqr(total) / (1L + rest2_ball);
  const auto weight = [&](std::size_t a) {
    return to_ball({row.term[a], row.term[a] * row.error[a] * bound_slack + least}) / total;
  };
  if (wants(options_, RowQuantity::weights)) {
    r.weights.assign(head_.n, Ball(0, 64));
    for (std::size_t a = 0; a < count; ++a) r.weights[row.keys[a]] = weight(a);
  }
  const std::optional<std::size_t> position = position_of(head_, options_, row.i);
  if (wants(options_, RowQuantity::self_weight) && position && *position < head_.n) {
    const auto own = std::lower_bound(row.keys.begin(), row.keys.end(), *position);
    const bool seen = own != row.keys.end() && *own == *position;
    r.self_weight = seen ? weight(static_cast<std::size_t>(own - row.keys.begin())) : Ball(0, 64);
  }
  // The sums went over all keys between the first and the last that a row of the block sees.
  const double gamma_all = gamma_bound(summation_height(head_.n) + 2);
  const double error = (reach_error + gamma_all * reach + dropped * 0x1p-970) * slack * bound_slack + tiny;
  for (const double s : row.sum) r.output.push_back(to_ball({s, error}) / total);
  return r;
}

}  // namespace critscale
