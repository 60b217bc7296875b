// Rows of attention in double-double arithmetic, up to their weights and outputs. Every error bound is one
// line of [attention-pairs].
#include "critscale/tokens/binary64/detail/pair_head.hpp"

#include <tuple>

#include "critscale/tokens/binary64/detail/double_double.hpp"

namespace critscale {

namespace {

constexpr double operation = PairArithmetic::operation;
constexpr Bits row_bits = PairArithmetic::row_bits;
/// Weights that are taken for 0.
constexpr double least = 0x1p-900;
constexpr double largest_error = 0.001;
constexpr double exponential_limit = 680;

}  // namespace

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

PairHead::PairHead(const AttentionHead& head, std::span<const double> d_out, const AttentionOptions& options,
                   const PairKernels& kernels, std::size_t additions)
    : doubles_(head, options),
      head_(head),
      d_out_(d_out),
      options_(options),
      pairs_(kernels),
      shared_(head, options, row_bits),
      gamma_m_(PairArithmetic::sum_error(additions)),
      gamma_n_(PairArithmetic::sum_error(head.n)) {
  for (std::size_t j = 0; j < head.n; ++j) {
    value_length_.push_back(length_bound(doubles_.kernels(), head.v.data() + j * head.e, head.e));
    value_bound_.push_back(largest_of(head.v.subspan(j * head.e, head.e)));
    key_bound_.push_back(largest_of(head.k.subspan(j * head.d, head.d)));
  }
  longest_key_ = largest_of(doubles_.key_lengths());
  longest_value_ = largest_of(value_length_);
  longest_query_ = largest_of(head.q);
}

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
  row.dsink = Ball(0, row_bits);
  row.silent = row.covered = row.first == row.last;
  if (!d_out_.empty()) {
    const std::span<const double> d_out = d_out_.subspan(i * head_.e, head_.e);
    row.largest = largest_of(d_out);
    row.silent = row.covered = row.silent || row.largest == 0;
    row.length = length_bound(doubles_.kernels(), d_out.data(), head_.e);
  }
  if (row.silent) return true;
  row.scale = to_pair(shared_.row_scale(i));
  const double query_length = length_bound(doubles_.kernels(), head_.q.data() + i * head_.d, head_.d),
               scale = std::fabs(row.scale.v.hi) * bound_slack;
  row.of_key = (scale * (PairArithmetic::product_error(head_.d) + 2 * operation) + row.scale.e) *
               query_length * bound_slack;
  row.of_all = (scale + 1) * 0x1p-1000;
  if (options_.softcap) {
    const double c = to_bounded(Ball(*options_.softcap, 128)).v;
    if (!(c > 0x1p-500 && c < 0x1p500)) return false;
  }
  return row.of_key * longest_key_ + row.of_all < largest_error && query_length * longest_key_ < 1 / least;
}

/// Scores become weights P_j. False for rows that have none of their own, or whose bounds are out of reach.
bool PairHead::weigh(RowInPairs& row, std::size_t i, std::span<const std::size_t> keys, double* s_hi,
                     double* s_lo, Numbers& numbers) const {
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
  row.silent = count == 0;
  row.single = count == 1 && !options_.sink;
  row.covered = row.silent || row.single;
  if (count > 0) row.top = keys[top];
  if (row.covered) return false;
  row.score = {s_hi[top], s_lo[top]};
  if (!std::isfinite(row.score.hi) || !std::isfinite(row.score.lo)) return false;
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
                4 * operation * std::min(farthest, exponential_limit) + PairArithmetic::exponential_error) *
               bound_slack;
  row.of_key *= bound_slack;
  if (!(row.of_key * longest_key_ + row.of_all < largest_error) ||
      !(row.slope_of_key * longest_key_ + row.slope_of_all < largest_error))
    return false;
  return normalise(row, keys, s_hi, s_lo, top, to_ball(row.score, score_error), count > 1);
}

