// Uses attention_pairs.hpp.
#include "critscale/tokens/binary64/detail/attention_pairs.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "critscale/tokens/binary64/detail/pair_head.hpp"

namespace critscale {

namespace {

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
      Ball sum(0, PairArithmetic::row_bits);
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

std::vector<std::vector<Ball>> outputs_in_pairs(const AttentionHead& head, const AttentionOptions& options,
                                                const Checkpoint& checkpoint,
                                                std::span<const std::size_t> wanted,
                                                const PairKernels& kernels) {
  std::vector<std::vector<Ball>> r(wanted.size());
  const PairHead of_head(head, {}, options, kernels, 0);
  if (!of_head.applies()) return r;
  const std::size_t height = of_head.rows_at_once();
  tbb::parallel_for(std::size_t{0}, (wanted.size() + height - 1) / height, [&](std::size_t block) {
    checkpoint();
    const std::size_t first = block * height;
    auto found = of_head.outputs(wanted.subspan(first, std::min(height, wanted.size() - first)));
    std::move(found.begin(), found.end(), r.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return r;
}

void refine_gradients(std::span<const AttentionHead> heads, std::span<const std::span<const double>> d_out,
                      const AttentionOptions& options, const Checkpoint& checkpoint,
                      const OpenGradients& open, const std::function<bool(const Ball&)>& enough,
                      AttentionGradients& gradients, const PairKernels& kernels) {
  PairPass(heads, d_out, options, checkpoint, open, enough, gradients, kernels).run();
}

}  // namespace critscale
