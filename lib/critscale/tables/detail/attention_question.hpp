// An `attention` question: queries, keys, values and masks as the exact numbers given, and the quantity that
// is asked ([attention-forward], [attention-backward]). Private to tables/; uses question.hpp, allowance.hpp
// and tokens/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/tables/allowance.hpp"
#include "critscale/tables/formula.hpp"
#include "critscale/tables/question.hpp"
#include "critscale/tokens/attention.hpp"

namespace critscale {

/// What an attention question asks: one quantity.
enum class AttentionQuantity { output, lse, dq, dk, dv, dsink };

/// Query head a uses key head floor(a/group()). Entries are binary64 numbers.
struct AttentionQuestion {
  AttentionQuantity quantity = AttentionQuantity::output;
  std::size_t heads = 0, key_heads = 0, m = 0, n = 0, d = 0, e = 0;
  std::vector<double> q, k, v, d_out;  ///< heads, rows, width; d_out is empty where it is not needed
  std::vector<double> mask;            ///< m x n, added to the scores; empty without one
  AttentionOptions options;            ///< of one head; digits as they are by default

  std::size_t group() const { return heads / key_heads; }
  /// Query head a with its key head.
  AttentionHead head(std::size_t a) const;
  std::span<const double> d_out_of(std::size_t a) const;
  /// The shape of the answer: heads, rows, width (1 for numbers of rows and heads).
  struct Shape {
    std::size_t heads, rows, width;
    std::size_t size() const { return heads * rows * width; }
  };
  Shape shape() const;
  /// Products of one evaluation of all scores.
  double work() const;
  /// Whether the format holds every number of the question.
  bool is_exact_in(const BinaryFormat& format) const;
};

/// Whether a number is one of the format's.
bool is_held(const BinaryFormat& format, double x);

/// Throws InputError that names the key: files that cannot be read or have changed, shapes that do not fit,
/// heads that do not divide, numbers that no binary64 number is, d_out that is missing or of no use.
AttentionQuestion attention_of(const Question& q);

/// The inputs of attention questions.
std::vector<std::string_view> attention_keys();

/// The values at certified digits, heads, then rows, then columns; lse of a row that sees nothing and has no
/// sink is minus infinity, as a Ball that is not finite. Throws LimitError.
std::vector<Ball> attention_answer(const AttentionQuestion& a, long digits, Bits max_bits);

/// THEORY-rounding [score-rounding] and after.
std::vector<Allowance> attention_allowances(const AttentionQuestion& a, const Arithmetic& arithmetic);

/// The formula of the quantity in indices g (key heads), h (query heads of one), i (queries), j (keys), d and
/// c (columns of keys and of values).
std::string attention_formula(const AttentionQuestion& a);
FormulaInputs attention_formula_inputs(const AttentionQuestion& a, Bits bits);
/// The single numbers of the formula and those that may be taken for them.
std::vector<std::string> attention_scalars(const AttentionQuestion& a);

}  // namespace critscale
