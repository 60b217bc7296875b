// Gradients of attention in binary64. Every error bound is one line of [attention-backward-binary64].
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "critscale/tokens/binary64/detail/attention.hpp"
#include "critscale/tokens/binary64/detail/facts.hpp"

namespace critscale {

namespace {

constexpr double u = Bounded::u;
/// Everything that underflows, relative to the sizes of what is multiplied.
constexpr double vanishing = 0x1p-860;

double largest_magnitude(std::span<const double> a) {
  double r = 0;
  for (const double x : a) r = std::max(r, std::fabs(x));
  return r;
}

/// Sums over query rows: gradients of keys and values with one bound a key, and of the sink.
struct KeySums {
  explicit KeySums(const AttentionHead& head)
      : dk(head.n * head.d), dv(head.n * head.e), dk_error(head.n), dv_error(head.n) {}
  void add(const KeySums& other) {
    const auto plus = [](std::vector<double>& a, const std::vector<double>& b) {
      for (std::size_t at = 0; at < a.size(); ++at) a[at] += b[at];
    };
    plus(dk, other.dk);
    plus(dv, other.dv);
    plus(dk_error, other.dk_error);
    plus(dv_error, other.dv_error);
  }

  std::vector<double> dk, dv, dk_error, dv_error;
};

/// What a few rows give.
struct RowsPart {
  KeySums keys;
  std::vector<double> dq, dq_error;  ///< a row: d numbers, one bound
  Bounded dsink;
  bool covered = true;
};

/// The gradients of one query head.
class HeadGradients {
 public:
  /// `height`: the roundings that a term of a sum over query rows passes at most.
  HeadGradients(const AttentionHead& head, std::span<const double> d_out, const AttentionOptions& options,
                std::size_t height)
      : attention_(head, options),
        head_(head),
        options_(options),
        d_out_(d_out),
        k_(attention_.kernels()),
        gamma_m_(gamma_bound(height)),
        gamma_n_(gamma_bound(summation_height(head.n) + 4)),
        gamma_e_(gamma_bound(summation_height(head.e))) {
    for (std::size_t j = 0; j < head.n; ++j) {
      value_length_.push_back(length_bound(k_, head.v.data() + j * head.e, head.e));
      key_bound_.push_back(largest_magnitude(head.k.subspan(j * head.d, head.d)));
      key_bound_key_.push_back(key_bound_[j] * attention_.key_lengths()[j]);
      key_bound_value_.push_back(key_bound_[j] * value_length_[j]);
    }
    longest_key_ = largest_magnitude(attention_.key_lengths());
    longest_value_ = largest_magnitude(value_length_);
    longest_query_ = largest_magnitude(head.q);
  }

  bool applies() const { return attention_.applies(); }
  std::size_t rows_at_once() const { return attention_.rows_at_once(); }

  /// Rows [first, last).
  RowsPart part(std::size_t first, std::size_t last) const {
    RowsPart p{KeySums(head_), {}, {}, {}, true};
    p.dq.resize((last - first) * head_.d);
    p.dq_error.resize(last - first);
    for (std::size_t i = first; i < last && p.covered; i += rows_at_once())
      block(i, std::min(last, i + rows_at_once()), first, p);
    return p;
  }

 private:
  void block(std::size_t from, std::size_t to, std::size_t part_first, RowsPart& p) const {
    std::vector<std::size_t> wanted;
    for (std::size_t i = from; i < to; ++i) wanted.push_back(i);
    AttentionBlock b = attention_.block(wanted, true);
    if (b.count == 0) return;
    const std::size_t height = wanted.size(), count = b.count;
    std::vector<double> G(height * count),
        scratch(std::max(height, width) * std::max({width, head_.d, head_.e}));
    const double* d_out = d_out_.data() + from * head_.e;
    for (std::size_t j = 0; j < count; j += width)
      k_.times_transposed(
          {d_out, height, head_.e, head_.e},
          {head_.v.data() + (b.first + j) * head_.e, std::min(width, count - j), head_.e, head_.e}, &G[j],
          count, scratch.data());
    std::vector<double> queries(height * head_.d), z(count);
    for (std::size_t at = 0; at < height; ++at) {
      DoubleAttentionRow& row = b.rows[at];
      if (!row.covered) p.covered = false;
      if (!row.covered) return;
      score_gradients(row, b, at, &G[at * count], z.data(), p, p.dq_error[row.i - part_first]);
      for (std::size_t l = 0; l < head_.d; ++l)
        queries[at * head_.d + l] = row.scale.v * head_.q[row.i * head_.d + l];
    }
    double* dq = &p.dq[(from - part_first) * head_.d];
    k_.times({G.data(), height, count, count}, {head_.k.data() + b.first * head_.d, count, head_.d, head_.d},
             dq, head_.d, scratch.data());
    for (std::size_t at = 0; at < height; ++at) k_.scale(head_.d, b.rows[at].scale.v, dq + at * head_.d);
    for (std::size_t j = 0; j < count; j += width) {
      const std::size_t size = std::min(width, count - j), key = b.first + j;
      k_.add_transposed_times({&G[j], height, size, count}, {queries.data(), height, head_.d, head_.d},
                              &p.keys.dk[key * head_.d], head_.d, scratch.data());
      k_.add_transposed_times({&b.E[j], height, size, count}, {d_out, height, head_.e, head_.e},
                              &p.keys.dv[key * head_.e], head_.e, scratch.data());
    }
  }

