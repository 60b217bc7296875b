// What is asked of explicit tokens and what comes back: quantities, options, values. Uses evaluate.hpp (names
// of quantities) and Ball.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "critscale/model/evaluate.hpp"

namespace critscale {

/// The quantities that explicit tokens have: all of [layer] but those of bands.
std::span<const Quantity> token_quantities();
/// Whether the quantity has one value a token.
bool is_per_token(Quantity q);

/// Inner products of the tokens' directions, over all pairs i < j.
struct TokenGeometry {
  std::size_t n, d;
  Ball rho_min, rho_max, rho_mean;
  /// 1/(1 - rho_min) and 1/(1 - rho_max); empty where that inner product is exactly 1.
  std::optional<Ball> first_threshold, last_threshold;
};

struct TokenPair {
  std::size_t i, j;
  /// <y_i, y_j> and <y'_i, y'_j>.
  Ball input, output;
};

/// Smallest, largest and mean <y'_i, y'_j> over the pairs i < j.
struct OutputProducts {
  Ball min, max, mean;
};

/// The quantities that were asked for; the others are empty.
struct TokenValues {
  Ball beta;
  /// One value a token.
  std::vector<Ball> log_partition, self_weight, output_norm2, participation, entropy;
  std::optional<OutputProducts> inner_products;
  std::optional<Ball> angle_ratio, jacobian_norm;
  /// Why there is no angle_ratio where it was asked for.
  std::optional<std::string> angle_ratio_undefined;
  std::vector<TokenPair> pairs;
};

struct TokenOptions {
  /// What to compute; token_quantities() for all.
  std::vector<Quantity> quantities;
  /// Pairs i != j whose inner products are wanted.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  long digits = 30;
  /// Precision limit; 0: by the digits.
  Bits max_bits = 0;
  /// Called now and then; may throw to stop the work.
  std::function<void()> checkpoint;
  /// Whether up to 10 digits may come from binary64 matrix products with proved error bounds
  /// (THEORY-tokens.md); certified either way.
  bool allow_binary64 = true;
};

}  // namespace critscale
