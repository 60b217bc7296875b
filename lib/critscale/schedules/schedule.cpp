// Schedules: their multipliers, limits and comparisons. Uses schedule.hpp.
#include "critscale/schedules/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "critscale/number/quote.hpp"
#include "critscale/text/certify.hpp"

namespace critscale {

namespace {

// In the order of ScheduleKind.
//   log-n        Su's length-scaled logits, log_512 n, kept constant below 16
//   qwen-log-n   Qwen technical report (2023): log_L n beyond the training length
//   ssmax        Nakanishi (2025), Scalable-Softmax: s ln n, variant with a bias
//   swan         SWAN-GPT: logarithmic, constants given by the user
//   yarn         Peng et al. (2023): queries and keys are both multiplied by 0.1 ln(factor) + 1
//   longrope     Ding et al. (2024), as configured: both multiplied by sqrt(1 + ln(factor)/ln L)
//   llama4       Llama 4's attention temperature: 1 + 0.1 ln(floor((pos + 1)/8192) + 1)
//   infoscale    scaling by information entropy invariance, d the head's dimension
//   gaussian     independent Gaussian scores ([random-scores])
//   mistral      Mistral 3's: 1 + 0.1 ln(floor(pos/L) + 1), without Llama 4's offset
constexpr std::array<std::string_view, 12> names{"constant", "log-n",     "qwen-log-n", "ssmax",
                                                 "swan",     "yarn",      "longrope",   "llama4",
                                                 "mistral",  "infoscale", "gaussian",   "power-of-log"};

/// Below this n the clamp of log-n holds.
const PowerProduct& log_n_floor() {
  static const PowerProduct v(16);
  return v;
}
const PowerProduct& log_n_base() {
  static const PowerProduct v(512);
  return v;
}

bool beyond_training(const Schedule& s, const PowerProduct& n) { return compare(n, s.train_length) > 0; }

bool has_steps(ScheduleKind k) { return k == ScheduleKind::llama4 || k == ScheduleKind::mistral; }

bool uses_train_length(ScheduleKind k) {
  return k == ScheduleKind::qwen_log_n || k == ScheduleKind::yarn || k == ScheduleKind::longrope ||
         has_steps(k) || k == ScheduleKind::infoscale;
}

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

/// c x^k + b at x = ln n.
template <class Real>
Real power_law(const Rational& c, const Rational& k, const Rational& b, const Real& log_n,
               const Lift<Real>& lift) {
  if (k == 0 || c == 0) return lift(Rational((k == 0 ? c : Rational(0)) + b));
  const Real power = k == 1                ? log_n
                     : k == Rational(1, 2) ? Real(sqrt(log_n))
                                           : Real(exp(Real(lift(k) * log(log_n))));
  return lift(c) * power + lift(b);
}

/// The factor that YaRN puts on queries and on keys.
template <class Real>
Real yarn_factor(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  if (s.attention_factor) return lift(*s.attention_factor);
  if (s.factor && *s.factor <= 1) return lift(Rational(1));
  if (!s.factor && !beyond_training(s, n)) return lift(Rational(1));
  const Real logarithm = lift.log(s.factor ? PowerProduct(*s.factor) : n / s.train_length);
  const Real factor = lift(Rational(s.rate * s.mscale)) * logarithm + 1;
  if (!s.mscale_all_dim) return factor;
  return factor / (lift(Rational(s.rate * *s.mscale_all_dim)) * logarithm + 1);
}

template <class Real>
Real longrope(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  if (s.factor)
    return *s.factor <= 1 ? lift(Rational(1))
                          : Real(1 + lift.log(PowerProduct(*s.factor)) / lift.log(s.train_length));
  return beyond_training(s, n) ? Real(lift.log(n) / lift.log(s.train_length)) : lift(Rational(1));
}

/// 1 - x^(-2/d).
template <class Real>
Real spread(const PowerProduct& x, const Rational& d, const Lift<Real>& lift) {
  return -expm1(Real(lift(Rational(-2 / d)) * lift.log(x)));
}

/// Whether gamma_eff is constant in n from n on (and at n).
std::optional<ExactGamma> constant_gamma(const Schedule& s, const PowerProduct* n) {
  const auto linear = [&](const Rational& c) {
    return ExactGamma{c * s.logit_scale, s.head_dim, std::nullopt};
  };
  const auto over_log = [&](const PowerProduct& base) { return ExactGamma{s.logit_scale, s.head_dim, base}; };
  switch (s.kind) {
    case ScheduleKind::log_n:
      if (!n || compare(*n, log_n_floor()) >= 0) return over_log(log_n_base());
      return std::nullopt;
    case ScheduleKind::longrope:
      if (s.factor) return std::nullopt;
      [[fallthrough]];
    case ScheduleKind::qwen_log_n:
      if (!n || beyond_training(s, *n)) return over_log(s.train_length);
      return std::nullopt;
    case ScheduleKind::ssmax:
    case ScheduleKind::swan:
      if (!n || s.offset == 0) return linear(s.coefficient);
      return std::nullopt;
    case ScheduleKind::power_of_log:
      if (s.power == 1 && (!n || s.offset == 0)) return linear(s.coefficient);
      return std::nullopt;
    case ScheduleKind::llama4:
    case ScheduleKind::mistral:
      if (!n) return linear(s.rate);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

void require(bool condition, const char* what, const Rational& found) {
  if (!condition) throw InputError(fmt::format("{}, found {}", what, to_string(found)));
}

}  // namespace

std::span<const std::string_view> schedule_names() { return names; }

std::string_view name(ScheduleKind kind) { return names[static_cast<std::size_t>(kind)]; }

ScheduleKind schedule_by_name(std::string_view text) {
  // What implementations call it.
  if (text == "qwen-logn") return ScheduleKind::qwen_log_n;
  const auto it = std::find(names.begin(), names.end(), text);
  if (it != names.end()) return static_cast<ScheduleKind>(it - names.begin());
  std::string allowed;
  for (const std::string_view n : names) allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", n);
  throw InputError(fmt::format("{} is not a schedule; allowed: {}", in_quotes(text), allowed));
}

namespace {

/// "c ln(n)^k + b" without what is 0 or 1.
std::string power_law_text(const Rational& c, const Rational& k, const Rational& b) {
  std::string r = c == 1 ? "" : to_string(c) + " ";
  r += "ln(n)";
  if (k != 1) r += fmt::format("^({})", to_string(k));
  if (b != 0) r += fmt::format(" + {}", to_string(b));
  return r;
}

}  // namespace

std::string formula(const Schedule& s) {
  const std::string L = s.train_length.to_string();
  const Rational yarn_rate = s.rate * s.mscale;
  switch (s.kind) {
    case ScheduleKind::constant:
      return to_string(s.coefficient);
    case ScheduleKind::log_n:
      return "ln(max(n, 16))/ln(512)";
    case ScheduleKind::qwen_log_n:
      return fmt::format("ln(n)/ln({}) for n > {}, else 1", L, L);
    case ScheduleKind::ssmax:
    case ScheduleKind::swan:
      return power_law_text(s.coefficient, Rational(1), s.offset);
    case ScheduleKind::yarn:
      if (s.attention_factor) return fmt::format("({})^2", to_string(*s.attention_factor));
      if (s.factor && *s.factor <= 1) return "1";
      if (s.mscale_all_dim && s.factor) {
        return fmt::format("(({0} ln({2}) + 1)/({1} ln({2}) + 1))^2", to_string(yarn_rate),
                           to_string(Rational(s.rate * *s.mscale_all_dim)), to_string(*s.factor));
      }
      if (s.factor) return fmt::format("({} ln({}) + 1)^2", to_string(yarn_rate), to_string(*s.factor));
      return fmt::format("({} ln(n/{}) + 1)^2 for n > {}, else 1", to_string(yarn_rate), L, L);
    case ScheduleKind::longrope:
      if (s.factor && *s.factor <= 1) return "1";
      if (s.factor) return fmt::format("1 + ln({})/ln({})", to_string(*s.factor), L);
      return fmt::format("ln(n)/ln({}) for n > {}, else 1", L, L);
    case ScheduleKind::llama4:
      return fmt::format("1 + {} ln(floor(n/{}) + 1)", to_string(s.rate), L);
    case ScheduleKind::mistral:
      return fmt::format("1 + {} ln(floor((n - 1)/{}) + 1)", to_string(s.rate), L);
    case ScheduleKind::infoscale:
      return fmt::format("sqrt((1 - n^(-2/{0}))/(1 - {1}^(-2/{0})))", to_string(s.dimension), L);
    case ScheduleKind::gaussian:
      return "sqrt(2 ln(n))";
    case ScheduleKind::power_of_log:
      return power_law_text(s.coefficient, s.power, s.offset);
  }
  return "";
}

void validate(const Schedule& s) {
  if (uses_train_length(s.kind) && (!s.train_length.is_integer() || s.train_length.is_one()))
    throw InputError(fmt::format("{} needs a training length (an integer of at least 2), found {}",
                                 name(s.kind), s.train_length.to_string()));
  require(s.coefficient >= 0, "a schedule's coefficient must not be negative", s.coefficient);
  require(s.power >= 0, "a schedule's power must not be negative", s.power);
  require(s.rate >= 0, "a schedule's rate must not be negative", s.rate);
  require(s.mscale >= 0, "mscale must not be negative", s.mscale);
  if (s.mscale_all_dim) {
    require(*s.mscale_all_dim >= 0, "mscale_all_dim must not be negative", *s.mscale_all_dim);
    if (s.kind == ScheduleKind::yarn && !s.factor && !s.attention_factor)
      throw InputError("mscale_all_dim needs a fixed factor");
  }
  if (s.factor) require(*s.factor > 0, "a scaling factor must be positive", *s.factor);
  if (s.attention_factor)
    require(*s.attention_factor > 0, "attention_factor must be positive", *s.attention_factor);
  if (s.kind == ScheduleKind::infoscale)
    require(s.dimension > 0, "infoscale needs the head's dimension, a positive number", s.dimension);
  require(s.logit_scale > 0, "the logit scale must be positive", s.logit_scale);
  require(s.head_dim > 0, "the head's dimension must be positive", s.head_dim);
}

template <class Real>
Real multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  switch (s.kind) {
    case ScheduleKind::constant:
      return lift(s.coefficient);
    case ScheduleKind::log_n:
      return lift.log(compare(n, log_n_floor()) < 0 ? log_n_floor() : n) / lift.log(log_n_base());
    case ScheduleKind::qwen_log_n:
      return beyond_training(s, n) ? Real(lift.log(n) / lift.log(s.train_length)) : lift(Rational(1));
    case ScheduleKind::ssmax:
    case ScheduleKind::swan:
      return power_law(s.coefficient, Rational(1), s.offset, lift.log(n), lift);
    case ScheduleKind::yarn:
      return sqr(yarn_factor(s, n, lift));
    case ScheduleKind::longrope:
      return longrope(s, n, lift);
    case ScheduleKind::llama4:
      return 1 + lift(s.rate) * log_of_step(s.train_length, n, 0, lift);
    case ScheduleKind::mistral:
      return 1 + lift(s.rate) * log_of_step(s.train_length, n, 1, lift);
    case ScheduleKind::infoscale:
      return sqrt(Real(spread(n, s.dimension, lift) / spread(s.train_length, s.dimension, lift)));
    case ScheduleKind::gaussian:
      return sqrt(Real(2 * lift.log(n)));
    case ScheduleKind::power_of_log:
      return power_law(s.coefficient, s.power, s.offset, lift.log(n), lift);
  }
  return lift(Rational(0));
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
  for (Bits bits = 64;; bits *= 2) {
    const Ball difference = value(bits) - Ball(t, bits);
    if (certainly(difference.is_positive())) return std::strong_ordering::greater;
    if (certainly(difference.is_negative())) return std::strong_ordering::less;
  }
}

std::string ExactGamma::to_string() const {
  if (const auto r = exact()) return critscale::to_string(*r);
  std::string r = critscale::to_string(rational);
  if (head_dim != 1) r += fmt::format("/sqrt({})", critscale::to_string(head_dim));
  if (log_base) r += fmt::format("/ln({})", log_base->to_string());
  return r;
}

GammaLimit gamma_limit(const Schedule& s) {
  const bool yarn_grows =
      s.kind == ScheduleKind::yarn && !s.factor && !s.attention_factor && s.rate * s.mscale > 0;
  const bool power_grows = s.kind == ScheduleKind::power_of_log && s.power > 1 && s.coefficient > 0;
  if (yarn_grows || power_grows) return {GammaLimit::Kind::infinite, std::nullopt};
  if (auto constant = constant_gamma(s, nullptr); constant && constant->rational > 0)
    return {GammaLimit::Kind::constant, std::move(constant)};
  return {GammaLimit::Kind::zero, std::nullopt};
}

Ball limit_offset(const Schedule& s, Bits bits) {
  const Lift<Ball> lift(bits);
  Ball m(0, bits);
  if (s.kind == ScheduleKind::ssmax || s.kind == ScheduleKind::swan || s.kind == ScheduleKind::power_of_log)
    m = lift(s.offset);
  // The step's number is (n/step)(1 + o(1)).
  if (has_steps(s.kind)) m = 1 - lift(s.rate) * lift.log(s.train_length);
  return logit_factor(s, lift) * m;
}

std::strong_ordering compare_gamma(const Schedule& s, const PowerProduct& n, const Rational& t,
                                   Bits max_bits) {
  if (const auto constant = constant_gamma(s, &n)) return constant->compare(t);
  for (Bits bits = 64;; bits = std::min(2 * bits, max_bits)) {
    const Ball difference = gamma_effective(s, n, bits) - Ball(t, bits);
    if (certainly(difference.is_positive())) return std::strong_ordering::greater;
    if (certainly(difference.is_negative())) return std::strong_ordering::less;
    if (bits >= max_bits)
      throw LimitError(fmt::format("gamma_eff at n = {} is not told from the threshold {} at {} bits",
                                   n.to_string(), to_string(t), max_bits));
  }
}

}  // namespace critscale
