// The error bounds of THEORY-tokens.md under the worst rounding they allow. Real rounding errors are far
// below their bounds, so a bound that is too small would pass every other test: here the kernels are
// replaced by ones that add nine tenths of the error that is allowed to each result, in signs of several
// patterns. The enclosures must still contain the values of the Ball path.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "critscale/text/print.hpp"
#include "critscale/tokens/ball/detail/facts.hpp"
#include "critscale/tokens/binary64/detail/layer.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "tokens/token_sets.hpp"

namespace {

using namespace token_test;

constexpr double share = 0.9, u = 0x1p-53;

/// The pattern of signs: by row, by column, all alike, or scattered.
int pattern = 0;
/// How many evaluations the path did not refuse.
int evaluated = 0;

double sign(std::size_t i, std::size_t j) {
  switch (pattern) {
    case 0:
      return 1;
    case 1:
      return -1;
    case 2:
      return i % 2 == 0 ? 1 : -1;
    case 3:
      return j % 2 == 0 ? 1 : -1;
    default:
      return ((i * 2654435761U) ^ (j * 40503U)) >> 4 & 1 ? 1 : -1;
  }
}

const TokenKernels& base() { return *token_kernels().back(); }
double allowed(std::size_t terms) { return share * static_cast<double>(summation_height(terms)) * u; }

void times_transposed(MatrixView A, MatrixView B, double* C, std::size_t stride, double* scratch) {
  base().times_transposed(A, B, C, stride, scratch);
  for (std::size_t i = 0; i < A.rows; ++i)
    for (std::size_t j = 0; j < B.rows; ++j) {
      double size = 0;
      for (std::size_t k = 0; k < A.cols; ++k)
        size += std::fabs(A.data[i * A.stride + k] * B.data[j * B.stride + k]);
      C[i * stride + j] += sign(i, j) * allowed(A.cols) * size;
    }
}

void times(MatrixView A, MatrixView B, double* C, std::size_t stride, double* scratch) {
  base().times(A, B, C, stride, scratch);
  for (std::size_t i = 0; i < A.rows; ++i)
    for (std::size_t j = 0; j < B.cols; ++j) {
      double size = 0;
      for (std::size_t k = 0; k < A.cols; ++k)
        size += std::fabs(A.data[i * A.stride + k] * B.data[k * B.stride + j]);
      C[i * stride + j] += sign(i, j) * allowed(A.cols) * size;
    }
}

void quadratic_form(MatrixView A, MatrixView K, double* out, double* scratch) {
  base().quadratic_form(A, K, out, scratch);
  for (std::size_t i = 0; i < A.rows; ++i)
    out[i] *=
        1 + sign(i, 0) * share * static_cast<double>(3 * summation_chunk + 4 * summation_height(K.rows)) * u;
}

void exponentials(std::size_t n, double beta, const double* D, double* E) {
  base().exponentials(n, beta, D, E);
  // Its own error is below one unit in almost every case.
  for (std::size_t j = 0; j < n; ++j) E[j] *= 1 + sign(0, j) * 6 * u;
}

double sum(std::size_t n, const double* a) {
  double size = 0;
  for (std::size_t j = 0; j < n; ++j) size += std::fabs(a[j]);
  return base().sum(n, a) + sign(n, 0) * allowed(n) * size;
}

double dot(std::size_t n, const double* a, const double* b) {
  double size = 0;
  for (std::size_t j = 0; j < n; ++j) size += std::fabs(a[j] * b[j]);
  return base().dot(n, a, b) + sign(n, 1) * allowed(n) * size;
}

double deviations(std::size_t n, const double* A, const double* D, double mean, double* U, double* scratch) {
  return base().deviations(n, A, D, mean, U, scratch) * (1 + sign(n, 2) * allowed(n));
}

double distance2(std::size_t n, const double* a, const double* b) {
  return base().distance2(n, a, b) * (1 + sign(n, 3) * allowed(n));
}

void covariance(std::size_t n, std::size_t d, const double* A, const double* W, const double* c, double* C,
                double* scratch) {
  base().covariance(n, d, A, W, c, C, scratch);
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t l = 0; l < d; ++l) {
      double size = 0;
      for (std::size_t j = 0; j < n; ++j)
        size += A[j] * std::fabs((W[j * d + k] - c[k]) * (W[j * d + l] - c[l]));
      C[k * d + l] += sign(std::min(k, l), std::max(k, l)) * allowed(n) * size;
    }
}