/// Terms E_j, but for the top key's, are divided by their total.
bool PairHead::normalise(RowInPairs& row, std::span<const std::size_t> keys, double* s_hi, double* s_lo,
                         std::size_t top, const Ball& score, bool has_others) const {
  const std::size_t n = keys.size();
  double of_keys = 0;
  for (std::size_t at = 0; at < n; ++at) of_keys += s_hi[at] * doubles_.key_lengths()[keys[at]];
  const NumberPair others = pairs_.sum(n, s_hi, s_lo);
  const Ball rest = to_ball(
      others, (row.of_key * of_keys + (row.of_all + gamma_n_) * others.hi) * bound_slack * bound_slack +
                  (has_others ? least * static_cast<double>(n) : 0));
  const Ball sink = options_.sink ? exp(Ball(*options_.sink, row_bits) - score) : Ball(0, row_bits);
  const Ball total = 1L + (rest + sink);
  const BoundedPair inverse = to_pair(1L / total);
  if (!(inverse.v.hi > 0 && inverse.e < largest_error * inverse.v.hi)) return false;
  row.inverse = inverse.v;
  row.sink_share = sink / total;
  // From here on of P_j.
  row.of_all = (row.of_all + inverse.e / inverse.v.hi + 2 * operation) * bound_slack;
  pairs_.scale(n, row.inverse, s_hi, s_lo);
  s_hi[top] = row.inverse.hi, s_lo[top] = row.inverse.lo;
  return true;
}

/// <a_i, b_j> for the wanted rows of a and all keys of the block.
PairArray PairHead::products(std::span<const std::size_t> wanted, std::span<const double> a,
                             const Block& block, std::span<const double> b, std::size_t width) const {
  const std::size_t count = block.keys.size(), height = wanted.size();
  std::vector<double> some, scratch(pairs_.width * width);
  for (const std::size_t i : wanted) some.insert(some.end(), &a[i * width], &a[i * width] + width);
  PairArray r(height * count);
  if (count > 0)
    pairs_.dots({some.data(), height, width, width}, {&b[block.keys.front() * width], count, width, width},
                r.hi.data(), r.lo.data(), count, scratch.data());
  return r;
}

PairHead::Block PairHead::block(std::span<const std::size_t> wanted) const {
  Block r;
  r.rows.resize(wanted.size());
  r.reached.resize(wanted.size());
  std::size_t first = head_.n, last = 0;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    r.reached[at] = begin_row(r.rows[at], wanted[at]) ? 1 : 0;
    if (!r.counts(at)) continue;
    first = std::min(first, r.rows[at].first);
    last = std::max(last, r.rows[at].last);
  }
  for (std::size_t j = first; j < last; ++j) r.keys.push_back(j);
  r.s = products(wanted, head_.q, r, head_.k, head_.d);
  return r;
}

std::vector<std::vector<Ball>> PairHead::outputs(std::span<const std::size_t> wanted) const {
  std::vector<std::vector<Ball>> r(wanted.size());
  Block b = block(wanted);
  Numbers numbers(b.keys.size());
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    if (!b.counts(at)) continue;
    RowInPairs& row = b.rows[at];
    const auto keys = b.keys_of(at);
    double *P = &b.s.hi[at * b.keys.size() + b.offset(at)],
           *P_lo = &b.s.lo[at * b.keys.size() + b.offset(at)];
    if (!weigh(row, wanted[at], keys, P, P_lo, numbers)) continue;
    PairArray sums(head_.e);
    double of_keys = 0, all = 0;
    for (std::size_t a = 0; a < keys.size(); ++a) {
      if (P[a] == 0) continue;
      pairs_.add_multiple(head_.e, {P[a], P_lo[a]}, &head_.v[keys[a] * head_.e], sums.hi.data(),
                          sums.lo.data());
      const double size = P[a] * value_bound_[keys[a]];
      of_keys += size * doubles_.key_lengths()[keys[a]];
      all += size;
    }
    const double error =
        (row.of_key * of_keys + (row.of_all + gamma_n_ + 2 * operation) * all) * bound_slack * bound_slack +
        PairArithmetic::vanishing * static_cast<double>(keys.size()) * (1 + longest_value_);
    for (std::size_t l = 0; l < head_.e; ++l)
      r[at].push_back(to_ball(NumberPair{sums.hi[l], sums.lo[l]}, error));
  }
  return r;
}

}  // namespace critscale
