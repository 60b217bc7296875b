// Many layers: iteration against explicit vectors, usefulness after 10^6 layers, fixed points, drift.
#include <catch2/catch.hpp>

#include <array>

#include "critscale/asymptotics/long_run.hpp"
#include "critscale/model/evaluate.hpp"
#include "critscale/model/layers.hpp"
#include "critscale/text/print.hpp"

using namespace critscale;

namespace {

using Tokens = std::vector<std::vector<Ball>>;
constexpr Bits bits = 400;

Ball dot(const std::vector<Ball>& a, const std::vector<Ball>& b) {
  Ball sum(0, bits);
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The layer by its definition ([layer]).
Tokens attention(const Tokens& x, const Ball& beta, const Rational& alpha) {
  Tokens y = x, out = x;
  for (auto& v : y) {
    const Ball norm = sqrt(dot(v, v));
    for (Ball& c : v) c /= norm;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<Ball> m(x[i].size(), Ball(0, bits));
    Ball Z(0, bits);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Ball e = exp(beta * dot(y[i], y[j]));
      Z += e;
      for (std::size_t c = 0; c < m.size(); ++c) m[c] += e * y[j][c];
    }
    for (std::size_t c = 0; c < m.size(); ++c) out[i][c] = m[c] / Z + Ball(alpha, bits) * x[i][c];
  }
  return out;
}

/// n vectors of squared norm q and inner product rho in dimension d >= n: sigma e_i + tau (1, ..., 1).
Tokens simplex_tokens(long n, long d, const Rational& rho, const Rational& q) {
  const Ball sigma = sqrt(Ball(Rational(1 - rho), bits));
  const Ball tau = (sqrt(Ball(Rational(1 - rho + n * rho), bits)) - sigma) / n, root_q = sqrt(Ball(q, bits));
  Tokens x(static_cast<std::size_t>(n), std::vector<Ball>(static_cast<std::size_t>(d), Ball(0, bits)));
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t c = 0; c < x.size(); ++c) x[i][c] = root_q * (c == i ? Ball(sigma + tau) : tau);
  return x;
}

/// Two clusters of two: inner products r inside, rho across.
Tokens banded_tokens(const Rational& r, const Rational& rho) {
  Tokens x(4, std::vector<Ball>(7, Ball(0, bits)));
  for (std::size_t i = 0; i < 4; ++i) {
    x[i][i] = sqrt(Ball(Rational(1 - r), bits));
    x[i][4 + i / 2] = sqrt(Ball(Rational(r - rho), bits));
    x[i][6] = sqrt(Ball(rho, bits));
  }
  return x;
}

LayerStack simplex_stack(const PowerProduct& n, const Rational& rho, const Rational& gamma,
                         const Rational& alpha = 0, const Rational& q = 1) {
  return {Simplex{{rho, rho}}, n, n, alpha, q, [n, gamma](Bits b) { return Ball(gamma, b) * log(n, b); }};
}

Ball one_minus_cosine(const Tokens& x, std::size_t i, std::size_t j) {
  return 1 - dot(x[i], x[j]) / sqrt(dot(x[i], x[i]) * dot(x[j], x[j]));
}

StackResult run(const LayerStack& s, std::vector<long> layers, long digits = 50, bool jacobian = false) {
  StackOptions o;
  o.digits = digits;
  o.jacobian = jacobian;
  return iterate(s, layers, o);
}

const Ball tiny(Rational(Integer(1), pow(Integer(10), 45)), 64);

}  // namespace

TEST_CASE("five layers agree with explicit vectors for n up to 8") {
  for (const long n : {2L, 3L, 5L, 8L})
    for (const Rational& alpha : {Rational(0), Rational(1, 3), Rational(2)})
      for (const Rational& rho : {Rational(1, 10), Rational(1, 3), Rational(9, 10)}) {
        const LayerStack s = simplex_stack(PowerProduct(n), rho, 3, alpha, Rational(5, 4));
        const StackResult r = run(s, {0, 1, 2, 3, 4, 5});
        Tokens x = simplex_tokens(n, n, rho, Rational(5, 4));
        for (const StackState& state : r.states) {
          INFO("n " << n << " alpha " << alpha << " rho " << rho << " layer " << state.layers);
          CHECK(overlaps(state.q, dot(x[0], x[0])));
          CHECK(overlaps(state.delta[0], one_minus_cosine(x, 0, 1)));
          CHECK(certainly(less(abs(state.delta[0] - one_minus_cosine(x, 0, 1)), tiny)));
          x = attention(x, s.beta(bits), alpha);
        }
      }
}

