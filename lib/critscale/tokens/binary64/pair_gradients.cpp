// Gradients of one query head in double-double arithmetic. Every error bound is one line of
// [attention-pairs].
#include "critscale/tokens/binary64/detail/pair_head.hpp"

namespace critscale {

namespace {

constexpr double operation = PairArithmetic::operation;
constexpr Bits row_bits = PairArithmetic::row_bits;

double product_error(std::size_t d) { return PairArithmetic::product_error(d); }

}  // namespace

/// The sums over all keys of a row: scores s and products g = <dO, v>.
void PairHead::finish_row(RowInPairs& row, std::size_t i, std::span<const std::size_t> keys, double* s_hi,
                          double* s_lo, double* g_hi, double* g_lo, Numbers& numbers,
                          std::vector<Ball>* dq) const {
  const bool weighed = weigh(row, i, keys, s_hi, s_lo, numbers);
  if (row.covered && dq != nullptr) dq->assign(head_.d, Ball(0, row_bits));
  if (!weighed) return;
  const std::size_t n = keys.size(),
                    top =
                        static_cast<std::size_t>(std::find(keys.begin(), keys.end(), row.top) - keys.begin());
  row.g_top = {g_hi[top], g_lo[top]};
  pairs_.shift(n, {-row.g_top.hi, -row.g_top.lo}, g_hi, g_lo);
  g_hi[top] = g_lo[top] = 0;
  for (std::size_t at = 0; at < n; ++at)
    if (!seen(row, i, keys[at])) g_hi[at] = g_lo[at] = 0;
  const NumberPair mean = pairs_.dot(n, s_hi, s_lo, g_hi, g_lo);
  double mean_size = 0, mean_of_keys = 0, weights = 0, of_values = 0;
  for (std::size_t at = 0; at < n; ++at) {
    if (at == top) continue;
    const double z = s_hi[at] * std::fabs(g_hi[at]);
    mean_size += z;
    mean_of_keys += z * doubles_.key_lengths()[keys[at]];
    weights += s_hi[at];
    of_values += s_hi[at] * value_length_[keys[at]];
  }
  const double product = product_error(head_.e) * row.length, value = value_length_[row.top];
  row.tiny = PairArithmetic::vanishing * static_cast<double>(n) * (1 + row.length) * (1 + longest_value_);
  const Ball mean_ball =
      to_ball(mean, (row.of_key * mean_of_keys + (row.of_all + gamma_n_ + 2 * operation) * mean_size +
                     product * (of_values + value * weights)) *
                            bound_slack * bound_slack +
                        row.tiny);
  Ball shift = -mean_ball;
  if (options_.sink) {
    const Ball g = to_ball(row.g_top, product * value * bound_slack + row.tiny), &share = row.sink_share;
    shift = share * g - mean_ball;
    row.dsink = -(share * (g * (1L - share) + mean_ball));
  }
  const BoundedPair h = to_pair(shift);
  row.shift = h.v;
  row.shift_error = (operation * std::fabs(h.v.hi) + h.e) * bound_slack;
  row.covered = std::isfinite(row.shift_error);
  if (row.covered && dq != nullptr) *dq = query(row, keys, s_hi, s_lo, g_hi, g_lo, numbers, top, row.tiny);
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
  Block b = block(wanted);
  PairArray g = products(wanted, d_out_, b, head_.v, head_.e);
  Numbers numbers(b.keys.size());
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    RowInPairs& row = b.rows[at];
    if (row.silent && wants_dq[at] != 0) dq[at].assign(head_.d, Ball(0, row_bits));
    if (!b.counts(at)) continue;
    const std::size_t offset = at * b.keys.size() + b.offset(at);
    finish_row(row, wanted[at], b.keys_of(at), &b.s.hi[offset], &b.s.lo[offset], &g.hi[offset], &g.lo[offset],
               numbers, wants_dq[at] != 0 ? &dq[at] : nullptr);
  }
  return std::move(b.rows);
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

}  // namespace critscale
