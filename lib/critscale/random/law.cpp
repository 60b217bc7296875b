// psi and chi by moments. [laplace]
#include "critscale/random/law.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "critscale/random/detail/functions.hpp"

namespace critscale::random {

Ball WeightLaw::moment(const Ball& power) const {
  const Ball x = power * b;
  if (law == KeyLaw::sphere) return sphere_moment(m, x);
  return exp(sqr(x) / (2 * m) - x);
}

namespace {

class MomentSeries final : public Laplace {
 public:
  MomentSeries(const LawAt& law, Bits bits, double largest_t)
      : bits_(bits),
        largest_t_(static_cast<long>(largest_t) + 1, 64),
        // The terms add up to at most M_1 (e^t - 1), and psi(t) >= (1 - 1/e) M_1 min(t, 1).
        working_(bits + 24 + static_cast<Bits>(1.4427 * (largest_t + 2)) + guard(law(64))),
        w_(law(working_)) {}

  Bits argument_bits() const override { return working_; }
  double log_reach() const override { return rough_log(largest_t_); }

  Ball psi(const Ball& t) const override {
    // sum_k term_k, term_k = (-1)^(k+1) t^k M_k/k!.
    const Ball x = t.at(working_);
    return alternating(x, 1, x, min(x, Ball(1, 32)) * scaled_moment(1)).at(bits_);
  }

  Ball chi(const Ball& t) const override {
    const Ball x = t.at(working_);
    return alternating(x, 2, sqr(x), sqr(x) * exp(-x.at(64)) * scaled_moment(2)).at(bits_);
  }

 private:
  /// sum_(k>=0) (-1)^k t^k first/(k!) M_(k+offset) for chi (offset 2), and with (k+1)! for psi (offset 1).
  Ball alternating(const Ball& t, long offset, const Ball& first, const Ball& scale) const {
    // Larger t would need more bits than there are.
    if (!certainly(less(t, largest_t_))) return Ball::whole_line(bits_);
    Ball power = first, sum(0, working_);
    const Ball small = scaled(scale.at(64), Integer(-bits_ - 4));
    for (long k = 0;; ++k) {
      if (k > 0) power = power * t / (offset == 1 ? k + 1 : k);
      const Ball term = power * scaled_moment(k + offset);
      // Taylor polynomials of exp(-x), x >= 0, err by less than the first term left out.
      if (certainly(less(term, small)) || !term.is_finite()) return sum + within(term);
      if (k % 2 == 0)
        sum += term;
      else
        sum -= term;
    }
  }

  static Bits guard(const WeightLaw& w) {
    return static_cast<Bits>(std::max(0.0, 1.5 * rough_log(abs(w.b) + 1))) + 8;
  }

  /// M_k, kept.
  const Ball& scaled_moment(long k) const {
    while (moments_.size() <= static_cast<std::size_t>(k))
      moments_.push_back(w_.moment(Ball(static_cast<long>(moments_.size()), working_)));
    return moments_[static_cast<std::size_t>(k)];
  }

  Bits bits_;
  Ball largest_t_;
  Bits working_;
  WeightLaw w_;
  mutable std::vector<Ball> moments_;
};

}  // namespace

std::unique_ptr<Laplace> laplace_by_moments(const LawAt& law, Bits bits, double largest_t) {
  return std::make_unique<MomentSeries>(law, bits, largest_t);
}

}  // namespace critscale::random
