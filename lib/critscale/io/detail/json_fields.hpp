// Members of JSON objects, read strictly: numbers are exact fractions in text. Uses json.hpp and parse.hpp.
//
// Each function throws InputError that names the member where it is missing or of another kind.
#pragma once

#include <string>
#include <vector>

#include "critscale/io/detail/json.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::fields {

using nlohmann::json;

/// Bits of numerator and denominator together of the fractions that are reckoned with often: enough for
/// 10^600, few enough for a million of them.
inline constexpr unsigned most_small_bits = 1 << 11;

const json& member(const json& object, const std::string& key);
std::string text(const json& object, const std::string& key);
Rational number(const json& object, const std::string& key);
/// A number of at most most_small_bits.
Rational small_number(const json& object, const std::string& key);
/// A JSON integer in [-8, 8]; 2.0 is none, and one that is too large for a machine's is not wrapped.
long integer(const json& object, const std::string& key);
/// A range ["lo", "hi"] of small numbers with lo <= hi.
RationalBox range(const json& box, const std::string& key);
/// Throws InputError unless the object has exactly these keys; `what` names the object.
void require_keys(const json& object, const std::vector<std::string>& keys, const std::string& what);

}  // namespace critscale::fields