  /// E becomes P and G becomes dS, with what they mean for the bounds.
  void score_gradients(const DoubleAttentionRow& row, AttentionBlock& b, std::size_t at, double* G, double* z,
                       RowsPart& p, double& dq_error) const {
    const std::size_t count = b.count, size = row.last - row.first, begin = b.first + row.first,
                      top = row.top - row.first, key = b.first + row.top;
    double *P = &b.E[at * count] + row.first, *x = G + row.first;
    std::fill(G, x, 0.0);
    std::fill(x + size, G + count, 0.0);
    if (row.seen == 0) {
      std::fill(x, x + size, 0.0);
      return;
    }
    const double* d_out = d_out_.data() + row.i * head_.e;
    const double length = length_bound(k_, d_out, head_.e);
    const double largest = largest_magnitude({d_out, head_.e});
    if (largest == 0) {
      // Nothing comes of the row, exactly.
      std::fill(x, x + size, 0.0);
      return;
    }
    if (row.seen == 1 && !options_.sink) {
      // P = 1 and dS = 0 exactly.
      std::fill(x, x + size, 0.0);
      p.keys.dv_error[key] += gamma_m_ * largest * bound_slack;
      return;
    }
    const double theta = row.total.e / row.total.v * bound_slack;
    // Relative errors: of P_j of_key |k_j| + of_all, of the softcap's slope besides.
    const double of_key = row.of_key, of_all = (row.of_all + theta + 4 * u) * bound_slack;
    const double steep = of_key + row.slope_of_key, steep_all = of_all + row.slope_of_all;
    const double scale_error = row.scale.e == 0 ? 0 : row.scale.e / std::fabs(row.scale.v);

    k_.scale(size, 1 / row.total.v, P);
    const double g = x[top], value = value_length_[key];
    k_.shift(size, g, x);
    x[top] = 0;
    k_.products(size, P, x, z);
    const double own = P[top];
    P[top] = 0;
    const double others = k_.sum(size, P), of_values = k_.dot(size, P, &value_length_[begin]);
    const double bounds = k_.dot(size, P, &key_bound_[begin]),
                 bounds_of_values = k_.dot(size, P, &key_bound_value_[begin]);
    P[top] = own;
    const double tiny = vanishing * static_cast<double>(size) * (1 + length) * (1 + longest_value_);
    const double mean_size = k_.sum_of_magnitudes(size, z);
    const Bounded mean{
        k_.sum(size, z),
        (k_.dot_of_magnitudes(size, z, &attention_.key_lengths()[begin]) * of_key +
         mean_size * (of_all + gamma_n_ + 2 * u) + gamma_e_ * length * (of_values + value * others)) *
                bound_slack +
            tiny};
    Bounded shift = -mean;
    if (options_.sink) {
      const Bounded g_top{g, gamma_e_ * length * value * bound_slack + tiny}, share = row.sink / row.total;
      shift = share * g_top - mean;
      p.dsink += -(share * (g_top * (1 - share) + mean));
    }
    const double shift_error = (u * std::fabs(shift.v) + shift.e) * bound_slack;

    // A query's number times the scale: what a score's gradient is multiplied by.
    const double reach =
        std::fabs(row.scale.v) * bound_slack * largest_magnitude(head_.q.subspan(row.i * head_.d, head_.d));
    ScoreGradientRow r{};
    r.n = size, r.top = top;
    r.P = P, r.x = x;
    r.slope = b.slope.empty() ? nullptr : &b.slope[at * count] + row.first;
    r.shift = shift.v;
    r.kappa = &attention_.key_lengths()[begin], r.nu = &value_length_[begin];
    r.of_score_key = reach * steep * bound_slack;
    r.of_score = reach * (steep_all + gamma_m_ + 10 * u + scale_error) * bound_slack;
    r.of_value = reach * gamma_e_ * length * bound_slack;
    r.of_top = r.of_value * value;
    r.of_shift = reach * shift_error * bound_slack;
    r.of_weight_key = largest * of_key * bound_slack;
    r.of_weight = largest * (of_all + gamma_m_ + 2 * u) * bound_slack;
    r.key_error = &p.keys.dk_error[begin], r.value_error = &p.keys.dv_error[begin];
    k_.score_gradient_row(r);

    const double scores = k_.dot_of_magnitudes(size, x, &key_bound_[begin]),
                 scores_of_keys = k_.dot_of_magnitudes(size, x, &key_bound_key_[begin]);
    dq_error = std::fabs(row.scale.v) *
                   (scores_of_keys * steep + scores * (steep_all + gamma_n_ + 10 * u + scale_error) +
                    gamma_e_ * length * (bounds_of_values + value * bounds) +
                    (bounds + own * key_bound_[key]) * shift_error) *
                   bound_slack * bound_slack +
               tiny * (1 + std::fabs(row.scale.v)) * (1 + longest_key_);
    // What is too small for a double, for the keys that are seen.
    const double tiny_of_key = tiny * (1 + std::fabs(row.scale.v)) * (1 + longest_query_),
                 tiny_of_value = tiny * (1 + largest);
    const bool masked = !head_.visible.empty() || !head_.bias.empty();
    for (std::size_t j = 0; j < size; ++j)
      if (!masked || !is_masked(head_, row.i, begin + j)) {
        r.key_error[j] += tiny_of_key;
        r.value_error[j] += tiny_of_value;
      }
  }

