// What the parts of the checker share: refusing, exact numbers of a claim, and the kinds of claim. Of ours it
// uses number/ (intervals, fractions, boxes), text/ and io/ (reading numbers and JSON).
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "critscale/io/detail/json_fields.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/number/rational_box.hpp"

namespace critscale::checker {

using namespace fields;
inline constexpr Bits bits = 64;

/// Refuses a certificate.
inline void require(bool condition, const std::string& otherwise) {
  if (!condition) throw InputError(otherwise);
}

/// The theorem that speaks of a quantity on a geometry.
std::string theorem_of(const std::string& geometry, const std::string& quantity);
/// The exact limit as a text in the claim's parameters; empty where there is none ([simplex-limits],
/// [phases]). The tests evaluate these texts against the formulas of layer.hpp.
std::string limit_text(const std::string& geometry, const std::string& phase, const std::string& quantity);

/// The exact point of the evidence that shows that the claim speaks of something ([witness]), read with these
/// names.
std::map<std::string, Rational> read_witness(const json& evidence, const std::vector<std::string>& names);
/// Throws InputError unless v lies in the range that the claim gives for `name`.
void require_inside(const Rational& v, const RationalBox& range, const std::string& name);

// The kinds of claim: each throws an Error unless the evidence proves the claim.
void check_value(const std::string& theorem, const json& claim, const json& evidence);
/// Returns the least k on the box: where it is positive and p <= 0, the quantity tends to its limit.
Rational check_tail(const std::string& theorem, const json& claim, const json& evidence);
void check_class(const std::string& theorem, const json& claim, const json& evidence);
void check_boundary(const std::string& theorem, const json& claim, const json& evidence);

}  // namespace critscale::checker
