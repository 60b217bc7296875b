// What the benchmark times: one full set of simplex quantities ([layer]) in each arithmetic, at the
// same inputs. Each arithmetic is one source file. Uses critscale/model/.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "critscale/model/configuration.hpp"

namespace benchmark {

struct Row {
  std::string name;
  long digits;
  /// One full set; returns something that depends on every value, so that none is optimised away.
  std::function<long()> run;
};

/// n = 10^100, rho = 1/3, gamma = 3/2 (the threshold), alpha = 1/2, q = 2, d = n.
critscale::Configuration setting();

inline constexpr long digit_counts[] = {30, 100, 1000};

std::vector<Row> ball_rows();      ///< SimplexLayer<Ball>, inputs lifted beforehand; then with lifting
std::vector<Row> arb_rows();       ///< the same formulas in C
std::vector<Row> interval_rows();  ///< SimplexLayer<Interval>
std::vector<Row> fixed_rows();     ///< SimplexLayer<number<mpfr_float_backend<D>>>
std::vector<Row> double_rows();    ///< SimplexLayer<double>

}  // namespace benchmark
