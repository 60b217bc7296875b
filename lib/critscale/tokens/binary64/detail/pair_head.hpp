// One query head in double-double arithmetic: rows from scores to weights, outputs and gradients
// ([attention-pairs]). Private to tokens/; uses attention.hpp and pair_kernels.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "critscale/tokens/binary64/detail/attention.hpp"
#include "critscale/tokens/binary64/detail/facts.hpp"
#include "critscale/tokens/binary64/detail/pair_kernels.hpp"

namespace critscale {

struct PairArithmetic {
  /// The relative error of an operation, and that of the exponential [double-double].
  static constexpr double operation = 0x1p-100, exponential_error = 0x1p-94;
  /// Everything that underflows, relative to the sizes of what is multiplied.
  static constexpr double vanishing = 0x1p-860;
  /// Precision of the few numbers a row that are Balls.
  static constexpr Bits row_bits = 192;

  /// Of a sum of products of d doubles, relative to the product of the lengths.
  static double product_error(std::size_t d) {
    const double terms = static_cast<double>(d) + 2;
    return terms * terms * 0x1p-106;
  }
  static double sum_error(std::size_t terms) {
    return static_cast<double>(terms + 4) * operation * bound_slack;
  }
};

/// A number as a pair with a bound; the bound is infinite where doubles do not reach it.
struct BoundedPair {
  NumberPair v;
  double e = 0;
};
BoundedPair to_pair(const Ball& x);
/// The enclosure of radius `error`; the whole line where something is not finite.
Ball to_ball(NumberPair x, double error);

inline double largest_of(std::span<const double> a) {
  double r = 0;
  for (const double x : a) r = std::max(r, std::fabs(x));
  return r;
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
  Ball dsink, sink_share;
};

/// Keys, with their vectors one after the other.
struct KeyGroup {
  std::vector<std::size_t> keys;
  std::vector<double> k, v;
};

/// One query head. `additions`: those that a term of a sum over query rows passes at most; `d_out` may be
/// empty for outputs alone.
class PairHead {
 public:
  PairHead(const AttentionHead& head, std::span<const double> d_out, const AttentionOptions& options,
           const PairKernels& kernels, std::size_t additions);

  bool applies() const { return doubles_.applies(); }
  std::size_t rows_at_once() const {
    return std::clamp<std::size_t>((std::size_t{1} << 18) / head_.n, 4, 32);
  }

  /// Facts of these rows; `dq` receives d entries for each row whose place in `wants_dq` is not 0.
  std::vector<RowInPairs> rows(std::span<const std::size_t> wanted, std::span<const unsigned char> wants_dq,
                               std::vector<std::vector<Ball>>& dq) const;

  /// The outputs of these rows; none for rows that have no weights of their own, or that are not covered.
  std::vector<std::vector<Ball>> outputs(std::span<const std::size_t> wanted) const;

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
  struct Block;
  Block block(std::span<const std::size_t> wanted) const;
  PairArray products(std::span<const std::size_t> wanted, std::span<const double> a, const Block& block,
                     std::span<const double> b, std::size_t width) const;
  bool begin_row(RowInPairs& row, std::size_t i) const;
  bool weigh(RowInPairs& row, std::size_t i, std::span<const std::size_t> keys, double* s_hi, double* s_lo,
             Numbers& numbers) const;
  bool normalise(RowInPairs& row, std::span<const std::size_t> keys, double* s_hi, double* s_lo,
                 std::size_t top, const Ball& score, bool has_others) const;
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
  std::vector<double> value_length_, value_bound_, key_bound_;
  double longest_key_ = 0, longest_value_ = 0, longest_query_ = 0;
};

/// Rows that are evaluated together, with the scores of all keys that one of them sees by position.
struct PairHead::Block {
  std::vector<RowInPairs> rows;
  std::vector<unsigned char> reached;
  std::vector<std::size_t> keys;
  PairArray s{0};

  bool counts(std::size_t at) const { return reached[at] != 0 && !rows[at].silent; }
  /// Where the keys of a row begin, in `keys`.
  std::size_t offset(std::size_t at) const { return rows[at].first - keys.front(); }
  std::span<const std::size_t> keys_of(std::size_t at) const {
    return std::span(keys).subspan(offset(at), rows[at].last - rows[at].first);
  }
};

}  // namespace critscale
