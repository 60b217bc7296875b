// The binary64 path against the Ball path: its enclosures contain every value, for every instruction set
// this processor has; and they are tight where the tokens are benign.
#include <catch2/catch.hpp>
#include <cmath>

#include "critscale/text/print.hpp"
#include "critscale/tokens/binary64/detail/layer.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "tokens/token_sets.hpp"

namespace {

using namespace token_test;

LayerRequest request_of(const TokenModel& model, const LogitScale& scale, const Rational& alpha,
                        const TokenOptions& options) {
  const Ball beta = token_beta(scale, model.tokens().n(), 128);
  return {beta, alpha, beta.is_zero() == Truth::yes, options};
}

void check_contained(const std::string& name, const Ball& rough, const Ball& fine) {
  INFO(name << ": binary64 [" << print(rough, 25).lo << ", " << print(rough, 25).hi << "], Ball ["
            << print(fine, 25).lo << ", " << print(fine, 25).hi << "]");
  CHECK((rough.contains(fine) || !rough.is_finite()));
}

void check_layer(const TokenModel& model, const TokenFacts& facts, const TokenDoubles& doubles,
                 const LogitScale& scale, const Rational& alpha) {
  TokenOptions options = everything(30);
  options.allow_binary64 = false;
  options.pairs = {{0, 1}, {2, 1}};
  TokenValues fine;
  try {
    fine = model.evaluate(scale, alpha, options);
  } catch (const Error&) {
    return;
  }
  const auto rough =
      evaluate_binary64(model.tokens(), facts, doubles, request_of(model, scale, alpha, options));
  if (!rough) return;
  const auto a = flat(*rough), b = flat(fine);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) check_contained(a[i].first, a[i].second, b[i].second);
  for (std::size_t p = 0; p < options.pairs.size(); ++p) {
    check_contained("pair input", rough->pairs[p].input, fine.pairs[p].input);
    check_contained("pair output", rough->pairs[p].output, fine.pairs[p].output);
  }
}

}  // namespace

TEST_CASE("binary64 enclosures contain the values of the Ball path") {
  for (const auto& [n, d, seed] : {std::tuple<std::size_t, std::size_t, unsigned>{5, 2, 1},
                                   {9, 3, 2},
                                   {17, 8, 3},
                                   {6, 40, 4},
                                   {40, 5, 5}})
    for (const NamedTokens& named : hard_token_sets(n, d, seed)) {
      const TokenModel model(named.tokens);
      const TokenFacts facts(named.tokens);
      for (const TokenKernels* kernels : token_kernels()) {
        const auto doubles = TokenDoubles::make(named.tokens, facts, *kernels);
        REQUIRE(doubles);
        INFO(kernels->instruction_set << ", " << named.name << " " << describe(named.tokens));
        const TokenGeometry rough = geometry_binary64(facts, *doubles), fine = model.geometry(30);
        check_contained("rho_min", rough.rho_min, fine.rho_min);
        check_contained("rho_max", rough.rho_max, fine.rho_max);
        check_contained("rho_mean", rough.rho_mean, fine.rho_mean);
        check_contained("threshold", *rough.first_threshold, *fine.first_threshold);
        REQUIRE(rough.last_threshold.has_value() == fine.last_threshold.has_value());
        if (fine.last_threshold) check_contained("threshold", *rough.last_threshold, *fine.last_threshold);
        for (const Rational& gamma : {Rational(0), Rational(1, 4), Rational(1), Rational(4), Rational(300)})
          for (const Rational& alpha : {Rational(0), Rational(2, 3)}) {
            INFO("gamma " << to_string(gamma) << " alpha " << to_string(alpha));
            check_layer(model, facts, *doubles, gamma_scale(gamma), alpha);
          }
      }
    }
}

