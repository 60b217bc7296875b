// Attention of given queries, keys and values, forward and backward, certified ([attention-forward],
// [attention-backward]). Every entry is the exact number given. Uses schedules/ and number/.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/schedules/schedule.hpp"

namespace critscale {

/// Which keys a query sees by position: all; row i the keys j <= i; or j <= i + n - m, for m queries and n
/// keys.
enum class Causal { none, top_left, bottom_right };

/// What is computed for each query row.
enum class RowQuantity { output, lse, max_weight, entropy, participation, self_weight, weights };
std::span<const RowQuantity> row_quantities();
std::string_view name(RowQuantity q);
/// Throws InputError that lists what is allowed.
RowQuantity row_quantity_by_name(std::string_view name);

/// One query head with the key head it uses: m queries and n keys of d numbers, n values of e numbers, row by
/// row.
struct AttentionHead {
  std::size_t m = 0, n = 0, d = 0, e = 0;
  std::span<const double> q, k, v;
  /// m x n, nonzero where the key is visible; empty: all are.
  std::span<const unsigned char> visible;
  /// m x n, added to the scores; minus infinity: not visible; empty: nothing is added.
  std::span<const double> bias;
};

/// s_ij = cap(scale m_i <q_i, k_j>) + b_ij, cap(x) = c tanh(x/c).
struct AttentionOptions {
  std::optional<Rational> scale;  ///< 1/sqrt d where none is given
  /// With directions in place of queries and keys: the score of aligned pairs, beta of n keys.
  std::optional<Schedule> unit_beta;
  /// m_i as a schedule has it for a query that sees p + 1 keys, p its position: i, or i + n - m for
  /// bottom_right. Rows that see one key by position take m = 1.
  std::optional<Schedule> schedule;
  Causal causal = Causal::none;
  std::optional<std::size_t> window;  ///< of keys up to the row's position: position - j < window
  std::optional<Rational> softcap;    ///< c > 0
  bool softcap_after_bias = false;    ///< cap(scale m_i <q_i, k_j> + b_ij); keys not visible stay so
  std::optional<Rational> sink;       ///< a logit without value that takes its share
  std::vector<std::size_t> rows;      ///< the query rows wanted; empty: all
  std::vector<RowQuantity> quantities;
  long digits = 30;
  Bits max_bits = 0;
  /// Called now and then; may throw to stop the work.
  std::function<void()> checkpoint;
  /// Whether up to 10 digits may come from binary64 with proved error bounds; certified either way.
  bool allow_binary64 = true;
};

/// One query row. Quantities that were not asked for are empty.
struct AttentionRow {
  std::size_t row = 0;
  /// A row that sees no key has output 0 and, without a sink, lse minus infinity (`lse` empty).
  bool sees_nothing = false;
  std::optional<Ball> lse, max_weight;
  /// - sum_j P_ij ln P_ij over the keys and 1/sum_j P_ij^2 (empty where no key is seen). The sink is no key.
  std::optional<Ball> entropy, participation;
  /// The weight of the key at the row's own position; empty where there is none.
  std::optional<Ball> self_weight;
  std::vector<Ball> output, weights;
};

/// A head that has been looked at once, for rows asked for in several calls, also from several threads.
/// Refers to the arrays of the head.
class PreparedAttention {
 public:
  /// Throws InputError for shapes that do not fit, NaN, infinities and parameters out of range.
  PreparedAttention(const AttentionHead& head, const AttentionOptions& options);
  /// These rows, in their order; those of the options do not matter. Every value has its digits, or is an
  /// enclosure of a number that cannot be told from 0. Throws InputError for rows that do not exist,
  /// LimitError at the precision limit.
  std::vector<AttentionRow> rows(std::span<const std::size_t> wanted) const;

 private:
  struct Facts;
  std::shared_ptr<const Facts> facts_;
};

/// The rows that the options name, as PreparedAttention has them.
std::vector<AttentionRow> attend(const AttentionHead& head, const AttentionOptions& options);

/// Up to 10 digits rows are evaluated in groups of this many, in the order in which they are asked for: the
/// same groups, asked for apart, give the same bytes.
std::size_t attention_rows_at_once(std::size_t keys);

/// Gradients for a given dO = d_out (m x e, row by row): of each query head that uses one key head, and of
/// the keys and values, summed over those heads. `sink` is empty without a sink.
struct AttentionGradients {
  std::vector<std::vector<Ball>> dq;  ///< a head: m x d
  std::vector<Ball> dk, dv;           ///< n x d, n x e
  std::vector<Ball> dsink;            ///< a head
};
/// All heads have the same keys and values. Throws as `attend` does, and for unit_beta and chosen rows, of
/// which there are no gradients here.
AttentionGradients attention_gradients(std::span<const AttentionHead> heads,
                                       std::span<const std::span<const double>> d_out,
                                       const AttentionOptions& options);

}  // namespace critscale