TEST_CASE("five banded layers agree with explicit vectors") {
  for (const Rational& alpha : {Rational(0), Rational(1, 2)}) {
    LayerStack s = simplex_stack(PowerProduct(4), Rational(1, 5), 2, alpha);
    s.geometry = Bands{{{{Rational(4, 5), Rational(4, 5)}, PowerProduct(2)},
                        {{Rational(1, 5), Rational(1, 5)}, PowerProduct(4)}}};
    s.d = PowerProduct(4);
    const StackResult r = run(s, {1, 2, 3, 4, 5});
    Tokens x = banded_tokens(Rational(4, 5), Rational(1, 5));
    for (const StackState& state : r.states) {
      x = attention(x, s.beta(bits), alpha);
      INFO("alpha " << alpha << " layer " << state.layers);
      CHECK(overlaps(state.q, dot(x[0], x[0])));
      CHECK(certainly(less(abs(state.delta[0] - one_minus_cosine(x, 0, 1)), tiny)));
      CHECK(certainly(less(abs(state.delta[1] - one_minus_cosine(x, 0, 2)), tiny)));
    }
  }
}

TEST_CASE("the composed Jacobian agrees with central differences for n up to 6, three layers") {
  const Bits h_bits = 120;
  const Ball h = scaled(Ball(1, bits), Integer(-h_bits));
  for (const auto& [n, d] : {std::pair{3L, 3L}, std::pair{4L, 6L}, std::pair{6L, 7L}})
    for (const Rational& alpha : {Rational(0), Rational(1, 3)}) {
      LayerStack s = simplex_stack(PowerProduct(n), Rational(1, 3), 2, alpha, Rational(5, 4));
      s.d = PowerProduct(d);
      const StackResult r = run(s, {1, 2, 3}, 30, true);
      const Ball beta = s.beta(bits);
      for (const StackState& state : r.states) {
        const Tokens start = simplex_tokens(n, d, Rational(1, 3), Rational(5, 4));
        const auto composed = [&](Tokens x) {
          for (long l = 0; l < state.layers; ++l) x = attention(x, beta, alpha);
          return x;
        };
        Ball sum(0, bits);
        for (std::size_t k = 0; k < start.size(); ++k)
          for (std::size_t c = 0; c < start[k].size(); ++c) {
            Tokens up = start, down = start;
            up[k][c] += h;
            down[k][c] -= h;
            up = composed(up);
            down = composed(down);
            for (std::size_t i = 0; i < up.size(); ++i)
              for (std::size_t e = 0; e < up[i].size(); ++e) sum += sqr((up[i][e] - down[i][e]) / (2 * h));
          }
        INFO("n " << n << " d " << d << " alpha " << alpha << " layers " << state.layers);
        CHECK(certainly(less(abs(sum / (n * d) - *state.jacobian_norm),
                             Ball(Rational(Integer(1), pow(Integer(10), 28)), 64))));
      }
    }
}

TEST_CASE("one layer's composed Jacobian is the layer's own, at any n and d") {
  for (const long exponent : {3L, 12L, 1000L}) {
    const PowerProduct n = PowerProduct::power(10, exponent);
    Configuration c{Simplex{{Rational(1, 3), Rational(1, 3)}},
                    n,
                    critical_scale({2, 2}),
                    {Rational(1, 5), Rational(1, 5)},
                    {Rational(3, 2), Rational(3, 2)},
                    n * PowerProduct(3)};
    LayerStack s = simplex_stack(n, Rational(1, 3), 2, Rational(1, 5), Rational(3, 2));
    s.d = c.d;
    const std::array<Quantity, 1> eta{Quantity::jacobian_norm};
    const Ball expected = certified(c, eta, 30).quantities[0].values[0];
    const Ball found = *run(s, {1}, 30, true).states[0].jacobian_norm;
    CHECK(overlaps(expected, found));
    CHECK(has_digits(found, 30));
  }
}

