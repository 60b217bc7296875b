// One attention layer on explicit tokens, certified ([layer], [jacobian]). Uses set.hpp, values.hpp and
// gap_counting.hpp.
#pragma once

#include <memory>
#include <vector>

#include "critscale/tokens/gap_counting.hpp"
#include "critscale/tokens/row_sharing.hpp"
#include "critscale/tokens/set.hpp"
#include "critscale/tokens/values.hpp"

namespace critscale {

/// The most tokens that are evaluated to more than 10 digits, or where binary64 does not suffice: Ball
/// arithmetic keeps some n^2 numbers. To fewer digits there is no such limit, and memory grows like n d.
inline constexpr std::size_t max_tokens = std::size_t{1} << 15;

/// A set of tokens with what does not depend on the layer's parameters. Evaluations may run at the same time
/// on several threads.
class TokenModel {
 public:
  explicit TokenModel(TokenSet tokens);
  ~TokenModel();
  TokenModel(TokenModel&&) noexcept;
  TokenModel& operator=(TokenModel&&) noexcept;

  /// Divides the rows of what follows among several processes, each of which calls this; to up to 10 digits,
  /// for what Ball arithmetic has to settle is not divided.
  void share_rows(std::shared_ptr<const RowSharing> sharing);

  const TokenSet& tokens() const;
  /// Whether <y_i, y_j> = 1 exactly.
  bool tied(std::size_t i, std::size_t j) const;

  /// Throws LimitError at the precision limit (0: by the digits), and for more than max_tokens tokens where
  /// binary64 does not suffice. `checkpoint` as in TokenOptions.
  TokenGeometry geometry(long digits, Bits max_bits = 0, const std::function<void()>& checkpoint = {}) const;

  /// Gap counting ([gap-counting]) of every row; all finite Lambda have their digits. Throws LimitError at
  /// the precision limit.
  std::vector<RowGaps> gap_counting(long digits, Bits max_bits = 0,
                                    const std::function<void()>& checkpoint = {}) const;

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