TEST_CASE("tokens of several summation chunks, and fractions") {
  const TokenSet gaussian = gaussian_tokens(150, 140, Rational(1, 2), 3);
  std::vector<Rational> entries;
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t k = 0; k < 5; ++k)
      entries.emplace_back(static_cast<long>(7 * i * i + 3 * k * i) % 41 - 20, 7);
  for (const TokenSet& tokens : {gaussian, TokenSet(12, 5, entries)}) {
    const TokenModel model(tokens);
    const TokenFacts facts(tokens);
    for (const TokenKernels* kernels : token_kernels())
      check_layer(model, facts, *TokenDoubles::make(tokens, facts, *kernels), gamma_scale(Rational(3, 2)),
                  Rational(1, 7));
  }
}

TEST_CASE("binary64 without the products of all pairs, as for many tokens") {
  const TokenSet gaussian = gaussian_tokens(150, 12, Rational(1, 2), 3);
  std::vector<NamedTokens> sets{{"gaussian", gaussian}};
  for (const NamedTokens& named : hard_token_sets(40, 5, 5)) sets.push_back(named);
  for (const NamedTokens& named : sets) {
    const TokenModel model(named.tokens);
    const TokenFacts facts(named.tokens);
    for (const TokenKernels* kernels : token_kernels()) {
      const auto doubles = TokenDoubles::make(named.tokens, facts, *kernels, 0);
      REQUIRE(doubles);
      CHECK(doubles->K.empty());
      INFO(kernels->instruction_set << ", " << named.name << " " << describe(named.tokens));
      const TokenGeometry rough = geometry_binary64(facts, *doubles), fine = model.geometry(30);
      check_contained("rho_min", rough.rho_min, fine.rho_min);
      check_contained("rho_max", rough.rho_max, fine.rho_max);
      check_contained("rho_mean", rough.rho_mean, fine.rho_mean);
      const std::vector<RowGaps> gaps = gaps_binary64(facts, *doubles), right = model.gap_counting(30);
      for (std::size_t i = 0; i < gaps.size(); ++i) {
        REQUIRE(gaps[i].lambda.has_value() == right[i].lambda.has_value());
        if (right[i].lambda) check_contained("lambda", *gaps[i].lambda, *right[i].lambda);
      }
      for (const Rational& alpha : {Rational(0), Rational(2, 3)})
        check_layer(model, facts, *doubles, gamma_scale(Rational(3, 2)), alpha);
    }
  }
}

TEST_CASE("binary64 enclosures are tight on Gaussian tokens, nearly collinear ones included") {
  const GaussianDraw draw(512, 64, 11);
  for (const Rational& rho : {Rational(0), Rational(1, 2), Rational(19, 20)})
    for (const Rational& gamma : {Rational(1, 4), Rational(2)}) {
      const TokenSet tokens = draw.tokens(rho);
      const TokenModel model(tokens);
      const TokenFacts facts(tokens);
      const TokenOptions options = everything(6);
      const auto doubles = TokenDoubles::make(tokens, facts, *token_kernels().front());
      const auto v = evaluate_binary64(tokens, facts, *doubles,
                                       request_of(model, gamma_scale(gamma), Rational(0), options));
      REQUIRE(v);
      INFO("rho " << to_string(rho) << " gamma " << to_string(gamma));
      for (const auto& [name, x] : flat(*v)) {
        INFO(name << " " << x.accurate_bits() << " bits");
        CHECK(has_digits(x, 6));
      }
    }
}

TEST_CASE("the exponential is within 2^-50 of exp") {
  std::vector<double> x;
  for (int i = 0; i <= 20000; ++i) x.push_back(std::ldexp(i * 1.000123, i % 40 - 35));
  std::vector<double> y(x.size());
  for (const TokenKernels* kernels : token_kernels()) {
    kernels->exponentials(x.size(), 1.0, x.data(), y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Ball exact = exp(-Ball::exactly(x[i], 128)), error = abs(Ball::exactly(y[i], 128) - exact);
      const Ball allowed = scaled(exact, -50) + scaled(Ball(1, 128), -980);
      INFO(kernels->instruction_set << " exp(-" << x[i] << ") = " << y[i]);
      CHECK(certainly(less(error, allowed)));
    }
  }
}
