// Sets of keys by seed, and their rows through the evaluator of token sets.
#include "critscale/random/key_sets.hpp"

#include <fmt/format.h>

#include <cmath>

#include "critscale/random/detail/functions.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "critscale/tokens/layer.hpp"

namespace critscale::random {

namespace {

constexpr long most_keys = 4096;
/// Far below any standard error, and within reach of the fast path.
constexpr long set_digits = 8;

SampleMean mean_of(const std::vector<double>& x) {
  const double count = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  for (const double y : x) mean += y / count;
  for (const double y : x) squares += (y - mean) * (y - mean);
  return {mean, std::sqrt(squares / (count * (count - 1)))};
}

double average(const std::vector<Ball>& values, double (*f)(double)) {
  double sum = 0;
  for (const Ball& x : values) sum += f(rough(x));
  return sum / static_cast<double>(values.size());
}

}  // namespace

TokenSet key_set(std::size_t n, std::size_t m, const Rational& rho, std::uint64_t seed) {
  const GaussianDraw draw(n, m, seed);
  const double common = std::sqrt(static_cast<double>(rho)),
               own = std::sqrt(static_cast<double>(Rational(1 - rho)));
  std::vector<double> entries;
  entries.reserve(n * (m + 1));
  for (std::size_t i = 1; i <= n; ++i) {
    const std::span<const double> g = draw.gaussians().subspan(i * m, m);
    double norm2 = 0;
    for (const double x : g) norm2 += x * x;
    entries.push_back(common);
    for (const double x : g) entries.push_back(own * (x / std::sqrt(norm2)));
  }
  return TokenSet(n, m + 1, std::move(entries));
}

DrawnRows draw_sets(const Row& row, long sets, std::uint64_t first_seed) {
  validate(row);
  if (row.keys.law != KeyLaw::sphere || !row.keys.aligned || !row.keys.dimension ||
      !is_integer(*row.keys.dimension))
    throw InputError("sets are drawn of keys on a sphere of whole dimension, with an aligned key");
  if (!row.scale.coefficient.is_point() || !row.scale.offset.is_point())
    throw InputError("sets are drawn at one beta, not in a box");
  if (compare(row.n, PowerProduct(most_keys)) == std::strong_ordering::greater)
    throw InputError(fmt::format("sets are drawn of up to {} keys, found {}", most_keys, row.n.to_string()));
  if (sets < 2) throw InputError("a standard error needs at least 2 sets");
  const auto n = static_cast<std::size_t>(row.n.to_integer()),
             m = static_cast<std::size_t>(numerator(*row.keys.dimension));
  TokenOptions options;
  options.quantities = {Quantity::log_partition, Quantity::self_weight, Quantity::participation};
  options.digits = set_digits;
  std::vector<double> self, self2, log_partition, collision;
  for (long k = 0; k < sets; ++k) {
    const TokenModel model(key_set(n, m, row.keys.rho, first_seed + static_cast<std::uint64_t>(k)));
    const TokenValues values = model.evaluate(row.scale, Rational(0), options);
    self.push_back(average(values.self_weight, [](double x) { return x; }));
    self2.push_back(average(values.self_weight, [](double x) { return x * x; }));
    log_partition.push_back(average(values.log_partition, [](double x) { return x; }));
    collision.push_back(average(values.participation, [](double x) { return 1 / x; }));
  }
  return {sets * static_cast<long>(n),
          {{Expectation::self_weight, mean_of(self)},
           {Expectation::self_weight2, mean_of(self2)},
           {Expectation::log_partition, mean_of(log_partition)},
           {Expectation::collision, mean_of(collision)}}};
}

}  // namespace critscale::random
