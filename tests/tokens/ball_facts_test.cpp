// Explicit tokens in Ball arithmetic: against the Gram form (other formulas), against the symmetric
// geometries, and laws.
#include <catch2/catch.hpp>

#include "critscale/layer/detail/gram.hpp"
#include "critscale/text/print.hpp"
#include "critscale/tokens/ball/detail/extremes.hpp"
#include "number/random_intervals.hpp"
#include "tokens/token_sets.hpp"

namespace {

using namespace token_test;

/// The formulas of [jacobian] as they stand, at many bits.
GramLayer<Ball> gram_layer(const TokenModel& model, const LogitScale& scale, const Rational& alpha,
                           Bits bits) {
  const TokenSet& t = model.tokens();
  GramInputs<Ball> in{SquareMatrix<Ball>(t.n()), {},
                      Ball(t.d(), bits),         token_beta(scale, t.n(), bits),
                      Ball(alpha, bits),         SquareMatrix<bool>(t.n())};
  const auto product = [&](std::size_t i, std::size_t j) {
    Ball sum(0, bits);
    for (std::size_t k = 0; k < t.d(); ++k) sum += t.entry(i, k, bits) * t.entry(j, k, bits);
    return sum;
  };
  for (std::size_t i = 0; i < t.n(); ++i) in.norm.push_back(sqrt(product(i, i)));
  for (std::size_t i = 0; i < t.n(); ++i)
    for (std::size_t j = 0; j < t.n(); ++j) {
      in.tied(i, j) = model.tied(i, j);
      in.G(i, j) = in.tied(i, j) ? Ball(1, bits) : product(i, j) / (in.norm[i] * in.norm[j]);
    }
  return GramLayer<Ball>(std::move(in));
}

void check_overlap(const std::string& what, const Ball& a, const Ball& b) {
  INFO(what << ": " << print(a, 25).lo << " .. " << print(a, 25).hi << " against " << print(b, 25).lo
            << " .. " << print(b, 25).hi);
  CHECK(overlaps(a, b));
}

}  // namespace

TEST_CASE("explicit tokens agree with the Gram form of theory 1.1 at 700 bits") {
  for (unsigned seed = 1; seed <= 2; ++seed)
    for (const NamedTokens& named : hard_token_sets(5 + seed, 1 + seed, seed))
      for (const Rational& alpha : {Rational(0), Rational(1, 3)}) {
        INFO(named.name << " " << describe(named.tokens) << " alpha " << to_string(alpha));
        const TokenModel model(named.tokens);
        const LogitScale scale = gamma_scale(Rational(7, 5));
        const TokenValues v = model.evaluate(scale, alpha, everything(40));
        const GramLayer<Ball> gram = gram_layer(model, scale, alpha, 700);
        for (std::size_t i = 0; i < named.tokens.n(); ++i) {
          check_overlap("log_partition", v.log_partition[i], gram.log_partition(i));
          check_overlap("self_weight", v.self_weight[i], gram.self_weight(i));
          check_overlap("output_norm2", v.output_norm2[i], gram.output_norm2(i));
          check_overlap("participation", v.participation[i], gram.participation(i));
          check_overlap("entropy", v.entropy[i], gram.entropy(i));
          CHECK(has_digits(v.entropy[i], 40));
        }
        check_overlap("angle_ratio", *v.angle_ratio, gram.angle_ratio());
        check_overlap("jacobian_norm", *v.jacobian_norm, gram.jacobian_norm());
        CHECK(has_digits(*v.angle_ratio, 40));
        CHECK(has_digits(*v.jacobian_norm, 40));
        Ball low(1, 64), high(-1, 64), sum(0, 64);
        for (std::size_t i = 0; i < named.tokens.n(); ++i)
          for (std::size_t j = 0; j < i; ++j) {
            const Ball c = gram.inner_product(i, j);
            low = min(low, c);
            high = max(high, c);
            sum += c;
          }
        check_overlap("min", v.inner_products->min, low);
        check_overlap("max", v.inner_products->max, high);
        check_overlap("mean", v.inner_products->mean, sum / (named.tokens.n() * (named.tokens.n() - 1) / 2));
      }
}

TEST_CASE("orthogonal tokens are the simplex with rho = 0") {
  // Tokens e_1..e_4.
  std::vector<double> x(16);
  for (std::size_t i = 0; i < 4; ++i) x[5 * i] = 2;
  const TokenModel model(TokenSet(4, 4, x));
  const TokenGeometry g = model.geometry(30);
  CHECK(g.rho_min.is_zero() == Truth::yes);
  CHECK(g.rho_max.is_zero() == Truth::yes);
  CHECK(g.rho_mean.is_zero() == Truth::yes);
  CHECK(print_value(*g.first_threshold, 30) == "1");
  for (const Rational& alpha : {Rational(0), Rational(1, 2)}) {
    const TokenValues v = model.evaluate(gamma_scale(Rational(3, 2)), alpha, everything(30));
    const Configuration c{Simplex{{0, 0}}, PowerProduct(4), gamma_scale(Rational(3, 2)),
                          {alpha, alpha},  {4, 4},          PowerProduct(4)};
    const Evaluation e = certified(c, all_quantities(), 30);
    const auto exact = [&](Quantity q) { return e.quantities[static_cast<std::size_t>(q)].values[0]; };
    check_overlap("inner_products", v.inner_products->min, exact(Quantity::inner_products));
    check_overlap("inner_products", v.inner_products->max, exact(Quantity::inner_products));
    check_overlap("angle_ratio", *v.angle_ratio, exact(Quantity::angle_ratio));
    check_overlap("jacobian_norm", *v.jacobian_norm, exact(Quantity::jacobian_norm));
    for (std::size_t i = 0; i < 4; ++i) {
      check_overlap("log_partition", v.log_partition[i], exact(Quantity::log_partition));
      check_overlap("output_norm2", v.output_norm2[i], exact(Quantity::output_norm2));
      check_overlap("participation", v.participation[i], exact(Quantity::participation));
    }
  }
}