TEST_CASE("the composed Jacobian keeps its digits over thousands of layers without raising the precision") {
  StackOptions o;
  o.jacobian = true;
  o.max_bits = 400;
  const std::array<long, 1> layers{3000};
  const StackResult r = iterate(simplex_stack(PowerProduct::power(10, 12), Rational(1, 3), 3), layers, o);
  CHECK(has_digits(*r.states[0].jacobian_norm, 30));
}

TEST_CASE("enclosures stay useful over 10^6 layers and through collapse") {
  const LayerStack s = simplex_stack(PowerProduct::power(10, 6), Rational(1, 3), 3);
  const StackResult r = run(s, {50000, 54320, 1000000});
  // n^k/(2 rho delta gamma ln n) = 54286.8... layers: still apart before, merged after.
  CHECK(has_digits(r.states[0].delta[0], 50));
  CHECK(certainly(greater(r.states[0].delta[0], Ball(Rational(1, 2), 64))));
  REQUIRE(r.fixed_point);
  CHECK(r.fixed_point->layer > 50000);
  CHECK(r.fixed_point->layer < 60000);
  CHECK(r.fixed_point->q.contains(Rational(1)));
  CHECK(certainly(less(r.fixed_point->contraction, Ball(1))));
  const StackState& last = r.states[2];
  CHECK(has_digits(last.q, 50));
  CHECK(last.delta[0].contains_zero());
  CHECK(certainly(last.delta[0].is_nonnegative()));
  CHECK(has_digits(1 - last.delta[0], 50));
}

TEST_CASE("a residual below 1 ends at q = 1/(1-alpha)^2, one of 1 or more at no fixed point") {
  const StackResult r = run(simplex_stack(PowerProduct(1000), Rational(1, 3), 1, Rational(1, 2)), {2000}, 30);
  REQUIRE(r.fixed_point);
  CHECK(r.fixed_point->q.contains(Rational(4)));
  CHECK(r.states[0].q.contains(Rational(4)));
  const StackResult grows = run(simplex_stack(PowerProduct(1000), Rational(1, 3), 1, Rational(1)), {500}, 30);
  CHECK(!grows.fixed_point);
  CHECK(has_digits(grows.states[0].delta[0], 30));
}

namespace {

/// Iterates min(most, the layers the bound serves at n) layers and compares with the bound.
void check_drift(const PowerProduct& n, const Rational& rho, const Rational& gamma, const Rational& alpha,
                 long most) {
  const auto bound = long_run(rho, gamma, alpha, n, 128);
  REQUIRE(bound);
  REQUIRE(bound->phase == Phase::supercritical);
  const Rational served = bound->layers->lower().to_rational();
  const long L = std::min(most, static_cast<long>(numerator(served) / denominator(served)));
  REQUIRE(L >= 1);
  const Ball per_layer = bound->constant / value(pow(n, bound->exponent), 128);
  const StackResult r = run(simplex_stack(n, rho, gamma, alpha), {1, L}, 30);
  INFO("n " << n.to_string() << ", rho " << rho << ", gamma " << gamma << ", alpha " << alpha << ", L " << L);
  for (const StackState& state : r.states) {
    const Ball moved = Ball(Rational(1 - rho), 128) - state.delta[0];
    CHECK(certainly(moved.is_positive()));
    CHECK(certainly(less_equal(moved, per_layer * state.layers)));
    // The drift is real: without a residual at least a quarter of the bound.
    if (alpha == 0) CHECK(certainly(greater(4 * moved, per_layer * state.layers)));
  }
}

}  // namespace

TEST_CASE("supercritical drift stays below its explicit bound") {
  for (const long exponent : {4L, 6L, 9L})
    check_drift(PowerProduct::power(10, exponent), Rational(1, 3), 3, 0, 20000);
  check_drift(PowerProduct::power(10, 30), Rational(1, 2), Rational(5, 2), 0, 5000);
  check_drift(PowerProduct::power(10, 6), Rational(1, 3), 3, Rational(1, 2), 2000);
  check_drift(PowerProduct::power(10, 6), Rational(1, 10), 4, 2, 200);
}

TEST_CASE("supercritical drift stays below its explicit bound for 10^6 layers", "[.long]") {
  check_drift(PowerProduct::power(10, 9), Rational(1, 3), 3, 0, 1000000);
}

