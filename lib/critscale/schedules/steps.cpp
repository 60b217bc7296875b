// The schedules with steps, 1 + rate ln(floor((n - o)/L) + 1): llama4 (Llama 4's attention temperature, rate
// 1/10, L = 8192, o = 0, so that it looks at position + 1) and mistral (Mistral 3's, o = 1: the 0-based
// position itself).
#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

/// ln(floor((n - before)/step) + 1), before = 0 or 1: exactly where n can be written out, else with
/// n/step + theta, 0 <= theta <= 1.
template <class Real>
Real log_of_step(const PowerProduct& step, const PowerProduct& n, long before, const Lift<Real>& lift) {
  if (!n.is_integer())
    throw InputError(fmt::format("this schedule has steps: n must be an integer, found {}", n.to_string()));
  static const PowerProduct written_out = PowerProduct::power(2, 4096);
  if (compare(n, step) < 0) return lift(Rational(0));
  if (compare(n, written_out) <= 0)
    return log(lift(Rational(Integer((n.to_integer() - before) / step.to_integer() + 1))));
  const PowerProduct ratio = n / step;
  const Real theta = before == 0 && divides(step, n) ? lift(Rational(1)) : Real::hull(0, 1, lift.bits());
  return lift.log(ratio) + log1p(Real(theta / lift(ratio)));
}

template <class Real>
Real step_multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  return 1 + lift(s.rate) * log_of_step(s.train_length, n, *s.law->first_of_step, lift);
}

std::optional<ExactGamma> step_gamma(const Schedule& s, const PowerProduct* n) {
  if (n) return std::nullopt;
  return linear_gamma(s, s.rate);
}

// The step's number is (n/L)(1 + o(1)).
Ball step_offset(const Schedule& s, const Lift<Ball>& lift) {
  return 1 - lift(s.rate) * lift.log(s.train_length);
}

std::string step_text(const Schedule& s) {
  return fmt::format("1 + {} ln(floor({}/{}) + 1)", to_string(s.rate),
                     *s.law->first_of_step == 0 ? "n" : "(n - 1)", s.train_length.to_string());
}

constexpr ScheduleLaw step_law(std::string_view name, long first,
                               std::string (*symbols)(const FormulaNames&)) {
  return {
      .name = name,
      .uses_train_length = true,
      .ball = step_multiplier<Ball>,
      .interval = step_multiplier<Interval>,
      .formula = step_text,
      .symbols = symbols,
      .constant_gamma = step_gamma,
      .offset = step_offset,
      .first_of_step = first,
  };
}

/// Through the starts of the steps, or through their ends, where n = t L + o with t real: 1 + r ln(t + 1), or
/// 1 + r ln t. With d = L - o, or -o, that is 1 + r ln((n + d)/L) = r (x + a + ln(1 + d/n)), a = 1/r - ln L.
class StepEnvelope final : public ScheduleCurve {
 public:
  StepEnvelope(const Schedule& s, bool starts)
      : s_(s), shift_((starts ? s.train_length.to_integer() : Integer(0)) - *s.law->first_of_step) {}

  Ball at(const Ball& x) const override {
    const Lift<Ball> lift(x.precision());
    return logit_factor(s_, lift) *
           (1 + lift(s_.rate) * (x - lift.log(s_.train_length) + log1p(shift_over_n(x))));
  }
  // r/(1 + d/n) is monotone.
  Ball slopes(const Ball& lo, const Ball& hi) const override {
    return logit_factor(s_, Lift<Ball>(lo.precision())) * Ball(s_.rate, lo.precision()) *
           hull(share(lo), share(hi));
  }
  // x/(x + a + c) is monotone in x with the limit 1, c between 0 and ln(1 + d/n).
  Ball growth_from(const Ball& from) const override {
    const Bits bits = from.precision();
    if (s_.rate == 0) return Ball(0, bits);
    const Ball one(1, bits), base = from + ahead(bits), other = base + log1p(shift_over_n(from));
    return hull(share(from), one) * hull(hull(from / base, from / other), one);
  }
  Rational final_growth() const override { return s_.rate == 0 ? 0 : 1; }
  int excess() const override {
    if (s_.rate == 0) return 0;
    return -sign_of_number([this](Bits bits) { return ahead(bits); }, "1 - rate ln(step)");
  }
  // x beta' - beta is r times x (share - 1) - a - ln(1 + d/n), whose first and last term shrink for x >= 2.
  bool excess_holds_from(const Ball& from) const override {
    if (s_.rate == 0) return true;
    const Bits bits = from.precision();
    const Ball left = abs(from * (share(from) - 1)) + abs(log1p(shift_over_n(from)));
    return certainly(greater(from, Ball(2, bits))) && certainly(less(left, abs(ahead(bits))));
  }
  Ball final_coefficient(Bits bits) const override {
    const Lift<Ball> lift(bits);
    return logit_factor(s_, lift) * lift(s_.rate == 0 ? Rational(1) : s_.rate);
  }

 private:
  Ball shift_over_n(const Ball& x) const { return Ball(shift_, x.precision()) * exp(-x); }
  /// n/(n + d).
  Ball share(const Ball& x) const { return 1 / (1 + shift_over_n(x)); }
  Ball ahead(Bits bits) const { return Ball(Rational(1 / s_.rate), bits) - log(s_.train_length, bits); }

  Schedule s_;
  Integer shift_;
};

std::unique_ptr<ScheduleCurve> envelope(const Schedule& s, bool starts) {
  validate(s);
  if (!s.law->first_of_step) throw InputError(fmt::format("{} has no steps", name(s)));
  return std::make_unique<StepEnvelope>(s, starts);
}

std::string step_symbols(const std::string& count) {
  return fmt::format("1 + rate*log(floor({}/train_length) + 1)", count);
}

}  // namespace

std::unique_ptr<ScheduleCurve> curve_of_starts(const Schedule& s) { return envelope(s, true); }
std::unique_ptr<ScheduleCurve> curve_of_ends(const Schedule& s) { return envelope(s, false); }

Ball beta_on_step(const Schedule& s, const Integer& j, const Lift<Ball>& lift) {
  return logit_factor(s, lift) * (1 + lift(s.rate) * log(lift(Rational(Integer(j + 1)))));
}

constinit const ScheduleLaw llama4_law =
    step_law("llama4", 0, [](const FormulaNames& names) { return step_symbols(names.n_factor); });
constinit const ScheduleLaw mistral_law =
    step_law("mistral", 1, [](const FormulaNames& names) { return step_symbols(names.before); });

}  // namespace critscale
