// Exact facts about explicit tokens.
#include "critscale/tokens/detail/facts.hpp"

#include <algorithm>

namespace critscale {

TokenFacts::TokenFacts(const TokenSet& tokens) : direction(tokens.direction_classes()) {
  const std::size_t n = tokens.n();
  pairs = n * (n - 1) / 2;
  for (std::size_t i = 0; i < n; ++i) {
    if (direction[i] == members.size()) members.emplace_back();
    tied_pairs += members[direction[i]].size();
    members[direction[i]].push_back(i);
  }
  all_tied = tied_pairs == pairs;
  if (members.size() > 2) return;
  const std::vector<std::size_t> line = tokens.line_classes();
  collinear = *std::max_element(line.begin(), line.end()) == 0;
  if (collinear)
    for (const std::size_t c : direction) opposite.push_back(c != 0);
}

bool outputs_always_equal(const TokenSet& tokens, const TokenFacts& facts, const LayerRequest& request,
                          std::size_t i, std::size_t j) {
  if (request.alpha == 0) return request.beta_is_zero || facts.tied(i, j);
  if (!facts.tied(i, j)) return false;
  // Of tokens with one direction, those with one norm are equal.
  for (std::size_t k = 0; k < tokens.d(); ++k)
    if (tokens.exact(i, k) != tokens.exact(j, k)) return false;
  return true;
}

}  // namespace critscale
