// Gradients of attention in Ball arithmetic. Private to tokens/; uses attention.hpp and product.hpp.
#pragma once

#include <span>
#include <vector>

#include "critscale/tokens/attention.hpp"
#include "critscale/tokens/ball/detail/product.hpp"

namespace critscale {

/// All gradients at one precision.
AttentionGradients gradients_in_balls(std::span<const AttentionHead> heads,
                                      std::span<const std::span<const double>> d_out,
                                      const AttentionOptions& options, const Checkpoint& checkpoint,
                                      Bits bits);
/// dk and dv of these keys (ascending), one after the other, and dsink; every row takes part, but only for
/// these keys.
AttentionGradients key_gradients(std::span<const AttentionHead> heads,
                                 std::span<const std::span<const double>> d_out,
                                 const AttentionOptions& options, const Checkpoint& checkpoint,
                                 std::span<const std::size_t> keys, Bits bits);
/// dq of row i.
std::vector<Ball> query_gradient(const AttentionHead& head, std::span<const double> d_out,
                                 const AttentionOptions& options, std::size_t i, Bits bits);

}  // namespace critscale
