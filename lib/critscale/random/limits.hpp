// Rows of random keys as n -> infinity: phase, limits of the weights, and what they rest on. [row-limits]
// Uses phases.hpp and row.hpp.
#pragma once

#include <optional>
#include <string>

#include "critscale/random/phases.hpp"
#include "critscale/random/row.hpp"

namespace critscale::random {

/// A limit: a function of the precision, or infinity where there is none.
struct LimitValue {
  std::optional<Parameter> value;
  bool theorem = true;  ///< otherwise it rests on the condensation picture
};

struct RowLimits {
  RandomPhase phase;
  /// Of A_ii; nothing without an aligned key.
  std::optional<LimitValue> self_weight;
  /// Of the sum of A_ij^2 over all j, in mean.
  LimitValue collision;
  /// Of ln Z/ln n.
  LimitValue log_partition_over_log_n;
  /// Why, in a sentence.
  std::string reason;
};

/// For beta = c (ln n)^p + b at an exact c and b, and keys with fixed kappa, or fixed m (or sigma). Throws
/// LimitError on a line, or where g is not told from it.
RowLimits row_limits(const Keys& keys, const LogitScale& scale);

}  // namespace critscale::random
