// Schedules as functions of x = ln n, from what their laws state.
#include "critscale/schedules/curve.hpp"

#include <fmt/format.h>

#include <utility>

#include "critscale/number/precision.hpp"
#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

/// The logit factor times a multiplier, constant up to its kink.
class FormulaCurve final : public ScheduleCurve {
 public:
  explicit FormulaCurve(const Schedule& s) : s_(s), m_(s.law->curve(s)) {}

  Ball at(const Ball& x) const override {
    return factor(x.precision()) * m_.value(m_.kink ? max(x, log(*m_.kink, x.precision())) : x);
  }

  Ball slopes(const Ball& lo, const Ball& hi) const override {
    if (!m_.kink) return hull(slope(lo), slope(hi));
    const Ball turn = log(*m_.kink, lo.precision());
    const Ball beyond = hull(slope(max(lo, turn)), slope(max(hi, turn)));
    if (certainly(less(turn, lo))) return beyond;
    return certainly(less(hi, turn)) ? Ball(0, lo.precision()) : hull(beyond, Ball(0, lo.precision()));
  }

  Ball growth_from(const Ball& from) const override {
    const Bits bits = from.precision();
    if (!is_beyond_kink(from)) return Ball::whole_line(bits);
    const Ball value = m_.value(from);
    if (!certainly(value.is_positive())) return Ball::whole_line(bits);
    return hull(from * m_.slope(from) / value, Ball(m_.growth, bits));
  }

  Rational final_growth() const override { return m_.growth; }
  int excess() const override { return m_.excess ? m_.excess() : 0; }
  bool excess_holds_from(const Ball& from) const override { return is_beyond_kink(from); }
  Ball final_coefficient(Bits bits) const override { return factor(bits) * m_.coefficient(bits); }
  std::optional<Rational> squared_final_coefficient() const override {
    if (!m_.squared_coefficient) return std::nullopt;
    return Rational(*m_.squared_coefficient * s_.logit_scale * s_.logit_scale / s_.head_dim);
  }
  std::optional<PowerProduct> kink() const override { return m_.kink; }

 private:
  bool is_beyond_kink(const Ball& from) const {
    return !m_.kink || certainly(less(log(*m_.kink, from.precision()), from));
  }
  Ball slope(const Ball& x) const { return factor(x.precision()) * m_.slope(x); }
  Ball factor(Bits bits) const { return logit_factor(s_, Lift<Ball>(bits)); }

  Schedule s_;
  MultiplierFormula m_;
};

Ball real_power(const Ball& x, const Rational& k) {
  if (k == 0) return Ball(1, x.precision());
  if (k == 1) return x;
  if (k == Rational(1, 2)) return sqrt(x);
  return exp(Ball(k, x.precision()) * log(x));
}

}  // namespace

MultiplierFormula constant_formula(std::function<Ball(Bits)> m) {
  return {.value = [m](const Ball& x) { return m(x.precision()); },
          .slope = [](const Ball& x) { return Ball(0, x.precision()); },
          .coefficient = std::move(m)};
}

MultiplierFormula power_formula(const Rational& c, const Rational& k, const Rational& b) {
  if (c == 0 || k == 0) {
    const Rational m = (k == 0 ? c : Rational(0)) + b;
    return constant_formula([m](Bits bits) { return Ball(m, bits); });
  }
  MultiplierFormula r{
      .value = [c, k, b](const Ball& x) { return power_law(c, k, b, x, Lift<Ball>(x.precision())); },
      .slope =
          [c, k](const Ball& x) {
            return Ball(Rational(c * k), x.precision()) * real_power(x, Rational(k - 1));
          },
      .growth = k,
      .coefficient = [c](Bits bits) { return Ball(c, bits); },
      .squared_coefficient = Rational(c * c)};
  // k c x^k/(c x^k + b) against k.
  if (b != 0) r.excess = [above = b < 0] { return above ? 1 : -1; };
  return r;
}

MultiplierFormula log_formula(const PowerProduct& base) {
  return {.value = [base](const Ball& x) { return x / log(base, x.precision()); },
          .slope = [base](const Ball& x) { return 1 / log(base, x.precision()); },
          .growth = 1,
          .coefficient = [base](Bits bits) { return 1 / log(base, bits); }};
}

std::unique_ptr<ScheduleCurve> schedule_curve(const Schedule& s) {
  validate(s);
  if (!s.law->curve) throw InputError(fmt::format("{} has steps: it is no function of real n", name(s)));
  return std::make_unique<FormulaCurve>(s);
}

}  // namespace critscale
