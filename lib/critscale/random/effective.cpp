// Moments of inner products by the covariance or pair by pair, and the keys that have them.
#include "critscale/random/detail/effective.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "critscale/number/errors.hpp"
#include "critscale/random/detail/functions.hpp"
#include "critscale/random/phases.hpp"

namespace critscale::random {

namespace {

/// Row i divided by its length.
void direction(std::span<const double> row, std::span<double> y) {
  double largest = 0, norm2 = 0;
  for (const double x : row) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < row.size(); ++k) {
    y[k] = row[k] / largest;
    norm2 += y[k] * y[k];
  }
  for (double& c : y) c /= std::sqrt(norm2);
}

/// Sums of <y_i, y_j> and of its square over all pairs (i, j).
struct PairSums {
  double first = 0, second = 0;
};

/// With S = sum y_i and C = sum y_i y_i^T they are |S|^2 and |C|^2: n d^2/2 multiplications.
PairSums by_covariance(std::size_t n, std::size_t d, std::span<const double> entries) {
  std::vector<double> sum(d, 0), product(d * d, 0), y(d);
  for (std::size_t i = 0; i < n; ++i) {
    direction(entries.subspan(i * d, d), y);
    for (std::size_t k = 0; k < d; ++k) {
      sum[k] += y[k];
      for (std::size_t l = 0; l <= k; ++l) product[k * d + l] += y[k] * y[l];
    }
  }
  PairSums r;
  for (std::size_t k = 0; k < d; ++k) {
    r.first += sum[k] * sum[k];
    for (std::size_t l = 0; l <= k; ++l)
      r.second += (l == k ? 1 : 2) * product[k * d + l] * product[k * d + l];
  }
  return r;
}

/// Pair by pair: n^2 d/2 multiplications.
PairSums by_pairs(std::size_t n, std::size_t d, std::span<const double> entries) {
  std::vector<double> y(n * d);
  for (std::size_t i = 0; i < n; ++i) direction(entries.subspan(i * d, d), std::span(y).subspan(i * d, d));
  PairSums r{static_cast<double>(n), static_cast<double>(n)};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      double inner = 0;
      for (std::size_t k = 0; k < d; ++k) inner += y[i * d + k] * y[j * d + k];
      r.first += 2 * inner;
      r.second += 2 * inner * inner;
    }
  return r;
}

}  // namespace

double effective_keys_cost(std::size_t n, std::size_t d) {
  const double rows = static_cast<double>(n), columns = static_cast<double>(d);
  return rows * columns * std::min(rows, columns) / 2;
}

EffectiveKeys effective_keys(std::size_t n, std::size_t d, std::span<const double> entries) {
  if (n < 3) throw InputError("an effective dimension needs at least 3 vectors");
  const PairSums sums = d <= n ? by_covariance(n, d, entries) : by_pairs(n, d, entries);
  const double count = static_cast<double>(n), pairs = count * (count - 1);
  EffectiveKeys r{};
  r.mean = r.rho = (sums.first - count) / pairs;
  r.variance = (sums.second - count) / pairs - r.mean * r.mean;
  if (!(r.variance > 1e-12) || !(r.rho < 1 - 1e-12))
    throw InputError(
        "the inner products are equal, as far as binary64 tells: no finite dimension is like that");
  r.m = (1 - r.rho) * (1 - r.rho) / r.variance;
  r.kappa = r.m / std::log(count);
  return r;
}

EffectiveThresholds effective_thresholds(const EffectiveKeys& keys) {
  const Parameter kappa = [&](Bits bits) { return Ball::exactly(keys.kappa, bits); };
  const double own = 1 - keys.rho;
  return {1 / own, rough(*self_line(KeyLaw::sphere, kappa, 64)) / own,
          rough(condensation_line(KeyLaw::sphere, kappa, 64)) / own};
}

}  // namespace critscale::random
