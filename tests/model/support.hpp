// Configurations for the tests of model/, their exact text for replaying a failure, and values under
// their names. Uses critscale/model/.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "critscale/model/evaluate.hpp"

namespace model_test {

using namespace critscale;

inline RationalBox point(const Rational& v) { return {v, v}; }

/// 10^exponent.
PowerProduct ten_to(const Rational& exponent);
/// 10^-exponent.
Rational tenth_to(unsigned exponent);

/// A simplex with beta = gamma ln n, alpha = 0, q = 1 and d = n.
Configuration simplex(const PowerProduct& n, const Rational& rho, const Rational& gamma);
/// Bands {r, size}, innermost first, the last size being n; beta = gamma ln n, alpha = 0, q = 1, d = n.
Configuration banded(const std::vector<std::pair<Rational, PowerProduct>>& bands, const Rational& gamma);
/// The same with other parameters.
Configuration with_layer(Configuration c, const Rational& alpha, const Rational& q);

/// Every input, exactly.
std::string describe(const Configuration& c);
/// The enclosure, to some 30 digits, with its accuracy.
std::string describe(const Ball& x);

template <class Real>
struct Named {
  std::string name;
  Real value;
};
template <class Real>
using NamedValues = std::vector<Named<Real>>;

/// The name of a single quantity, or of one band's value: "entropy", "band_masses[2]".
std::string value_name(Quantity q, std::size_t index);

/// Every value of an evaluation; undefined quantities have none.
NamedValues<Ball> named(const Evaluation& e);
/// evaluate() at a precision, every quantity.
NamedValues<Ball> ball_values(const Configuration& c, Bits bits);

/// The value of that name. Throws std::out_of_range.
template <class Real>
const Real& find(const NamedValues<Real>& values, std::string_view name) {
  for (const auto& v : values)
    if (v.name == name) return v.value;
  throw std::out_of_range(std::string(name));
}

/// Bits that the size of beta costs: the binary exponent of an upper bound, at least 0.
Bits log2_of_beta(const Configuration& c);

}  // namespace model_test