TEST_CASE("bands realised as vectors have the values of the closed forms") {
  // x_i = e_i + 2 f_(pair of i) + 2 g, all of these orthonormal: |x_i|^2 = 9, inner products of the
  // directions 8/9 within a pair and 4/9 across.
  constexpr std::size_t n = 6, d = n + n / 2 + 1;
  std::vector<double> x(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    x[i * d + i] = 1;
    x[i * d + n + i / 2] = 2;
    x[i * d + d - 1] = 2;
  }
  const TokenModel model(TokenSet(n, d, x));
  for (const Rational& gamma : {Rational(0), Rational(1), Rational(3), Rational(40)})
    for (const Rational& alpha : {Rational(0), Rational(1, 2)}) {
      const auto side = [](const Rational& v) { return RationalBox{v, v}; };
      const Configuration c{
          Bands{{{side(Rational(8, 9)), PowerProduct(2)}, {side(Rational(4, 9)), PowerProduct(n)}}},
          PowerProduct(n),
          gamma_scale(gamma),
          side(alpha),
          side(9),
          PowerProduct(d)};
      const Evaluation e = certified(c, all_quantities(), 40);
      const auto exact = [&](Quantity q, std::size_t b = 0) {
        return e.quantities[static_cast<std::size_t>(q)].values[b];
      };
      // Ball arithmetic, and binary64 with its bounds.
      for (const long digits : {30L, 8L}) {
        INFO("gamma " << gamma << ", alpha " << alpha << ", digits " << digits);
        TokenOptions options = everything(digits);
        options.pairs = {{0, 1}, {0, 2}};
        const TokenValues v = model.evaluate(gamma_scale(gamma), alpha, options);
        for (std::size_t i = 0; i < n; ++i) {
          check_overlap("log_partition", v.log_partition[i], exact(Quantity::log_partition));
          check_overlap("self_weight", v.self_weight[i], exact(Quantity::self_weight));
          check_overlap("output_norm2", v.output_norm2[i], exact(Quantity::output_norm2));
          check_overlap("participation", v.participation[i], exact(Quantity::participation));
          check_overlap("entropy", v.entropy[i], exact(Quantity::entropy));
        }
        check_overlap("inner_products[0]", v.pairs[0].output, exact(Quantity::inner_products, 0));
        check_overlap("inner_products[1]", v.pairs[1].output, exact(Quantity::inner_products, 1));
        check_overlap("angle_ratio", *v.angle_ratio, exact(Quantity::angle_ratio));
        check_overlap("jacobian_norm", *v.jacobian_norm, exact(Quantity::jacobian_norm));
        CHECK(has_digits(*v.jacobian_norm, digits));
      }
    }
}

TEST_CASE("extremes: doubles pass over nothing that counts", "[tokens]") {
  critscale::test::Random random(5);
  for (int set = 0; set < 300; ++set) {
    Ball low(1000000, 128), high(-1000000, 128);
    Dyadic min_lower = low.lower(), min_upper = low.upper(), max_lower = high.lower(),
           max_upper = high.upper();
    BallExtremes extremes(low, high);
    // Numbers that differ by less than a double tells, with radii, and some beyond the range of doubles.
    for (int at = 0; at < 30; ++at) {
      Ball x = Ball(random.below(7) - 3, 128) + Ball(random.below(2001) - 1000, 128) / (1L << 62);
      if (random.below(3) == 0)
        arb_add_error_2exp_si(x.raw(), random.below(2) == 0 ? -58 : -random.below(300) - 1);
      if (random.below(40) == 0) arb_mul_2exp_si(x.raw(), x.raw(), random.below(2) == 0 ? 2000 : -2000);
      extremes.look(x);
      low = min(std::move(low), x);
      high = max(std::move(high), x);
      min_lower = std::min(min_lower, x.lower());
      min_upper = std::min(min_upper, x.upper());
      max_lower = std::max(max_lower, x.lower());
      max_upper = std::max(max_upper, x.upper());
    }
    const Ball &least = extremes.min_value(), &most = extremes.max_value();
    CHECK((least.lower() <= min_lower && min_upper <= least.upper()));
    CHECK((most.lower() <= max_lower && max_upper <= most.upper()));
    // As narrow, but for the rounding of radii, which have 30 bits.
    const auto wide = [](const Ball& x) {
      return Ball::exactly(x.upper(), 4200) - Ball::exactly(x.lower(), 4200);
    };
    const auto no_wider = [&](const Ball& x, const Ball& than) {
      return certainly(less_equal(wide(x), wide(than) + scaled(wide(than), -20)));
    };
    CHECK((no_wider(least, low) && no_wider(most, high)));
  }
}
