// The row in double; digits are those of the format.
#include "benchmark/layer_row.hpp"

namespace benchmark {

std::vector<Row> double_rows() {
  return {layer_row("double", 15, critscale::Lift<double>(),
                    [](double x) { return static_cast<long>(x > 0.5); })};
}

}  // namespace benchmark
