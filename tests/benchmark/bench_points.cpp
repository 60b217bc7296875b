// CPU seconds of the library for points as the Python package asks for them: bench_points COUNT.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "critscale/model/evaluate.hpp"
#include "critscale/text/parse.hpp"

using namespace critscale;

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 10000;
  const auto seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  double sum = 0;
  const double start = seconds();
  for (long i = 0; i < count; ++i) {
    Configuration c;
    c.n = parse_context_length("1000");
    c.geometry = Simplex{parse_box("1/3")};
    c.scale = critical_scale({Rational(3, 2), Rational(3, 2)});
    c.alpha = {0, 0};
    c.q = {1, 1};
    c.d = c.n;
    const Evaluation e = certified(c, all_quantities(), 30);
    sum += static_cast<double>(e.quantities.size());
  }
  fmt::print("{:.6f} {}\n", seconds() - start, sum);
}
