// Gradients of attention in Ball arithmetic ([attention-backward]).
#include "critscale/tokens/ball/detail/attention_backward.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>

#include "critscale/number/detail/ball_matrix.hpp"
#include "critscale/tokens/ball/detail/attention.hpp"

namespace critscale {

namespace {

/// One query row: its weights, and scale dS_ij over its keys.
struct BallGradientRow {
  BallWeights w;
  std::vector<Ball> ds;
  Ball dsink;
};

BallGradientRow gradient_row(const BallAttention& attention, const AttentionHead& x,
                             std::span<const double> d_out, std::size_t i, Bits bits) {
  BallGradientRow row;
  row.dsink = Ball(0, bits);
  row.w = attention.weights(i);
  row.ds = attention.score_gradients(row.w, d_out.subspan(i * x.e, x.e), row.dsink);
  for (Ball& s : row.ds) s *= row.w.scale;
  return row;
}

/// Row `at` of dq = scale sum_j dS_ij k_j.
void add_query(const AttentionHead& x, const BallGradientRow& row, BallMatrix& dq, std::size_t at,
               Bits bits) {
  Ball entry(0, bits);
  for (std::size_t a = 0; a < row.ds.size(); ++a)
    for (std::size_t l = 0; l < x.d; ++l) {
      arb_set_d(entry.raw(), x.k[row.w.keys[a] * x.d + l]);
      arb_addmul(dq.raw(at, l), row.ds[a].raw(), entry.raw(), bits);
    }
}

std::vector<Ball> entries(const BallMatrix& A) {
  std::vector<Ball> r;
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t k = 0; k < A.cols(); ++k) r.push_back(A(i, k));
  return r;
}

/// Query rows in blocks, so that memory stays linear in them.
class BallGradients {
 public:
  /// Of these keys, ascending, and of the queries where they are wanted.
  BallGradients(std::span<const AttentionHead> heads, std::span<const std::span<const double>> d_out,
                const AttentionOptions& options, const Checkpoint& checkpoint,
                std::span<const std::size_t> keys, bool with_queries, Bits bits)
      : heads_(heads),
        d_out_(d_out),
        options_(options),
        checkpoint_(checkpoint),
        with_queries_(with_queries),
        bits_(bits),
        place_(heads[0].n, keys.size()),
        dk_(BallMatrix(keys.size(), heads[0].d, bits)),
        dv_(BallMatrix(keys.size(), heads[0].e, bits)) {
    for (std::size_t at = 0; at < keys.size(); ++at) place_[keys[at]] = at;
  }

  AttentionGradients run() {
    AttentionGradients r;
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      BallMatrix dq(with_queries_ ? heads_[h].m : 0, heads_[h].d, bits_);
      Ball dsink(0, bits_);
      head(h, dq, dsink);
      r.dq.push_back(entries(dq));
      if (options_.sink) r.dsink.push_back(std::move(dsink));
    }
    r.dk = entries(dk_);
    r.dv = entries(dv_);
    return r;
  }

 private:
  void head(std::size_t h, BallMatrix& dq, Ball& dsink) {
    const AttentionHead& x = heads_[h];
    const BallAttention attention(x, options_, bits_);
    const std::size_t height = std::clamp<std::size_t>((std::size_t{1} << 20) / x.n, 1, 64);
    for (std::size_t first = 0; first < x.m; first += height) {
      std::vector<BallGradientRow> rows(std::min(height, x.m - first));
      tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t at) {
        checkpoint_();
        const std::size_t i = first + at;
        rows[at] = gradient_row(attention, x, d_out_[h], i, bits_);
        if (with_queries_) add_query(x, rows[at], dq, i, bits_);
      });
      for (const BallGradientRow& row : rows) dsink += row.dsink;
      add_keys(h, first, rows);
    }
  }

  /// dK_j += scale dS_ij q_i and dV_j += P_ij dO_i, one thread a key.
  void add_keys(std::size_t h, std::size_t first, const std::vector<BallGradientRow>& rows) {
    const AttentionHead& x = heads_[h];
    struct Use {
      const Ball *ds, *weight;
      std::size_t i;
    };
    std::vector<std::vector<Use>> uses(dk_.rows());
    for (std::size_t at = 0; at < rows.size(); ++at)
      for (std::size_t a = 0; a < rows[at].ds.size(); ++a)
        if (const std::size_t j = place_[rows[at].w.keys[a]]; j < uses.size())
          uses[j].push_back({&rows[at].ds[a], &rows[at].w.weight[a], first + at});
    tbb::parallel_for(std::size_t{0}, uses.size(), [&](std::size_t j) {
      if (j % 64 == 0) checkpoint_();
      Ball entry(0, bits_);
      for (const Use& use : uses[j]) {
        for (std::size_t l = 0; l < x.d; ++l) {
          arb_set_d(entry.raw(), x.q[use.i * x.d + l]);
          arb_addmul(dk_.raw(j, l), use.ds->raw(), entry.raw(), bits_);
        }
        for (std::size_t l = 0; l < x.e; ++l) {
          arb_set_d(entry.raw(), d_out_[h][use.i * x.e + l]);
          arb_addmul(dv_.raw(j, l), use.weight->raw(), entry.raw(), bits_);
        }
      }
    });
  }

  std::span<const AttentionHead> heads_;
  std::span<const std::span<const double>> d_out_;
  const AttentionOptions& options_;
  const Checkpoint& checkpoint_;
  bool with_queries_;
  Bits bits_;
  std::vector<std::size_t> place_;  ///< of a key among those wanted
  BallMatrix dk_, dv_;
};

}  // namespace

AttentionGradients gradients_in_balls(std::span<const AttentionHead> heads,
                                      std::span<const std::span<const double>> d_out,
                                      const AttentionOptions& options, const Checkpoint& checkpoint,
                                      Bits bits) {
  std::vector<std::size_t> keys(heads[0].n);
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  return BallGradients(heads, d_out, options, checkpoint, keys, true, bits).run();
}

AttentionGradients key_gradients(std::span<const AttentionHead> heads,
                                 std::span<const std::span<const double>> d_out,
                                 const AttentionOptions& options, const Checkpoint& checkpoint,
                                 std::span<const std::size_t> keys, Bits bits) {
  return BallGradients(heads, d_out, options, checkpoint, keys, false, bits).run();
}

std::vector<Ball> query_gradient(const AttentionHead& head, std::span<const double> d_out,
                                 const AttentionOptions& options, std::size_t i, Bits bits) {
  BallMatrix dq(1, head.d, bits);
  add_query(head, gradient_row(BallAttention(head, options, bits), head, d_out, i, bits), dq, 0, bits);
  return entries(dq);
}

}  // namespace critscale
