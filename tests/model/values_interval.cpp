// The evaluators in Interval.
#include "model/layer_values.hpp"
#include "model/other_types.hpp"

namespace model_test {

NamedValues<Interval> interval_values(const Configuration& c, Bits bits) {
  return lifted_values(c, Lift<Interval>(bits));
}

}  // namespace model_test
