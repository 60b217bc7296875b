// Limits, rates and expansions of the quantities of [layer] as n grows, derived by running the
// evaluators on expansions. Uses limit_inputs.hpp, envelope.hpp and model/.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "critscale/asymptotics/envelope.hpp"
#include "critscale/asymptotics/limit_inputs.hpp"
#include "critscale/model/evaluate.hpp"

namespace critscale {

/// coefficient * n^power (ln n)^log_power; the coefficient is free of ln n and not zero.
struct PowerLogTerm {
  Coefficient coefficient;
  Rational power;
  long log_power;
};

/// One quantity (or its value for one band) as n grows.
struct Limit {
  /// The exact limit; none where the quantity diverges.
  std::optional<Coefficient> limit;
  /// The first terms, largest first, all of them down to the last: of Q - limit, or of Q itself where it
  /// diverges.
  std::vector<PowerLogTerm> terms;
  /// Whether `terms` is the whole difference: without terms, Q is identically its limit.
  bool complete = false;
  /// The limit, or the leading coefficient where Q diverges, as a function of the parameters' names.
  std::optional<Coefficient> closed_form;
};

struct QuantityLimits {
  Quantity quantity;
  /// One, or one a band. Empty where the quantity is undefined, and then `undefined` says why.
  std::vector<Limit> values;
  std::optional<std::string> undefined;
};

struct LimitResult {
  std::vector<Rational> thresholds;
  /// Differ from `thresholds` only at outermost inner product 0 without residual.
  std::vector<Rational> forward_thresholds;
  Phase phase;
  std::vector<QuantityLimits> quantities;
};

/// The phase, and for every quantity its limit with at least one and up to `terms` correction terms
/// exactly (fewer where there are no more, or where they lie too deep: among exponents 10^-1000 apart).
/// Limits of eta are for d growing as configured. The configuration is validated first. Throws LimitError
/// when the terms asked for are not reached or a coefficient is not told from zero.
LimitResult limits(const LimitConfiguration& c, std::span<const Quantity> quantities, std::size_t terms);

/// The largest number of terms that may be asked for.
inline constexpr std::size_t max_limit_terms = 64;

/// An enclosure of the sum of limit and terms at one n.
Ball value(const Limit& limit, std::size_t terms, const PowerProduct& n, Bits bits);
/// An enclosure of one term at one n.
Ball value(const PowerLogTerm& term, const PowerProduct& n, Bits bits);

}  // namespace critscale
