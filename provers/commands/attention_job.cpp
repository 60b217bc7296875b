// Uses attention_job.hpp. Work is divided in blocks of query rows, and gradients by key heads.
#include "commands/attention_job.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>

#include "critscale/tokens/detail/exact_text.hpp"
#include "jobs/ranks.hpp"

namespace critscale::cli {

namespace {

class AttentionWork {
 public:
  AttentionWork(const AttentionArrays& arrays, const AttentionOptions& options, bool with_gradients)
      : a_(arrays), options_(options), with_gradients_(with_gradients), all_rows_(options.rows) {
    for (std::size_t i = 0; all_rows_.size() < a_.q.rows && options.rows.empty(); ++i) all_rows_.push_back(i);
    height_ = attention_rows_at_once(a_.k.rows);
    blocks_ = options.quantities.empty() ? 0 : (all_rows_.size() + height_ - 1) / height_;
    prepared_ = std::vector<Prepared>(heads());
  }

  std::size_t heads() const { return a_.q.batch * a_.q.heads; }
  std::size_t key_heads() const { return a_.k.batch * a_.k.heads; }
  std::size_t row_blocks() const { return heads() * blocks_; }
  std::size_t blocks() const { return row_blocks() + (with_gradients_ ? key_heads() : 0); }

  std::vector<AttentionRow> rows(std::size_t head) const {
    return options_.quantities.empty() ? std::vector<AttentionRow>{} : attend(at(head), options_);
  }
  AttentionGradients gradients(std::size_t key_head) const {
    std::vector<AttentionHead> heads;
    std::vector<std::span<const double>> d_out;
    const std::size_t b = key_head / a_.k.heads, group = a_.group(), first = key_head % a_.k.heads * group;
    for (std::size_t h = first; h < first + group; ++h) {
      heads.push_back(a_.head(b, h));
      d_out.push_back(a_.d_out.head(b, h));
    }
    return attention_gradients(heads, d_out, options_);
  }

  /// What one block gives, as text.
  std::string make(std::size_t block) const {
    BallWriter w;
    if (block >= row_blocks()) {
      w.put(gradients(block - row_blocks()));
      return w.text();
    }
    const std::size_t first = block % blocks_ * height_;
    w.put(prepared(block / blocks_)
              .rows(std::span(all_rows_).subspan(first, std::min(height_, all_rows_.size() - first))));
    return w.text();
  }
  void take(std::size_t block, std::string_view text, AttentionValues& values) const {
    BallReader reader(text);
    if (block >= row_blocks()) {
      values.gradients.push_back(reader.get<AttentionGradients>());
      return;
    }
    auto& rows = values.heads[block / blocks_];
    for (AttentionRow& row : reader.get<std::vector<AttentionRow>>()) rows.push_back(std::move(row));
  }

 private:
  struct Prepared {
    std::once_flag once;
    std::optional<PreparedAttention> attention;
  };
  AttentionHead at(std::size_t head) const { return a_.head(head / a_.q.heads, head % a_.q.heads); }
  /// Once a head, by the first thread that needs it.
  const PreparedAttention& prepared(std::size_t head) const {
    Prepared& p = prepared_[head];
    std::call_once(p.once, [&] { p.attention.emplace(at(head), options_); });
    return *p.attention;
  }

  const AttentionArrays& a_;
  const AttentionOptions& options_;
  bool with_gradients_;
  std::vector<std::size_t> all_rows_;
  std::size_t height_ = 1, blocks_ = 0;
  mutable std::vector<Prepared> prepared_;
};

}  // namespace

AttentionValues compute_attention(const AttentionArrays& arrays, const AttentionOptions& options,
                                  bool with_gradients, std::size_t threads) {
  const AttentionWork work(arrays, options, with_gradients);
  AttentionValues r;
  r.heads.resize(work.heads());
  if (!Ranks::several()) {
    for (std::size_t h = 0; h < work.heads(); ++h) r.heads[h] = work.rows(h);
    for (std::size_t h = 0; with_gradients && h < work.key_heads(); ++h)
      r.gradients.push_back(work.gradients(h));
    return r;
  }
  std::size_t next = 0;
  Ranks::ordered_run(threads)(
      work.blocks(), [&](std::size_t block) { return work.make(block); },
      [&](std::string_view text) {
        work.take(next++, text, r);
        return true;
      });
  return r;
}

}  // namespace critscale::cli
