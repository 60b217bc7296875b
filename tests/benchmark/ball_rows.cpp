// Rows in Ball.
#include "benchmark/layer_row.hpp"
#include "critscale/model/evaluate.hpp"
#include "critscale/text/print.hpp"

namespace benchmark {

using namespace critscale;

std::vector<Row> ball_rows() {
  std::vector<Row> rows;
  const auto accuracy = [](const Ball& x) { return x.accurate_bits(); };
  for (const long digits : digit_counts) {
    const Bits bits = bits_for_digits(digits);
    rows.push_back(layer_row("Ball", digits, Lift<Ball>(bits), accuracy));
    rows.push_back({"Ball, inputs lifted each time", digits, [c = setting(), bits, accuracy] {
                      return full_set(simplex_inputs<Ball>(c, Lift<Ball>(bits)), accuracy);
                    }});
    rows.push_back({"certified(), whole call", digits, [c = setting(), digits] {
                      return certified(c, all_quantities(), digits).beta.accurate_bits();
                    }});
  }
  return rows;
}

}  // namespace benchmark
