// What the tests of random keys share: rows from texts, and values in one line. Uses lib/critscale/random.
#pragma once

#include <string>
#include <vector>

#include "critscale/random/expectations.hpp"
#include "critscale/text/parse.hpp"
#include "critscale/text/print.hpp"

namespace critscale::random {

inline Keys sphere(const std::string& m, bool aligned = true) {
  Keys k;
  k.dimension = parse_rational(m);
  k.aligned = aligned;
  return k;
}
inline Keys gaussian(const std::string& m, bool aligned = true) {
  Keys k = sphere(m, aligned);
  k.law = KeyLaw::gaussian;
  return k;
}
inline Row row(const Keys& keys, const std::string& n, const std::string& beta) {
  return {keys, parse_context_length(n), logit_scale(parse_beta(beta))};
}
inline Ball one(const Row& r, Expectation e, Bits bits = 100, const IntegrationOptions& options = {}) {
  return expectations(r, {e}, bits, options).at(0);
}
inline std::vector<Expectation> all_of(const Keys& keys) {
  std::vector<Expectation> r;
  for (const Expectation e : all_expectations())
    if (is_defined(e, keys)) r.push_back(e);
  return r;
}
/// Whether a printed decimal, rounded or cut in its last place, is what x says.
inline bool agrees(const Ball& x, const std::string& decimal) {
  const std::size_t point = decimal.find('.');
  const long places = point == std::string::npos ? 0 : static_cast<long>(decimal.size() - point - 1);
  Rational unit = 1;
  for (long i = 0; i < places; ++i) unit /= 10;
  const Rational v = parse_rational(decimal);
  return certainly(less(Ball(Rational(v - unit), 200), x)) &&
         certainly(less(x, Ball(Rational(v + unit), 200)));
}

}  // namespace critscale::random
