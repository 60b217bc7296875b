// What the parts of the checker share: refusing, walking bisection trees, and the kinds of claim.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "critscale/io/json_fields.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/number/rational_box.hpp"
#include "critscale/text/interval_sizes.hpp"

namespace critscale::checker {

using namespace fields;
inline constexpr Bits bits = 64;

/// Refuses a certificate.
inline void require(bool condition, const std::string& otherwise) {
  if (!condition) throw InputError(otherwise);
}

inline Interval interval(const RationalBox& r) { return Interval::hull(r.lo, r.hi, bits); }

/// The function to be bounded, on a box; nothing where the box holds no point of the claim.
using Bound = std::function<std::optional<Interval>(const Box&)>;
/// Throws InputError unless the tree of the evidence is well formed and f <= limit on every leaf. Where
/// this arithmetic is coarser than the prover's, a leaf is halved further, within a fixed budget.
void check_tree(const json& evidence, const std::vector<std::string>& coordinates, const Box& box,
                const Bound& f, const Rational& limit);

/// Throws InputError unless f(precision) is within the ends lo and hi of the claim, at a precision up to what
/// the digits of the ends may need.
void check_inside(const std::function<Interval(Bits)>& f, const json& claim, const std::string& what);

/// The theorem that speaks of a quantity on a geometry.
std::string theorem_of(const std::string& geometry, const std::string& quantity);
/// The exact limit as a text in the claim's parameters; empty where there is none ([simplex-limits],
/// [phases]). The tests evaluate these texts against the formulas of layer.hpp.
std::string limit_text(const std::string& geometry, const std::string& phase, const std::string& quantity);

// The kinds of claim: each throws an Error unless the evidence proves the claim.
void check_value(const std::string& theorem, const json& claim, const json& evidence);
/// Returns the least k on the box: where it is positive and p <= 0, the quantity tends to its limit.
Rational check_tail(const std::string& theorem, const json& claim, const json& evidence);
void check_class(const std::string& theorem, const json& claim, const json& evidence);
void check_boundary(const std::string& theorem, const json& claim, const json& evidence);

}  // namespace critscale::checker
