// Uses rates.hpp.
#include "critscale/proof/rates.hpp"

namespace critscale {
namespace {

Ball at_point(const Rational& kappa, long j, const Ball& tau) {
  Ball power = exp(-(Ball(kappa, tau.precision()) * tau));
  return j == 0 ? power : power * pow(tau, Integer(j));
}

/// The supremum over tau at one kappa; nothing when it is infinite.
std::optional<Ball> supremum(const Rational& kappa, long j, const LogRange& tau) {
  if (j <= 0 && kappa >= 0) return at_point(kappa, j, tau.lo);
  if (j <= 0) {
    // tau^j falls and exp(-kappa tau) rises: bound each factor at its own end.
    if (!tau.hi) return std::nullopt;
    return at_point(kappa, 0, *tau.hi) * (j == 0 ? Ball(1) : pow(tau.lo, Integer(j)));
  }
  if (kappa <= 0) {
    if (!tau.hi) return std::nullopt;
    return at_point(kappa, j, *tau.hi);
  }
  const Ball peak = Ball(Rational(Rational(j) / kappa), tau.lo.precision());
  if (certainly(less_equal(peak, tau.lo))) return at_point(kappa, j, tau.lo);
  if (tau.hi && certainly(less_equal(*tau.hi, peak))) return at_point(kappa, j, *tau.hi);
  return at_point(kappa, j, peak);
}

}  // namespace

Ball power_log(const ExponentRange& kappa, long j, const LogRange& tau) {
  const Bits bits = tau.lo.precision();
  const std::optional<Ball> upper = supremum(kappa.lo, j, tau);
  if (!upper) return Ball::whole_line(bits);
  // For fixed kappa the function of tau is monotone or has one maximum (one minimum only where
  // j < 0 and kappa < 0, where 0 serves): its infimum is at an end.
  Ball lower(0, bits);
  if (kappa.hi && !(j < 0 && *kappa.hi < 0)) {
    const Ball left = at_point(*kappa.hi, j, tau.lo);
    if (tau.hi) {
      lower = min(left, at_point(*kappa.hi, j, *tau.hi));
    } else if (*kappa.hi == 0 && j >= 0) {
      lower = left;
    }
  }
  return hull(lower, *upper);
}

}  // namespace critscale
