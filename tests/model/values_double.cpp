// The evaluators in double.
#include "model/layer_values.hpp"
#include "model/other_types.hpp"

namespace model_test {

NamedValues<double> double_values(const Configuration& c) { return lifted_values(c, Lift<double>()); }

}  // namespace model_test
