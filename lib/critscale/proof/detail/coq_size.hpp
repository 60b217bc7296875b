// Context lengths of value and boundary claims in Coq, and the calls of `interval` that bound closed forms at
// one point. Uses coq_text.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "critscale/number/exact.hpp"

namespace critscale::coq {

/// A context length: the term for `INR n`, a proof that `INR n` is at least 3, and n as a power.
struct SizeTerm {
  std::string value, at_least_3;
};

/// Reads INT, INT^INT or INT^(INT^INT). Throws InputError for what has no form in Coq.
SizeTerm size_term(const std::string& text);

/// The same sizes as base^exponent; a plain number is a power of `base` or throws InputError.
struct PowerSize {
  Integer base, exponent;
};
PowerSize power_size(const std::string& text, const Integer& base = 0);

/// What turns `ln (INR n)` and `INR n` into numbers in the goal, given HN : INR n = the value.
std::string insert_size(const SizeTerm& n);

/// Powers of n that vanish are bounded (provers/formal/Points.v); then calls of `interval` at rising
/// precision.
extern const char* const point_strategies;

/// A member that is text. Throws InputError where the claim has none.
std::string text_member(const nlohmann::json& object, const char* key);

}  // namespace critscale::coq