TokenKernels worst_kernels() {
  TokenKernels k = base();
  k.times_transposed = times_transposed;
  k.times = times;
  k.quadratic_form = quadratic_form;
  k.exponentials = exponentials;
  k.sum = sum;
  k.dot = dot;
  k.deviations = deviations;
  k.distance2 = distance2;
  k.covariance = covariance;
  return k;
}

void check_contained(const std::string& name, const Ball& rough, const Ball& fine) {
  INFO(name << ": binary64 [" << print(rough, 25).lo << ", " << print(rough, 25).hi << "], Ball ["
            << print(fine, 25).lo << ", " << print(fine, 25).hi << "]");
  CHECK((rough.contains(fine) || !rough.is_finite()));
}

/// Every sum of every row ([token-jacobian]), and not only what they make together: a bound that is too
/// small may hide behind others.
void check_moments(const std::vector<TokenRow<Bounded>>& rough, const std::vector<TokenRow<Ball>>& fine) {
  REQUIRE(rough.size() == fine.size());
  for (std::size_t i = 0; i < fine.size(); ++i) {
    check_contained("rest", to_ball(rough[i].rest), fine[i].rest);
    check_contained("rest2", to_ball(rough[i].rest2), fine[i].rest2);
    check_contained("distance", to_ball(rough[i].distance), fine[i].distance);
    check_contained("distance_variance", to_ball(rough[i].distance_variance), fine[i].distance_variance);
    check_contained("spread", to_ball(rough[i].spread), fine[i].spread);
    check_contained("covariance2", to_ball(rough[i].covariance2), fine[i].covariance2);
    check_contained("image2", to_ball(rough[i].image2), fine[i].image2);
  }
}

void check_tokens(const std::string& name, const TokenSet& tokens, const Rational& gamma,
                  const Rational& alpha) {
  const TokenKernels kernels = worst_kernels();
  const TokenModel model(tokens);
  const TokenFacts facts(tokens);
  TokenOptions options = everything(45);
  options.allow_binary64 = false;
  const Ball beta = token_beta(gamma_scale(gamma), tokens.n(), 128);
  const auto fine = flat(model.evaluate(gamma_scale(gamma), alpha, options));
  std::vector<TokenRow<Ball>> fine_moments;
  std::size_t vanishing = 0;
  constexpr Bits bits = 400;
  evaluate_balls(TokenBalls(tokens, facts, bits),
                 {token_beta(gamma_scale(gamma), tokens.n(), bits), alpha, false, options}, vanishing,
                 &fine_moments);
  const TokenGeometry geometry = model.geometry(45);
  for (pattern = 0; pattern < 5; ++pattern) {
    INFO(name << " gamma " << to_string(gamma) << " alpha " << to_string(alpha) << " pattern " << pattern);
    const auto doubles = TokenDoubles::make(tokens, facts, kernels);
    std::vector<TokenRow<Bounded>> moments;
    const auto rough = evaluate_binary64(tokens, facts, *doubles, {beta, alpha, false, options}, &moments);
    if (!rough) continue;
    check_moments(moments, fine_moments);
    ++evaluated;
    const auto values = flat(*rough);
    REQUIRE(values.size() == fine.size());
    for (std::size_t i = 0; i < fine.size(); ++i)
      check_contained(values[i].first, values[i].second, fine[i].second);
    const TokenGeometry g = geometry_binary64(facts, *doubles);
    check_contained("rho_min", g.rho_min, geometry.rho_min);
    check_contained("rho_max", g.rho_max, geometry.rho_max);
    check_contained("rho_mean", g.rho_mean, geometry.rho_mean);
  }
}

}  // namespace

TEST_CASE("the bounds hold under the worst rounding they allow") {
  for (const NamedTokens& named : hard_token_sets(24, 6, 12)) {
    check_tokens(named.name, named.tokens, Rational(1, 2), 0);
    check_tokens(named.name, named.tokens, Rational(3), Rational(1, 3));
  }
  // Few tokens: few bounds add up, so that each of them counts.
  for (unsigned seed = 0; seed < 12; ++seed)
    for (const NamedTokens& named : hard_token_sets(2 + seed % 3, 2 + seed % 2, seed)) {
      const TokenFacts facts(named.tokens);
      if (facts.collinear || facts.all_tied) continue;
      check_tokens(named.name, named.tokens, Rational(1 + seed % 4 * 3, 2), Rational(seed % 2));
    }
  check_tokens("Gaussian", gaussian_tokens(140, 130, Rational(1, 2), 8), Rational(1, 4), 0);
  check_tokens("nearly collinear Gaussian", gaussian_tokens(60, 20, Rational(99, 100), 9), Rational(2), 0);
  CHECK(evaluated > 300);
}
