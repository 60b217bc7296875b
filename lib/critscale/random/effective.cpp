#include "critscale/random/detail/effective.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "critscale/number/errors.hpp"

namespace critscale::random {

EffectiveKeys effective_keys(std::size_t n, std::size_t d, std::span<const double> entries) {
  if (n < 3) throw InputError("an effective dimension needs at least 3 vectors");
  // With S = sum y_i and C = sum y_i y_i^T: sum over all (i, j) of <y_i, y_j> is |S|^2, and of its square
  // |C|^2.
  std::vector<double> sum(d, 0), product(d * d, 0), y(d);
  for (std::size_t i = 0; i < n; ++i) {
    double largest = 0, norm2 = 0;
    for (std::size_t k = 0; k < d; ++k) largest = std::max(largest, std::abs(entries[i * d + k]));
    for (std::size_t k = 0; k < d; ++k) {
      y[k] = entries[i * d + k] / largest;
      norm2 += y[k] * y[k];
    }
    for (double& c : y) c /= std::sqrt(norm2);
    for (std::size_t k = 0; k < d; ++k) {
      sum[k] += y[k];
      for (std::size_t l = 0; l <= k; ++l) product[k * d + l] += y[k] * y[l];
    }
  }
  double first = 0, second = 0;
  for (std::size_t k = 0; k < d; ++k) {
    first += sum[k] * sum[k];
    for (std::size_t l = 0; l <= k; ++l) second += (l == k ? 1 : 2) * product[k * d + l] * product[k * d + l];
  }
  const double count = static_cast<double>(n), pairs = count * (count - 1);
  EffectiveKeys r{};
  r.mean = r.rho = (first - count) / pairs;
  r.variance = (second - count) / pairs - r.mean * r.mean;
  if (!(r.variance > 1e-12) || !(r.rho < 1 - 1e-12))
    throw InputError(
        "the inner products are equal, as far as binary64 tells: no finite dimension is like that");
  r.m = (1 - r.rho) * (1 - r.rho) / r.variance;
  r.kappa = r.m / std::log(count);
  return r;
}

}  // namespace critscale::random
