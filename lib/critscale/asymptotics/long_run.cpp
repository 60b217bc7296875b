// Drift and collapse over many layers. Uses long_run.hpp.
#include "critscale/asymptotics/long_run.hpp"

#include "critscale/number/exact.hpp"

namespace critscale {

namespace {

/// C = 2 e delta R/(1-mu)^2 with R = rho + eta + 1/(N-1), mu = e N^-k N/(N-1), eta = 1/(gamma ln N).
std::optional<LongRun> drift(const Rational& rho, const Rational& gamma, const Rational& alpha,
                             const PowerProduct& N, Bits bits) {
  const Rational k = gamma * (1 - rho) - 1;
  const Ball n = value(N, bits), power = value(pow(N, k), bits), gamma_log = Ball(gamma, bits) * log(N, bits);
  const Ball e = exp(Ball(1, bits)), delta(Rational(1 - rho), bits);
  const Ball room = 1 - e * n / (power * (n - 1));
  if (!certainly(room.is_positive())) return std::nullopt;
  const Ball R = Ball(rho, bits) + 1 / gamma_log + 1 / (n - 1);
  LongRun r{Phase::supercritical, k, 2 * e * delta * R / sqr(room), std::nullopt, std::nullopt};
  r.layers = power / (gamma_log * r.constant);
  if (alpha == 0 && rho > 0) r.life = power / (2 * Ball(rho, bits) * delta * gamma_log);
  return r;
}

/// C = ((1-rho)/rho) (N/(N-1))^2.
LongRun collapse(const Rational& rho, const Rational& gamma, const PowerProduct& N, Bits bits) {
  const Ball n = value(N, bits);
  return {Phase::subcritical, 2 * (1 - gamma * (1 - rho)),
          Ball(Rational((1 - rho) / rho), bits) * sqr(Ball(n / (n - 1))), std::nullopt, std::nullopt};
}

}  // namespace

std::optional<LongRun> long_run(const Rational& rho, const Rational& gamma, const Rational& alpha,
                                const PowerProduct& N, Bits bits) {
  const Rational ratio = gamma * (1 - rho);
  if (ratio > 1) return drift(rho, gamma, alpha, N, bits);
  if (ratio == 1 || alpha != 0 || rho == 0) return std::nullopt;
  return collapse(rho, gamma, N, bits);
}

}  // namespace critscale
