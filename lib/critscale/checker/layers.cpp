// Many layers on a simplex: drift above the threshold and collapse below it ([drift], [collapse]). Uses
// claims.hpp and intervals.hpp.
#include "critscale/checker/detail/layers.hpp"

#include "critscale/checker/detail/intervals.hpp"

namespace critscale::checker {
namespace {

/// 2 e delta R/(1-mu)^2, which rises with rho's upper end and 1 - its lower end, and falls in gamma and n.
Interval drift_constant(const RationalBox& rho, const Rational& ratio, const Rational& N) {
  const Interval t = log(Interval(N, bits)), e = exp(Interval(1, bits)), depth(Rational(1 - rho.lo), bits);
  const Interval mu =
      exp(1 - Interval(Rational(ratio - 1), bits) * t) * Interval(Rational(N / (N - 1)), bits);
  require(certainly(less(mu, Interval(1, bits))), "N is too small: e n^-k n/(n-1) is not below 1");
  const Interval R = Interval(Rational(rho.hi + 1 / (N - 1)), bits) + depth / (Interval(ratio, bits) * t);
  return 2 * (e * (depth * R)) / sqr(1 - mu);
}

}  // namespace

void check_layers(const std::string& theorem, const json& claim, const json& evidence) {
  require(theorem == "layers", "a claim about many layers belongs to theorem layers");
  require(evidence == json{{"method", "evaluation"}}, "the evidence is not the evaluation");
  const bool drift = text(claim, "bound") == "drift";
  require(drift || text(claim, "bound") == "collapse", "the bound is neither drift nor collapse");
  std::vector<std::string> keys{"bound", "rho", "N", "C"};
  if (drift) keys.emplace_back("gamma_ratio");
  require_keys(claim, keys, "the claim");
  const RationalBox rho = range(claim, "rho");
  const Rational N = small_number(claim, "N");
  require(rho.lo > 0 && rho.hi < 1 && N >= 2, "many layers need 0 < rho < 1 and N >= 2");
  Interval least(Rational((1 - rho.lo) / rho.lo * N / (N - 1) * N / (N - 1)), bits);
  if (drift) {
    const Rational ratio = small_number(claim, "gamma_ratio");
    require(ratio > 1, "there is no bounded drift but above the threshold, gamma*(1-rho) > 1");
    least = drift_constant(rho, ratio, N);
  }
  require(certainly(less_equal(least, Interval(small_number(claim, "C"), bits))),
          fmt::format("C is too small: {:.6g} is proved", roughly_above(least)));
}

}  // namespace critscale::checker
