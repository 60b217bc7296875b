// Token sets for the tests: random ones of every kind that is hard somewhere. Uses critscale/model/.
#pragma once

#include <string>
#include <vector>

#include "critscale/tokens/layer.hpp"

namespace token_test {

using namespace critscale;

struct NamedTokens {
  std::string name;
  TokenSet tokens;
};

/// Spread out, nearly collinear, with duplicates, badly scaled, clustered, on a line, in one dimension;
/// the same for the same seed.
std::vector<NamedTokens> hard_token_sets(std::size_t n, std::size_t d, unsigned seed);

inline LogitScale gamma_scale(const Rational& gamma) { return critical_scale({gamma, gamma}); }
LogitScale beta_scale(const Rational& beta);

/// Every quantity of explicit tokens.
TokenOptions everything(long digits);

/// All values under their names, per token "entropy[3]", pairs left out.
std::vector<std::pair<std::string, Ball>> flat(const TokenValues& v);

/// The exact entries and the parameters, to replay a failure.
std::string describe(const TokenSet& tokens);

}  // namespace token_test
