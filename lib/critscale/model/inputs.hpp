// From a configuration to what the evaluators need, written once for every Real: the logit scale,
// the decays exp(-beta (1 - r)), and differences formed from exact parameters. Uses lift.hpp,
// simplex.hpp and bands.hpp.
#pragma once

#include <utility>
#include <vector>

#include "critscale/model/bands.hpp"
#include "critscale/model/lift.hpp"
#include "critscale/model/simplex.hpp"

namespace critscale {

/// 1 - exp(-x) given x >= 0 and decay = exp(-x): through expm1, or by a subtraction where decay is
/// certainly small, so that nothing cancels either way.
template <class Real>
Real one_minus_decay(const Real& x, const Real&) {
  return -expm1(Real(-x));
}
inline Ball one_minus_decay(const Ball& x, const Ball& decay) {
  if (arb_is_finite(decay.raw()) && arf_cmpabs_2exp_si(arb_midref(decay.raw()), -1) < 0) return 1 - decay;
  return -expm1(-x);
}

/// The parameters of one configuration as Reals.
template <class Real>
class InputLift {
 public:
  InputLift(const Configuration& c, const Lift<Real>& lift)
      : c_(c), lift_(lift), n(lift(c.n)), d(lift(c.d)), log_n(lift.log(c.n)) {
    const std::size_t first = c.bands();
    beta = beta_of(c, lift, log_n);
    alpha = lift(Linear::parameter(c.alpha, first + 2));
    q = lift(Linear::parameter(c.q, first + 3));
    root_q = sqrt(q);
  }

  /// beta = coefficient (ln n)^power + offset.
  static Real beta_of(const Configuration& c, const Lift<Real>& lift, const Real& log_n) {
    const std::size_t first = c.bands();
    return power_of_log(c.scale.power, lift, log_n) * lift(Linear::parameter(c.scale.coefficient, first)) +
           lift(Linear::parameter(c.scale.offset, first + 1));
  }

  /// exp(-beta x) for a combination x of inner products with values in [0, 1].
  Real decay(const Linear& x) const {
    if constexpr (Lift<Real>::exact_powers) {
      const LogitScale& s = c_.scale;
      if (x.range.is_point() && s.coefficient.is_point() && s.offset.is_point() && s.power == 1) {
        const Real power = lift_.power(c_.n, Rational(-s.coefficient.lo * x.range.lo));
        if (s.offset.lo == 0) return power;
        return power * exp(lift_(Rational(-s.offset.lo * x.range.lo)));
      }
    }
    return exp(Real(-(beta * lift_(x))));
  }

 private:
  const Configuration& c_;
  const Lift<Real>& lift_;

 public:
  Real n, d, log_n, beta, alpha, q, root_q;

 private:
  /// (ln n)^k.
  static Real power_of_log(const Rational& k, const Lift<Real>& lift, const Real& log_n) {
    if (k == 1) return log_n;
    if (k == 0) return Real(1);
    if (k == Rational(1, 2)) return sqrt(log_n);
    return exp(Real(lift(k) * log(log_n)));
  }
};

template <class Real>
SimplexInputs<Real> simplex_inputs(const Configuration& c, const Lift<Real>& lift) {
  InputLift<Real> in(c, lift);
  const Linear rho = Linear::parameter(std::get<Simplex>(c.geometry).rho, 0);
  const Linear delta = Linear::constant(1) - rho;
  const Real delta_value = lift(delta), decay = in.decay(delta);
  return {in.n, in.d,      in.beta,  lift(rho),          delta_value,
          in.q, in.root_q, in.alpha, (in.n - 1) * decay, one_minus_decay<Real>(in.beta * delta_value, decay)};
}

template <class Real>
BandInputs<Real> band_inputs(const Configuration& c, const Lift<Real>& lift) {
  InputLift<Real> in(c, lift);
  const auto& bands = std::get<Bands>(c.geometry).bands;
  std::vector<Linear> r{Linear::constant(1)};
  for (std::size_t l = 0; l < bands.size(); ++l) r.push_back(Linear::parameter(bands[l].r, l));
  BandInputs<Real> out{in.d, in.beta, in.q, in.root_q, in.alpha, {}, {}, {}, {}, {}, {}, {}, {}};
  std::vector<Real> decay;
  for (std::size_t l = 0; l < r.size(); ++l) {
    const Linear depth = r[0] - r[l];
    out.size.push_back(l == 0 ? Real(1) : lift(bands[l - 1].size));
    out.count.push_back(l == 0 ? Real(1) : Real(out.size[l] - out.size[l - 1]));
    out.r.push_back(lift(r[l]));
    out.depth.push_back(lift(depth));
    out.drop.push_back(l + 1 < r.size() ? lift(r[l] - r[l + 1]) : lift(r[l]));
    out.tied.push_back(depth.range.hi == 0);
    decay.push_back(l == 0 ? Real(1) : in.decay(depth));
    out.odds.push_back(out.count[l] * decay[l]);
    if (l > 0) out.fall.push_back(one_minus_decay<Real>(in.beta * out.drop[l - 1], decay[l] / decay[l - 1]));
  }
  return out;
}

}  // namespace critscale
