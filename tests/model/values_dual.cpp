// The evaluators in Dual<Ball>.
#include "model/layer_values.hpp"
#include "model/other_types.hpp"

namespace model_test {

NamedValues<Dual<Ball>> dual_values(const Configuration& c, Bits bits) {
  return lifted_values(c, Lift<Dual<Ball>>(bits));
}

}  // namespace model_test
