// Rows in Interval.
#include "benchmark/layer_row.hpp"
#include "critscale/text/print.hpp"

namespace benchmark {

using namespace critscale;

std::vector<Row> interval_rows() {
  std::vector<Row> rows;
  for (const long digits : digit_counts)
    rows.push_back(layer_row("Interval", digits, Lift<Interval>(bits_for_digits(digits)),
                             [](const Interval& x) { return static_cast<long>(x.is_exact()); }));
  return rows;
}

}  // namespace benchmark