TEST_CASE("below the threshold every layer stays within the explicit bound of collapse") {
  for (const long exponent : {3L, 30L, 300L}) {
    const PowerProduct n = PowerProduct::power(10, exponent);
    const auto bound = long_run(Rational(1, 3), 1, 0, n, 1024);
    REQUIRE(bound);
    CHECK(bound->exponent == Rational(2, 3));
    const Ball most = bound->constant * value(pow(n, -bound->exponent), 1024);
    const StackResult r = run(simplex_stack(n, Rational(1, 3), 1), {1, 2, 3}, 250);
    for (const StackState& state : r.states) CHECK(certainly(less_equal(state.delta[0], most)));
    CHECK(certainly(greater(4 * r.states[0].delta[0], most)));
  }
}

TEST_CASE("where no long-run statement is made") {
  const PowerProduct n(1000);
  CHECK_FALSE(long_run(Rational(1, 3), Rational(3, 2), 0, n, 64));  // the threshold itself
  CHECK_FALSE(long_run(Rational(1, 3), 1, Rational(1, 2), n, 64));  // a residual below it
  CHECK_FALSE(long_run(Rational(0), Rational(1, 2), 0, n, 64));     // rho = 0 below it
  CHECK_FALSE(long_run(Rational(1, 3), Rational(8, 5), 0, n, 64));  // n too small for e n^-k < 1
  CHECK(long_run(Rational(1, 3), Rational(8, 5), 0, PowerProduct::power(10, 9), 64));
  CHECK_FALSE(long_run(Rational(1, 3), 3, 1, n, 64)->life);
}

TEST_CASE("the life of the supercritical phase is that of its formula") {
  // THEORY-layers, section 3: collapse within 4 % of n^k/(2 rho delta gamma ln n), and nearer as n grows.
  for (const auto& [exponent, percent] : {std::pair{4L, 4L}, {5L, 4L}, {6L, 3L}}) {
    const PowerProduct n = PowerProduct::power(10, exponent);
    const Ball life = *long_run(Rational(1, 3), 3, 0, n, 128)->life;
    const StackResult r = run(simplex_stack(n, Rational(1, 3), 3), {1000000}, 20);
    REQUIRE(r.fixed_point);
    const Ball ratio = r.fixed_point->layer / life;
    CHECK(certainly(less(abs(ratio - 1), Ball(Rational(percent, 100), 64))));
  }
}

TEST_CASE("small inner products at large n keep their digits") {
  struct Setting {
    Rational rho;
    long power;
    Rational gamma, alpha;
  };
  for (const Setting& c : {Setting{Rational(1, 10000), 4, 0, 0},
                           {Rational(1, 1000000), 6, 0, 0},
                           {Rational(1, 1000000000), 12, Rational(1, 10), 0},
                           {0, 50, 2, 0},
                           {0, 50, 0, Rational(1, 2)}}) {
    const PowerProduct n = PowerProduct::power(10, c.power);
    INFO("rho " << c.rho << ", n 10^" << c.power << ", gamma " << c.gamma << ", alpha " << c.alpha);
    const StackResult r = run(simplex_stack(n, c.rho, c.gamma, c.alpha), {1, 2, 30}, 30);
    Configuration one{Simplex{{c.rho, c.rho}}, n,      critical_scale({c.gamma, c.gamma}),
                      {c.alpha, c.alpha},      {1, 1}, n};
    const std::array quantities{Quantity::output_norm2, Quantity::inner_products};
    const Evaluation e = certified(one, quantities, 30);
    CHECK(overlaps(r.states[0].q, e.quantities[0].values[0]));
    CHECK(overlaps(r.states[0].inner_product(0), e.quantities[1].values[0]));
    CHECK(has_digits(r.states[0].inner_product(0), 30));
    for (const StackState& state : r.states) CHECK_FALSE(certainly(state.inner_product(0).is_negative()));
  }
}

TEST_CASE("bad stacks are refused") {
  LayerStack s = simplex_stack(PowerProduct(10), Rational(1, 3), 1);
  CHECK_THROWS_AS(run(s, {5, 1}), InputError);
  CHECK_THROWS_AS(run(s, {-1}), InputError);
  s.beta = [](Bits b) { return Ball(-1, b); };
  CHECK_THROWS_AS(run(s, {1}), InputError);
  s = simplex_stack(PowerProduct(2), Rational(1, 3), 1);
  CHECK_THROWS_AS(run(s, {1}, 30, true), InputError);
}
