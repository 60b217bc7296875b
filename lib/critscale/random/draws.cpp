// Drawn rows, key by key, in binary64.
#include "critscale/random/draws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "critscale/random/detail/functions.hpp"

namespace critscale::random {

namespace {

/// Uniform, normal and sphere-coordinate numbers, without the standard's unspecified distributions.
class Source {
 public:
  explicit Source(std::uint64_t seed) : engine_(seed) {}
  /// In (0, 1].
  double uniform() { return (static_cast<double>(engine_() >> 11) + 1) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  /// One coordinate of a uniform point of the sphere in R^m: two coordinates have 1 - |.|^2 = U^(2/(m-2)).
  double coordinate(double m) {
    if (m == 3) return 2 * uniform() - 1;
    const double angle = std::cos(2 * std::numbers::pi * uniform());
    return m == 2 ? angle : angle * std::sqrt(-std::expm1(2 / (m - 2) * std::log(uniform())));
  }

 private:
  std::mt19937_64 engine_;
};

/// Sums of one quantity over rows, about a first value so that nothing cancels.
struct Moments {
  double origin = 0, sum = 0, squares = 0;
  long count = 0;
  void add(double x) {
    if (count++ == 0) origin = x;
    sum += x - origin;
    squares += (x - origin) * (x - origin);
  }
  SampleMean mean() const {
    const double n = static_cast<double>(count), m = sum / n;
    return {origin + m, std::sqrt(std::max(0.0, squares / n - m * m) / (n - 1))};
  }
};

}  // namespace

DrawnRows draw_rows(const Row& row, long rows, std::uint64_t seed) {
  validate(row);
  if (!row.scale.coefficient.is_point() || !row.scale.offset.is_point())
    throw InputError("rows are drawn at one beta, not in a box");
  if (compare(row.n, PowerProduct(10000000)) == std::strong_ordering::greater)
    throw InputError("rows are drawn for n up to 10^7, found " + row.n.to_string());
  const double m = rough(dimension_of(row.keys, row.n, 64)), beta = rough(beta_at(row, false, 64)),
               b = beta * rough(Ball(Rational(1 - row.keys.rho), 64));
  const auto keys = static_cast<std::size_t>(rough(independent_keys(row.keys, row.n, 64)));
  Source source(seed);
  Moments self, self2, log_partition, collision;
  std::vector<double> x(keys);
  for (long i = 0; i < rows; ++i) {
    double top = row.keys.aligned ? 0 : -1e300;
    for (double& score : x) {
      const double v = row.keys.law == KeyLaw::sphere ? source.coordinate(m) : source.normal() / std::sqrt(m);
      score = b * (v - 1);
      top = std::max(top, score);
    }
    const double own = row.keys.aligned ? std::exp(-top) : 0;
    double sum = own, squares = own * own;
    for (const double score : x) {
      const double w = std::exp(score - top);
      sum += w;
      squares += w * w;
    }
    self.add(own / sum);
    self2.add(own / sum * (own / sum));
    log_partition.add(beta + top + std::log(sum));
    collision.add(squares / (sum * sum));
  }
  DrawnRows r{rows, {}};
  if (row.keys.aligned) {
    r.means.emplace_back(Expectation::self_weight, self.mean());
    r.means.emplace_back(Expectation::self_weight2, self2.mean());
  }
  r.means.emplace_back(Expectation::log_partition, log_partition.mean());
  r.means.emplace_back(Expectation::collision, collision.mean());
  return r;
}

}  // namespace critscale::random
