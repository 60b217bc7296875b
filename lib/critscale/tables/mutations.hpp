// Slips in a formula: every small change that people make, applied wherever it can be. Uses formula.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "critscale/tables/formula.hpp"

namespace critscale {

struct Mutation {
  std::string id;    ///< the kind of slip and where: "base-2 exp(logits[j])"
  std::string what;  ///< in words
  Formula formula;   ///< the mutated formula
};

/// All single mutations of a formula. `scalars` are the names of the single numbers that may have been
/// taken for one another: inputs of the question and its counts.
std::vector<Mutation> mutations(const Formula& f, const std::vector<std::string>& scalars);

/// The formula with a number in place of a single input, wherever it occurs.
Formula with_number(const Formula& f, std::string_view input, const Rational& value);

}  // namespace critscale
