// Schedules as functions of x = ln n, by the form of their multiplier.
#include "critscale/schedules/curve.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "critscale/number/precision.hpp"
#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

enum class Form {
  constant,
  log_n,
  qwen_log_n,
  ssmax,
  swan,
  yarn,
  longrope,
  llama4,
  mistral,
  infoscale,
  gaussian,
  power_of_log
};

Form form_of(const Schedule& s) {
  static constexpr std::array<std::pair<const ScheduleLaw*, Form>, 12> forms{
      {{&constant_law, Form::constant},
       {&log_n_law, Form::log_n},
       {&qwen_log_n_law, Form::qwen_log_n},
       {&ssmax_law, Form::ssmax},
       {&swan_law, Form::swan},
       {&yarn_law, Form::yarn},
       {&longrope_law, Form::longrope},
       {&llama4_law, Form::llama4},
       {&mistral_law, Form::mistral},
       {&infoscale_law, Form::infoscale},
       {&gaussian_law, Form::gaussian},
       {&power_of_log_law, Form::power_of_log}}};
  for (const auto& [law, form] : forms)
    if (s.law == law) return form;
  throw InputError(fmt::format("{} is not known as a function of real n", name(s)));
}

/// Of log-n.
constexpr long floor_of_log_n = 16, base_of_log_n = 512;

Ball real_power(const Ball& x, const Rational& k) {
  if (k == 0) return Ball(1, x.precision());
  if (k == 1) return x;
  if (k == Rational(1, 2)) return sqrt(x);
  return exp(Ball(k, x.precision()) * log(x));
}

}  // namespace

ScheduleCurve::ScheduleCurve(const Schedule& s) : s_(s) {
  validate(s_);
  if (form_of(s_) == Form::llama4 || form_of(s_) == Form::mistral)
    throw InputError(fmt::format("{} has steps: it is no function of real n", name(s_)));
  if (form_of(s_) == Form::ssmax || form_of(s_) == Form::swan) s_.power = 1;
}

bool ScheduleCurve::is_power_law() const {
  return form_of(s_) == Form::ssmax || form_of(s_) == Form::swan || form_of(s_) == Form::power_of_log;
}

bool ScheduleCurve::is_constant() const {
  switch (form_of(s_)) {
    case Form::constant:
      return true;
    case Form::yarn:
      return s_.factor || s_.attention_factor || s_.rate * s_.mscale == 0;
    case Form::longrope:
      return s_.factor.has_value();
    default:
      return is_power_law() && (s_.coefficient == 0 || s_.power == 0);
  }
}

std::optional<PowerProduct> ScheduleCurve::kink() const {
  if (form_of(s_) == Form::log_n) return PowerProduct(floor_of_log_n);
  if (form_of(s_) == Form::qwen_log_n ||
      ((form_of(s_) == Form::yarn || form_of(s_) == Form::longrope) && !is_constant()))
    return s_.train_length;
  return std::nullopt;
}

Ball ScheduleCurve::at(const Ball& x) const {
  const Bits bits = x.precision();
  const Lift<Ball> lift(bits);
  // Where beta does not depend on n, n = 2 is as good as any.
  if (is_constant()) return beta(s_, PowerProduct(2), lift);
  const auto late = kink();
  const Ball y = late ? max(x, lift.log(*late)) : x;
  switch (form_of(s_)) {
    case Form::log_n:
      return factor(bits) * y / lift.log(PowerProduct(base_of_log_n));
    case Form::qwen_log_n:
    case Form::longrope:
      return factor(bits) * y / lift.log(s_.train_length);
    case Form::yarn:
      return factor(bits) * sqr(lift(Rational(s_.rate * s_.mscale)) * (y - lift.log(s_.train_length)) + 1);
    case Form::infoscale: {
      const Ball rate = lift(Rational(-2 / s_.dimension));
      return factor(bits) * sqrt(expm1(rate * y) / expm1(rate * lift.log(s_.train_length)));
    }
    case Form::gaussian:
      return factor(bits) * sqrt(2 * y);
    default:
      return factor(bits) * (lift(s_.coefficient) * real_power(y, s_.power) + lift(s_.offset));
  }
}

