// The evaluators in Boost's fixed-precision mpfr_float.
#include <boost/multiprecision/mpfr.hpp>

#include "model/layer_values.hpp"
#include "model/other_types.hpp"

namespace model_test {

NamedValues<Ball> fixed_values(const Configuration& c) {
  using Fixed = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<50>,
                                              boost::multiprecision::et_off>;
  NamedValues<Ball> r;
  for (const auto& [name, value] : lifted_values(c, Lift<Fixed>())) {
    Dyadic exact;
    arf_set_mpfr(exact.raw(), value.backend().data());
    r.push_back({name, Ball::exactly(exact, 256)});
  }
  return r;
}

}  // namespace model_test
