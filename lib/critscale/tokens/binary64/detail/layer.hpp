// One layer on explicit tokens in binary64 with proved error bounds (THEORY-tokens.md). Private to
// tokens/layer.cpp; uses facts.hpp.
#pragma once

#include "critscale/tokens/binary64/detail/facts.hpp"
#include "critscale/tokens/detail/formulas.hpp"
#include "critscale/tokens/gap_counting.hpp"
#include "critscale/tokens/row_sharing.hpp"

namespace critscale {

/// Enclosures of the quantities asked for, as good as binary64 allows; those it says nothing about are the
/// whole line. Empty where this path does not apply (beta or alpha out of reach, an output that may be 0).
/// `moments` receives the sums of each row; those beyond `distance` where the Jacobian is asked for. With
/// `sharing` the rows are divided among its processes, and each has all values.
std::optional<TokenValues> evaluate_binary64(const TokenSet& tokens, const TokenFacts& facts,
                                             const TokenDoubles& t, const LayerRequest& request,
                                             std::vector<TokenRow<Bounded>>* moments = nullptr,
                                             const RowSharing* sharing = nullptr);

TokenGeometry geometry_binary64(const TokenFacts& facts, const TokenDoubles& t,
                                const RowSharing* sharing = nullptr);
std::vector<RowGaps> gaps_binary64(const TokenFacts& facts, const TokenDoubles& t,
                                   const RowSharing* sharing = nullptr);

}  // namespace critscale
