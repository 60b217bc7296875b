// One attention layer on explicit tokens, certified ([layer], [jacobian]). Uses set.hpp, evaluate.hpp
// (names of quantities) and configuration.hpp (LogitScale).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "critscale/model/evaluate.hpp"
#include "critscale/tokens/gap_counting.hpp"
#include "critscale/tokens/set.hpp"

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

/// The most tokens that are evaluated: a layer takes some n^2 numbers of memory, 8 GB each at this n.
inline constexpr std::size_t max_tokens = std::size_t{1} << 15;

/// A set of tokens with what does not depend on the layer's parameters. Evaluations may run at the same time
/// on several threads.
class TokenModel {
 public:
  /// Throws InputError for more than max_tokens tokens.
  explicit TokenModel(TokenSet tokens);
  ~TokenModel();
  TokenModel(TokenModel&&) noexcept;
  TokenModel& operator=(TokenModel&&) noexcept;

  const TokenSet& tokens() const;
  /// Whether <y_i, y_j> = 1 exactly.
  bool tied(std::size_t i, std::size_t j) const;

  /// Throws LimitError at the precision limit (0: by the digits).
  TokenGeometry geometry(long digits, Bits max_bits = 0) const;

  /// Gap counting ([gap-counting]) of every row; all finite Lambda have their digits. Throws LimitError at
  /// the precision limit.
  std::vector<RowGaps> gap_counting(long digits, Bits max_bits = 0) const;

  /// The layer with the logit scale (a point; beta >= 0 with n the number of tokens) and residual strength
  /// alpha >= 0. Every value has `digits` certified digits, or is an enclosure of a number that cannot be
  /// told from 0. Throws InputError for parameters out of range and pairs that do not exist, UndefinedError
  /// for a token whose output is exactly zero, LimitError at the precision limit.
  TokenValues evaluate(const LogitScale& scale, const Rational& alpha, const TokenOptions& options) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// beta of a logit scale (a point) at n tokens.
Ball token_beta(const LogitScale& scale, std::size_t n, Bits bits);

}  // namespace critscale