Ball ScheduleCurve::formula_slope(const Ball& x) const {
  const Bits bits = x.precision();
  const Lift<Ball> lift(bits);
  switch (form_of(s_)) {
    case Form::log_n:
      return factor(bits) / lift.log(PowerProduct(base_of_log_n));
    case Form::qwen_log_n:
    case Form::longrope:
      return factor(bits) / lift.log(s_.train_length);
    case Form::yarn: {
      const Ball p = lift(Rational(s_.rate * s_.mscale));
      return factor(bits) * 2 * p * (p * (x - lift.log(s_.train_length)) + 1);
    }
    case Form::infoscale: {
      // beta^2 = A (1 - e^(-y)), y = 2 x/d: beta' = beta/(d (e^y - 1)), which falls.
      const Ball y = lift(Rational(2 / s_.dimension)) * x;
      return at(x) / (lift(s_.dimension) * expm1(y));
    }
    case Form::gaussian:
      return factor(bits) / sqrt(2 * x);
    default:
      return factor(bits) * lift(Rational(s_.coefficient * s_.power)) * real_power(x, Rational(s_.power - 1));
  }
}

Ball ScheduleCurve::slopes(const Ball& lo, const Ball& hi) const {
  if (is_constant()) return Ball(0, lo.precision());
  const auto late = kink();
  if (!late) return hull(formula_slope(lo), formula_slope(hi));
  const Ball turn = log(*late, lo.precision());
  const Ball beyond = hull(formula_slope(max(lo, turn)), formula_slope(max(hi, turn)));
  if (certainly(less(turn, lo))) return beyond;
  return certainly(less(hi, turn)) ? Ball(0, lo.precision()) : hull(beyond, Ball(0, lo.precision()));
}

Rational ScheduleCurve::final_growth() const {
  if (is_constant()) return 0;
  switch (form_of(s_)) {
    case Form::yarn:
      return 2;
    case Form::infoscale:
      return 0;
    case Form::gaussian:
      return Rational(1, 2);
    case Form::power_of_log:
      return s_.power;
    default:
      return 1;
  }
}

bool ScheduleCurve::is_power() const {
  if (is_constant()) return true;
  if (form_of(s_) == Form::yarn || form_of(s_) == Form::infoscale) return false;
  return !is_power_law() || s_.offset == 0;
}

int ScheduleCurve::excess() const {
  if (is_power()) return 0;
  if (form_of(s_) == Form::infoscale) return 1;
  // k c x^k/(c x^k + b) against k.
  if (is_power_law()) return s_.offset > 0 ? -1 : 1;
  // 2 p x/(p x + r) against 2, r = 1 - p ln L.
  const auto sign = decide(64, 4096, [&](Bits bits) {
    return known_sign(1 - Ball(Rational(s_.rate * s_.mscale), bits) * log(s_.train_length, bits));
  });
  if (!sign) throw LimitError("rate ln(train_length) is not told from 1");
  return -*sign;
}

Ball ScheduleCurve::growth_from(const Ball& from) const {
  const Bits bits = from.precision();
  if (is_constant()) return Ball(0, bits);
  const auto late = kink();
  if (late && !certainly(less(log(*late, bits), from))) return Ball::whole_line(bits);
  const Ball value = at(from);
  if (!certainly(value.is_positive())) return Ball::whole_line(bits);
  // Monotone in x towards its limit: for c x^k + b and (p x + r)^2 as in excess(), and y/(2 (e^y - 1)) falls.
  return hull(from * formula_slope(from) / value, Ball(final_growth(), bits));
}

Ball ScheduleCurve::final_coefficient(Bits bits) const {
  const Lift<Ball> lift(bits);
  if (is_constant()) return beta(s_, PowerProduct(2), lift);
  switch (form_of(s_)) {
    case Form::log_n:
      return factor(bits) / lift.log(PowerProduct(base_of_log_n));
    case Form::qwen_log_n:
    case Form::longrope:
      return factor(bits) / lift.log(s_.train_length);
    case Form::yarn:
      return factor(bits) * sqr(lift(Rational(s_.rate * s_.mscale)));
    case Form::infoscale:
      return factor(bits) / sqrt(-expm1(lift(Rational(-2 / s_.dimension)) * lift.log(s_.train_length)));
    case Form::gaussian:
      return factor(bits) * sqrt(lift(Rational(2)));
    default:
      return factor(bits) * lift(s_.coefficient);
  }
}

std::optional<Rational> ScheduleCurve::squared_final_coefficient() const {
  const Rational squared_factor = s_.logit_scale * s_.logit_scale / s_.head_dim;
  if (form_of(s_) == Form::gaussian) return Rational(2 * squared_factor);
  if (is_power_law() && !is_constant()) return Rational(s_.coefficient * s_.coefficient * squared_factor);
  return std::nullopt;
}

}  // namespace critscale
