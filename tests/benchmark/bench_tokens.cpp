// Times the overall quantities of one layer on explicit tokens at 8 digits: bench_tokens TOKENS.npy GAMMA.
// Prints the best of three runs in seconds, then the values. See tokens.sh.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>

#include "critscale/text/parse.hpp"
#include "critscale/text/print.hpp"
#include "critscale/tokens/files.hpp"
#include "critscale/tokens/layer.hpp"

using namespace critscale;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  constexpr std::size_t threads = 2;
  constexpr long digits = 8;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const TokenSet tokens = read_tokens(argv[1]);
  const Rational gamma = parse_rational(argv[2]);
  TokenOptions options;
  options.quantities = {Quantity::inner_products, Quantity::angle_ratio, Quantity::jacobian_norm};
  options.digits = digits;
  double best = 1e9;
  std::string values;
  for (int run = 0; run < 3; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const TokenModel model(tokens);
    const TokenGeometry g = model.geometry(digits);
    const TokenValues v = model.evaluate(critical_scale({gamma, gamma}), 0, options);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    values.clear();
    const auto add = [&](const char* name, const Ball& x) {
      values += fmt::format("{} {}\n", name, print_value(x, digits).value_or("?"));
    };
    add("rho_min", g.rho_min);
    add("rho_max", g.rho_max);
    add("rho_mean", g.rho_mean);
    add("inner_products.min", v.inner_products->min);
    add("inner_products.max", v.inner_products->max);
    add("inner_products.mean", v.inner_products->mean);
    add("angle_ratio", *v.angle_ratio);
    add("jacobian_norm", *v.jacobian_norm);
  }
  fmt::print("{}\n{}", best, values);
}
