// Uses json_fields.hpp.
#include "critscale/io/detail/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale::fields {

const json& member(const json& object, const std::string& key) {
  if (!object.is_object() || !object.contains(key)) throw InputError(fmt::format("{} is missing", key));
  return object.at(key);
}

std::string text(const json& object, const std::string& key) {
  if (!member(object, key).is_string()) throw InputError(fmt::format("{} is not text", key));
  return object.at(key).get<std::string>();
}

namespace {

Rational parse_small(const std::string& text, const std::string& key) {
  const Rational v = parse_rational(text);
  if (msb(Integer(abs(numerator(v)) + 1)) + msb(denominator(v)) > most_small_bits)
    throw InputError(fmt::format("{} is a fraction of more than {} bits", key, most_small_bits));
  return v;
}

}  // namespace

Rational number(const json& object, const std::string& key) { return parse_rational(text(object, key)); }

Rational small_number(const json& object, const std::string& key) {
  return parse_small(text(object, key), key);
}

long integer(const json& object, const std::string& key) {
  const std::string digits = member(object, key).dump();  // as text, which does not wrap
  for (long i = -8; i <= 8; ++i)
    if (digits == std::to_string(i)) return i;
  throw InputError(fmt::format("{} is not an integer in [-8, 8]", key));
}

RationalBox range(const json& box, const std::string& key) {
  const json& v = member(box, key);
  if (!v.is_array() || v.size() != 2 || !v[0].is_string() || !v[1].is_string())
    throw InputError(fmt::format("{} is not a range of two fractions", key));
  const RationalBox r{parse_small(v[0].get<std::string>(), key), parse_small(v[1].get<std::string>(), key)};
  if (r.lo > r.hi) throw InputError(fmt::format("the range of {} is empty", key));
  return r;
}

void require_keys(const json& object, const std::vector<std::string>& keys, const std::string& what) {
  if (!object.is_object()) throw InputError(what + " is not an object");
  for (const std::string& key : keys) member(object, key);
  for (const auto& item : object.items())
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      throw InputError(fmt::format("{} has an unknown member {}", what, in_quotes(item.key())));
}

}  // namespace critscale::fields
