// Uses trivial.hpp.
#include "theorems/trivial.hpp"

#include <fmt/format.h>

namespace critscale::cli {
namespace {

/// Whether the quantity lies in [0, 1]: weights, masses, inner products of directions that are combinations
/// with non-negative coefficients of directions with non-negative inner products.
bool is_share(const std::string& quantity) {
  const std::string name = parse_subscripted(quantity).name;
  return name == "self_weight" || name == "band_masses" || name == "band_weights" || name == "inner_products";
}

}  // namespace

std::string trivial_reason(const TailProblem& problem, const TailClaim& claim) {
  // Where n^-k (ln n)^p tends to 0 at some point of the box the claim says more than the range of Q, there
  // and from some n on.
  const std::optional<Rational> k = problem.greatest_rate();
  if (!is_share(claim.quantity) || !claim.factor.empty() || !k || *k > 0 || claim.p < 0 || claim.C < 1)
    return {};
  return fmt::format("k is at most {} and C >= 1, but |Q - L| <= 1 holds anyway", to_string(*k));
}

std::string trivial_reason(const ClassClaim& claim) {
  if (claim.k != "0" || claim.p != 0) return {};
  const std::string& quantity = claim.quantity;
  const auto nothing = [&](const char* range) { return fmt::format("{} holds anyway", range); };
  if (claim.relation == ">=" && claim.bound <= 0 && !quantity.ends_with("-1") &&
      !quantity.ends_with("-1/q2") && !quantity.ends_with("/(1-kappa)"))
    return nothing(">= 0");
  if (quantity.ends_with("-1") && claim.bound <= -1) return nothing(">= -1");
  if (quantity == "inner_product_change" || quantity == "attention_displacement") {
    // All inner products lie in [rho1, 1], and m_i is a mean of directions.
    const Rational depth = 1 - claim.box.at("rho1").lo;
    if (quantity == "inner_product_change" && claim.bound >= depth)
      return fmt::format("<= 1-rho1, here {}, holds anyway", to_string(depth));
    if (quantity == "attention_displacement" && claim.bound * claim.bound >= 2 * depth)
      return fmt::format("<= sqrt(2 (1-rho1)), here sqrt({}), holds anyway", to_string(Rational(2 * depth)));
  }
  return {};
}

std::string trivial_reason(const std::string& quantity, const std::optional<Rational>& lo,
                           const std::optional<Rational>& hi) {
  if (is_share(quantity) && lo && hi && *lo <= 0 && *hi >= 1) return "0 <= Q <= 1 holds anyway";
  return {};
}

}  // namespace critscale::cli