  /// Keys whose numbers stay in a cache.
  static constexpr std::size_t width = 256;
  DoubleAttention attention_;
  const AttentionHead& head_;
  const AttentionOptions& options_;
  std::span<const double> d_out_;
  const TokenKernels& k_;
  double gamma_m_, gamma_n_, gamma_e_;
  std::vector<double> value_length_, key_bound_, key_bound_key_, key_bound_value_;
  double longest_key_ = 0, longest_value_ = 0, longest_query_ = 0;
};

/// [first, last), so many that what they give for the keys is worth adding up.
std::vector<RowBlock> parts_of_rows(std::size_t m, std::size_t at_once) {
  constexpr std::size_t blocks = 4;
  const std::size_t size = at_once * std::clamp<std::size_t>(m / (2 * blocks * at_once), 1, blocks);
  std::vector<RowBlock> r;
  for (std::size_t first = 0; first < m; first += size) r.push_back({first, std::min(m, first + size)});
  return r;
}

void add_entries(std::vector<Ball>& to, const std::vector<double>& a, const std::vector<double>& error) {
  const std::size_t width = error.empty() ? 1 : a.size() / error.size();
  for (std::size_t at = 0; at < a.size(); ++at) to.push_back(to_ball({a[at], error[at / width]}));
}

}  // namespace

std::optional<AttentionGradients> gradients_binary64(std::span<const AttentionHead> heads,
                                                     std::span<const std::span<const double>> d_out,
                                                     const AttentionOptions& options,
                                                     const Checkpoint& checkpoint) {
  const std::size_t at_once = DoubleAttention::rows_at_once(heads[0].n);
  // The rows of a block, and the sums of blocks and parts of all heads.
  std::size_t height = at_once + 8;
  for (const AttentionHead& head : heads) height += 2 * (head.m / at_once + 1);
  KeySums keys(heads[0]);
  AttentionGradients r;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    const HeadGradients head(heads[h], d_out[h], options, height);
    if (!head.applies()) return std::nullopt;
    const std::vector<RowBlock> parts = parts_of_rows(heads[h].m, at_once);
    std::vector<Ball>& dq = r.dq.emplace_back();
    Bounded dsink;
    std::atomic<bool> covered = true;
    std::size_t next = 0;
    // In the order of the parts, whatever thread has made them; few wait at a time.
    tbb::parallel_pipeline(
        static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) + 1,
        tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order,
                                            [&](tbb::flow_control& control) -> std::size_t {
                                              if (next >= parts.size() || !covered) control.stop();
                                              return next++;
                                            }) &
            tbb::make_filter<std::size_t, std::shared_ptr<RowsPart>>(
                tbb::filter_mode::parallel,
                [&](std::size_t at) {
                  checkpoint();
                  return std::make_shared<RowsPart>(head.part(parts[at].first, parts[at].last));
                }) &
            tbb::make_filter<std::shared_ptr<RowsPart>, void>(tbb::filter_mode::serial_in_order,
                                                              [&](const std::shared_ptr<RowsPart>& part) {
                                                                if (!part->covered) covered = false;
                                                                if (!covered) return;
                                                                keys.add(part->keys);
                                                                add_entries(dq, part->dq, part->dq_error);
                                                                dsink += part->dsink;
                                                              }));
    if (!covered) return std::nullopt;
    if (options.sink) r.dsink.push_back(to_ball(dsink));
  }
  // Errors were added up too.
  for (std::vector<double>* errors : {&keys.dk_error, &keys.dv_error})
    for (double& e : *errors) e *= bound_slack;
  add_entries(r.dk, keys.dk, keys.dk_error);
  add_entries(r.dv, keys.dv, keys.dv_error);
  return r;
}

}  // namespace critscale
