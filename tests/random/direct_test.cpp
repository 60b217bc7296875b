// A third route to expectations over few keys, or few dimensions, that knows neither transforms nor moments:
// sums over all n keys on a grid of Gauss nodes (m = 2, 3), and m = 3 by exponential integrals at any n.
#include <catch2/catch.hpp>

#include <array>
#include <tuple>

#include "critscale/number/detail/flint_special.hpp"
#include "critscale/random/detail/functions.hpp"
#include "critscale/random/transitions.hpp"
#include "random/support.hpp"

namespace critscale::random {

namespace {

constexpr Bits direct_bits = 160;

/// Nodes and weights with sum 1 for the law of v: Gauss-Chebyshev for m = 2, Gauss-Legendre for m = 3.
struct Grid {
  std::vector<Ball> v, weight;
};
Grid grid(long m, long size) {
  Grid g;
  for (long k = 0; k < size; ++k) {
    Ball v(0, direct_bits), weight = 1 / Ball(size, direct_bits);
    if (m == 2) {
      v = cos((2 * k + 1) * pi(direct_bits) / (2 * size));
    } else {
      arb_hypgeom_legendre_p_ui_root(v.raw(), weight.raw(), static_cast<ulong>(size), static_cast<ulong>(k),
                                     direct_bits);
      weight = weight / 2;
    }
    g.v.push_back(v);
    g.weight.push_back(weight);
  }
  return g;
}

/// E A_ii, E A_ii^2, E ln Z and E sum A^2 (the first two 0 without an aligned key) over n <= 4 keys.
using Four = std::array<Ball, 4>;
Four direct(long m, long n, bool aligned, const Ball& b, long size) {
  const Grid g = grid(m, size);
  std::vector<Ball> w;
  for (const Ball& v : g.v) w.push_back(exp(b * (v - 1)));
  const Ball zero(0, direct_bits);
  Four total{zero, zero, zero, zero};
  // All choices of the independent keys, each in the number of its orders: choice i that repeats the r - 1
  // before it multiplies that number by i/r.
  const long keys = aligned ? n - 1 : n;
  const auto choose = [&](auto&& self, long chosen, std::size_t from, long repeats, const Ball& weight,
                          const Ball& sum, const Ball& squares) -> void {
    if (chosen == keys) {
      const Ball own = aligned ? Ball(1 / sum) : zero;
      total[0] += weight * own;
      total[1] += weight * sqr(own);
      total[2] += weight * (b + log(sum));
      total[3] += weight * squares / sqr(sum);
      return;
    }
    for (std::size_t k = from; k < w.size(); ++k) {
      const long r = k == from ? repeats + 1 : 1;
      self(self, chosen + 1, k, r, weight * g.weight[k] * (chosen + 1) / r, sum + w[k], squares + sqr(w[k]));
    }
  };
  const Ball own(aligned ? 1 : 0, direct_bits);
  choose(choose, 0, 0, 0, Ball(1, direct_bits), own, own);
  return total;
}

const std::vector<Expectation> four{Expectation::self_weight, Expectation::self_weight2,
                                    Expectation::log_partition, Expectation::collision};

/// E A_ii for m = 3 and n keys: v is uniform, phi = (E1(t e^(-2 b)) - E1(t))/(2 b) in closed form, and E A_ii
/// is the integral of t e^(-t) phi^(n-1) over ln t, whose sums in steps of 1/16 err by about e^(-157).
Ball elementary_self_weight(long n, const Ball& b) {
  constexpr Bits bits = 256;
  const auto expint = [](const Ball& x) {
    Ball r(0, bits);
    arb_hypgeom_expint(r.raw(), Ball(1, bits).raw(), x.raw(), bits);
    return r;
  };
  Ball euler(0, bits), sum(0, bits);
  arb_const_euler(euler.raw(), bits);
  const Ball two_b = 2 * b.at(bits);
  for (long k = -16 * 75; k <= 16 * 5; ++k) {
    const Ball log_t = Ball(k, bits) / 16, t = exp(log_t);
    // E1(z) = -gamma - ln z + O(z), here z < e^(-400).
    const Ball high = rough(b) < 250 ? expint(t * exp(-two_b)) : Ball(two_b - log_t - euler);
    sum += exp(log_t - t + (n - 1) * log((high - expint(t)) / two_b)) / 16;
  }
  return sum;
}

}  // namespace

TEST_CASE("random: two, three and four keys by sums over all of them, m = 2 and 3") {
  const Ball tolerance = scaled(Ball(1, 64), Integer(-60));
  for (const long m : {2L, 3L})
    for (const auto& [n, aligned, small, large] : std::vector<std::tuple<long, bool, long, long>>{
             {2, true, 36, 40}, {3, true, 30, 34}, {4, true, 22, 25}, {2, false, 30, 34}, {3, false, 22, 25}})
      for (const char* beta : {"1/2", "2"}) {
        INFO("m = " << m << ", n = " << n << ", aligned " << aligned << ", b = " << beta);
        const Row r = row(sphere(std::to_string(m), aligned), std::to_string(n), beta);
        const Ball b(parse_rational(beta), direct_bits);
        const Four sums = direct(m, n, aligned, b, small), again = direct(m, n, aligned, b, large);
        const std::size_t first = aligned ? 0 : 2;
        const std::vector<Ball> values =
            expectations(r, {four.begin() + static_cast<std::ptrdiff_t>(first), four.end()}, 80);
        for (std::size_t i = first; i < four.size(); ++i) {
          INFO(name(four[i]));
          const Ball& value = values[i - first];
          CHECK(certainly(less(abs(sums[i] - again[i]), tolerance)));
          CHECK(certainly(less(abs(value - again[i]), tolerance)));
        }
      }
}

TEST_CASE("random: the transition of three keys in the plane is where the sum over both others says") {
  const PowerProduct n(3);
  const Ball g = self_transition(sphere("2"), n, 15), b = (g * log(n, 160)).center();
  const Ball self = direct(2, 3, true, b, 80)[0], half(Rational(1, 2), 64);
  CHECK(certainly(less(abs(self - half), scaled(Ball(1, 64), Integer(-45)))));
  // E w = e^(-b) I_0(b).
  const Ball annealed = annealed_transition(sphere("2"), PowerProduct(1000), 15);
  const Ball at = annealed * log(PowerProduct(1000), 160);
  Ball bessel(0, 160);
  arb_hypgeom_bessel_i_scaled(bessel.raw(), Ball(0, 160).raw(), at.raw(), 160);
  CHECK((999 * bessel).contains(Ball(1, 160)));
}

TEST_CASE("random: m = 3 by exponential integrals, at any number of keys and at the transition") {
  const Ball tolerance = scaled(Ball(1, 64), Integer(-80));
  for (const auto& [n, beta] : std::vector<std::pair<long, const char*>>{
           {10, "4"}, {1000, "500"}, {1000000, "300000"}, {1000000, "1000"}}) {
    INFO("n = " << n << ", b = " << beta);
    const Ball direct = elementary_self_weight(n, Ball(parse_rational(beta), 256));
    CHECK(direct.accurate_bits() > 90);
    const Ball value = one(row(sphere("3"), std::to_string(n), beta), Expectation::self_weight);
    CHECK(certainly(less(abs(direct - value), tolerance)));
  }
  const PowerProduct n(1000000);
  const Ball b = (self_transition(sphere("3"), n, 15) * log(n, 256)).center();
  const Ball off = elementary_self_weight(1000000, b) - Ball(Rational(1, 2), 256);
  CHECK(certainly(less(abs(off), scaled(Ball(1, 64), Integer(-45)))));
}

}  // namespace critscale::random
