// What all schedules do, through their laws. Uses law.hpp.
#include "critscale/schedules/schedule.hpp"

#include <fmt/format.h>

#include "critscale/number/precision.hpp"
#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

std::optional<ExactGamma> constant_gamma(const Schedule& s, const PowerProduct* n) {
  return s.law->constant_gamma ? s.law->constant_gamma(s, n) : std::nullopt;
}

void require(bool condition, const char* what, const Rational& found) {
  if (!condition) throw InputError(fmt::format("{}, found {}", what, to_string(found)));
}

}  // namespace

std::string formula(const Schedule& s) { return s.law->formula(s); }

void validate(const Schedule& s) {
  if (s.law->uses_train_length && (!s.train_length.is_integer() || s.train_length.is_one()))
    throw InputError(fmt::format("{} needs a training length (an integer of at least 2), found {}", name(s),
                                 s.train_length.to_string()));
  require(s.coefficient >= 0, "a schedule's coefficient must not be negative", s.coefficient);
  require(s.power >= 0, "a schedule's power must not be negative", s.power);
  require(s.rate >= 0, "a schedule's rate must not be negative", s.rate);
  require(s.mscale >= 0, "mscale must not be negative", s.mscale);
  if (s.mscale_all_dim)
    require(*s.mscale_all_dim >= 0, "mscale_all_dim must not be negative", *s.mscale_all_dim);
  if (s.factor) require(*s.factor > 0, "a scaling factor must be positive", *s.factor);
  if (s.attention_factor)
    require(*s.attention_factor > 0, "attention_factor must be positive", *s.attention_factor);
  require(s.logit_scale > 0, "the logit scale must be positive", s.logit_scale);
  require(s.head_dim > 0, "the head's dimension must be positive", s.head_dim);
  if (s.law->validate) s.law->validate(s);
}

template <class Real>
Real multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  if constexpr (std::same_as<Real, Ball>)
    return s.law->ball(s, n, lift);
  else
    return s.law->interval(s, n, lift);
}

template <class Real>
Real logit_factor(const Schedule& s, const Lift<Real>& lift) {
  const Real scale = lift(s.logit_scale);
  return s.head_dim == 1 ? scale : Real(scale / sqrt(lift(s.head_dim)));
}

template <class Real>
Real beta(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  return logit_factor(s, lift) * multiplier(s, n, lift);
}

template Ball logit_factor(const Schedule&, const Lift<Ball>&);
template Interval logit_factor(const Schedule&, const Lift<Interval>&);
template Ball multiplier(const Schedule&, const PowerProduct&, const Lift<Ball>&);
template Interval multiplier(const Schedule&, const PowerProduct&, const Lift<Interval>&);
template Ball beta(const Schedule&, const PowerProduct&, const Lift<Ball>&);
template Interval beta(const Schedule&, const PowerProduct&, const Lift<Interval>&);

Ball gamma_effective(const Schedule& s, const PowerProduct& n, Bits bits) {
  if (const auto constant = constant_gamma(s, &n)) return constant->value(bits);
  const Lift<Ball> lift(bits);
  return beta(s, n, lift) / lift.log(n);
}

std::optional<Rational> ExactGamma::exact() const {
  if (rational == 0) return rational;
  if (log_base) return std::nullopt;
  const PowerProduct root = pow(PowerProduct(head_dim), Rational(1, 2));
  if (!root.is_rational()) return std::nullopt;
  return Rational(rational / root.to_rational());
}

Ball ExactGamma::value(Bits bits) const {
  if (const auto r = exact()) return Ball(*r, bits);
  Ball v = Ball(rational, bits) / sqrt(Ball(head_dim, bits));
  if (log_base) v /= log(*log_base, bits);
  return v;
}

std::strong_ordering ExactGamma::compare(const Rational& t) const {
  if (!log_base) {
    // Squares: rational^2 / head_dim against t^2, both sides nonnegative.
    const Rational left = rational * rational, right = t * t * head_dim;
    return left < right   ? std::strong_ordering::less
           : left > right ? std::strong_ordering::greater
                          : std::strong_ordering::equal;
  }
  // Algebraic over the logarithm of an integer >= 2: transcendental (Lindemann), so the loop ends.
  return *decide(64, no_precision_limit,
                 [&](Bits bits) { return known_sign(value(bits) - Ball(t, bits)); }) <=> 0;
}

std::string ExactGamma::to_string() const {
  if (const auto r = exact()) return critscale::to_string(*r);
  std::string r = critscale::to_string(rational);
  if (head_dim != 1) r += fmt::format("/sqrt({})", critscale::to_string(head_dim));
  if (log_base) r += fmt::format("/ln({})", log_base->to_string());
  return r;
}

GammaLimit gamma_limit(const Schedule& s) {
  if (s.law->unbounded && s.law->unbounded(s)) return {GammaLimit::Kind::infinite, std::nullopt};
  if (auto constant = constant_gamma(s, nullptr); constant && constant->rational > 0)
    return {GammaLimit::Kind::constant, std::move(constant)};
  return {GammaLimit::Kind::zero, std::nullopt};
}

Ball limit_offset(const Schedule& s, Bits bits) {
  const Lift<Ball> lift(bits);
  return logit_factor(s, lift) * (s.law->offset ? s.law->offset(s, lift) : Ball(0, bits));
}

std::strong_ordering compare_gamma(const Schedule& s, const PowerProduct& n, const Rational& t,
                                   Bits max_bits) {
  if (const auto constant = constant_gamma(s, &n)) return constant->compare(t);
  const auto sign = decide(
      64, max_bits, [&](Bits bits) { return known_sign(gamma_effective(s, n, bits) - Ball(t, bits)); });
  if (!sign)
    throw LimitError(fmt::format("gamma_eff at n = {} is not told from the threshold {} at {} bits",
                                 n.to_string(), to_string(t), max_bits));
  return *sign <=> 0;
}

}  // namespace critscale
