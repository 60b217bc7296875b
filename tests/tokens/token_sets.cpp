// Token sets for the tests.
#include "tokens/token_sets.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace token_test {

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// In [-1, 1].
  double unit() { return static_cast<double>(static_cast<std::int32_t>(engine_())) * 0x1p-31; }
  std::size_t below(std::size_t n) { return engine_() % n; }

 private:
  std::mt19937 engine_;
};

}  // namespace

std::vector<NamedTokens> hard_token_sets(std::size_t n, std::size_t d, unsigned seed) {
  Random random(seed);
  std::vector<NamedTokens> r;
  const auto add = [&](std::string name, auto&& entry) {
    std::vector<double> x(n * d);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < d; ++k) x[i * d + k] = entry(i, k);
    r.push_back({std::move(name), TokenSet(n, d, std::move(x))});
  };
  std::vector<double> base(d);
  for (double& b : base) b = 1 + 0.5 * random.unit();
  add("spread", [&](std::size_t, std::size_t) { return random.unit(); });
  add("near 1e-3", [&](std::size_t, std::size_t k) { return base[k] + 1e-3 * random.unit(); });
  add("near 1e-9", [&](std::size_t, std::size_t k) { return base[k] + 1e-9 * random.unit(); });
  std::vector<double> row;
  add("duplicates", [&](std::size_t i, std::size_t k) {
    if (k == 0 && i % 2 == 0) row.assign(d, 0);
    if (i % 2 == 0) row[k] = random.unit();
    return i % 2 == 0 ? row[k] : i % 4 == 1 ? 4 * row[k] : row[k];
  });
  add("badly scaled", [&](std::size_t i, std::size_t) {
    return std::ldexp(random.unit(), static_cast<int>(i * 7919 % 1200) - 600);
  });
  add("clusters", [&](std::size_t i, std::size_t k) {
    return (i % 3 == 0   ? base[k]
            : i % 3 == 1 ? -base[d - 1 - k]
                         : (k % 2 == 0 ? 1 : -1)) +
           1e-4 * random.unit();
  });
  return r;
}

LogitScale beta_scale(const Rational& beta) { return {{0, 0}, 0, {beta, beta}}; }

TokenOptions everything(long digits) {
  TokenOptions o;
  o.quantities.assign(token_quantities().begin(), token_quantities().end());
  o.digits = digits;
  return o;
}

std::vector<std::pair<std::string, Ball>> flat(const TokenValues& v) {
  std::vector<std::pair<std::string, Ball>> r{{"beta", v.beta}};
  const auto array = [&](const char* name, const std::vector<Ball>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) r.emplace_back(fmt::format("{}[{}]", name, i), values[i]);
  };
  array("log_partition", v.log_partition);
  array("self_weight", v.self_weight);
  array("output_norm2", v.output_norm2);
  array("participation", v.participation);
  array("entropy", v.entropy);
  if (v.inner_products) {
    r.emplace_back("inner_products.min", v.inner_products->min);
    r.emplace_back("inner_products.max", v.inner_products->max);
    r.emplace_back("inner_products.mean", v.inner_products->mean);
  }
  if (v.angle_ratio) r.emplace_back("angle_ratio", *v.angle_ratio);
  if (v.jacobian_norm) r.emplace_back("jacobian_norm", *v.jacobian_norm);
  return r;
}

std::string describe(const TokenSet& tokens) {
  std::string r = fmt::format("n = {}, d = {}:", tokens.n(), tokens.d());
  for (const double x : tokens.doubles()) r += fmt::format(" {:a}", x);
  return r.size() < 4000 ? r : r.substr(0, 4000) + "...";
}

}  // namespace token_test
