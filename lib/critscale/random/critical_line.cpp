// The critical lines as curves: the two of a sphere of fixed dimension, and powers of ln n. [critical-b]
#include "critscale/random/critical_line.hpp"

#include "critscale/random/increasing_root.hpp"
#include "critscale/random/phases.hpp"

namespace critscale::random {

namespace {

/// The sphere's self line by u = -ln(1 - v^2): x = m (v/(1 + v) + u/2), b = m v e^u, b' = 1/(1 - v).
class SelfOnSphere final : public CriticalLine {
 public:
  explicit SelfOnSphere(Rational m) : m_(std::move(m)) {}
  LinePoint at(const Ball& u) const override {
    const Ball m(m_, u.precision()), v = sqrt(-expm1(-u)), e = exp(u);
    // v/(1 + v) and every factor rise with u.
    return {m * (1 - 1 / (1 + v) + u / 2), m * v * e, (1 + v) * e};
  }
  const char* name() const override { return "g_self"; }

 private:
  Rational m_;
};

/// The sphere's condensation line by u = 2/kappa: x = m u/2, b = g_cond x = m e^u sqrt(1 - e^-u).
class CondensedOnSphere final : public CriticalLine {
 public:
  explicit CondensedOnSphere(Rational m) : m_(std::move(m)) {}
  LinePoint at(const Ball& u) const override {
    const Ball m(m_, u.precision()), b = m * exp(u) * sqrt(-expm1(-u));
    return {m * u / 2, b, 2 * b / m * (1 + 1 / (2 * expm1(u)))};
  }
  const char* name() const override { return "g_cond"; }

 private:
  Rational m_;
};

/// b = C x^e, by u = x.
class PowerLine final : public CriticalLine {
 public:
  PowerLine(const char* name, Rational e, Parameter c, std::optional<Rational> squared = std::nullopt)
      : name_(name), e_(std::move(e)), c_(std::move(c)), squared_(std::move(squared)) {}
  LinePoint at(const Ball& u) const override {
    const Ball b = c_(u.precision()) * (e_ == 1 ? u : Ball(sqrt(u)));
    return {u, b, Ball(e_, u.precision()) * b / u};
  }
  std::optional<Rational> power() const override { return e_; }
  Ball coefficient(Bits bits) const override { return c_(bits); }
  std::optional<Rational> squared_coefficient() const override { return squared_; }
  const char* name() const override { return name_; }

 private:
  const char* name_;
  Rational e_;
  Parameter c_;
  std::optional<Rational> squared_;
};

}  // namespace

Ball CriticalLine::coefficient(Bits) const { throw Error("this line is no power of ln n"); }

Ball CriticalLine::solve(Ball LinePoint::*y, const Ball& goal, Bits bits) const {
  const auto f = [&](const Ball& u) { return at(u).*y - goal; };
  Ball lo(1, bits + 32), hi(1, bits + 32);
  while (!certainly(f(lo).is_negative())) lo = lo / 4;
  while (!certainly(f(hi).is_positive())) hi = 2 * hi;
  return increasing_root(f, lo, hi, bits);
}

Ball CriticalLine::parameter(const Ball& x, Bits bits) const {
  return power() ? x : solve(&LinePoint::x, x, bits);
}

Ball CriticalLine::place(const Ball& b, Bits bits) const {
  if (!power()) return at(solve(&LinePoint::b, b, bits)).x;
  const Ball ratio = b / coefficient(b.precision());
  return *power() == 1 ? ratio : Ball(sqr(ratio));
}

std::unique_ptr<CriticalLine> critical_line(const Keys& keys) {
  validate(keys);
  const KeyLaw law = keys.law;
  if (keys.kappa) {
    const Parameter kappa = [k = *keys.kappa](Bits bits) { return Ball(k, bits); };
    if (keys.aligned && (law == KeyLaw::sphere || *keys.kappa > 2))
      return std::make_unique<PowerLine>("g_self", Rational(1),
                                         [=](Bits bits) { return *self_line(law, kappa, bits); });
    return std::make_unique<PowerLine>("g_cond", Rational(1),
                                       [=](Bits bits) { return condensation_line(law, kappa, bits); });
  }
  const Rational m = keys.dimension ? *keys.dimension : Rational(1 / (*keys.sigma * *keys.sigma));
  if (law == KeyLaw::gaussian)
    return std::make_unique<PowerLine>(
        "g_cond", Rational(1, 2), [m](Bits bits) { return sqrt(Ball(Rational(2 * m), bits)); },
        Rational(2 * m));
  if (keys.aligned) return std::make_unique<SelfOnSphere>(m);
  return std::make_unique<CondensedOnSphere>(m);
}

}  // namespace critscale::random
