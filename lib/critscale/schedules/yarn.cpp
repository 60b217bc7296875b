// yarn: queries and keys are both multiplied by rate mscale ln(factor) + 1 (Peng et al., 2023: rate 1/10);
// without a fixed factor that factor is n/L.
#include <fmt/format.h>

#include "critscale/schedules/law.hpp"

namespace critscale {

namespace {

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
Real yarn_multiplier(const Schedule& s, const PowerProduct& n, const Lift<Real>& lift) {
  return sqr(yarn_factor(s, n, lift));
}

std::string yarn_text(const Schedule& s) {
  const Rational rate = s.rate * s.mscale;
  if (s.attention_factor) return fmt::format("({})^2", to_string(*s.attention_factor));
  if (s.factor && *s.factor <= 1) return "1";
  if (s.mscale_all_dim && s.factor)
    return fmt::format("(({0} ln({2}) + 1)/({1} ln({2}) + 1))^2", to_string(rate),
                       to_string(Rational(s.rate * *s.mscale_all_dim)), to_string(*s.factor));
  if (s.factor) return fmt::format("({} ln({}) + 1)^2", to_string(rate), to_string(*s.factor));
  return fmt::format("({0} ln(n/{1}) + 1)^2 for n > {1}, else 1", to_string(rate),
                     s.train_length.to_string());
}

bool yarn_grows(const Schedule& s) { return !s.factor && !s.attention_factor && s.rate * s.mscale > 0; }

/// The factor beyond L with p = rate mscale, at x = ln n.
Ball growing_factor(const Schedule& s, const Ball& x) {
  const Lift<Ball> lift(x.precision());
  return lift(Rational(s.rate * s.mscale)) * (x - lift.log(s.train_length)) + 1;
}

// (p x + r)^2/x with p = rate mscale, r = 1 - p ln L has the derivative (p x + r)(p x - r)/x^2, and
// p x + r >= 1 beyond L: it falls before x = r/p and rises after.
std::vector<Piece> yarn_pieces(const Schedule& s) {
  if (!yarn_grows(s)) return {falling_constant(s, start_of_lengths())};
  const Place trained = place_of(s.train_length);
  const Rational p = s.rate * s.mscale;
  const Curve gamma = [s](const Ball& x) {
    return logit_factor(s, Lift<Ball>(x.precision())) * sqr(growing_factor(s, x)) / x;
  };
  std::vector<Piece> pieces = turning_pieces(gamma, trained, -1, 1, [s, p](Bits bits) {
    return Ball(Rational(1 / p), bits) - log(s.train_length, bits);
  });
  if (!(s.train_length == PowerProduct(2)))
    pieces.insert(pieces.begin(), falling_constant(s, start_of_lengths(), trained));
  return pieces;
}

MultiplierFormula yarn_curve(const Schedule& s) {
  if (!yarn_grows(s)) return constant_curve(s);
  const Rational p = s.rate * s.mscale;
  return {.value = [s](const Ball& x) { return sqr(growing_factor(s, x)); },
          .slope = [s, p](const Ball& x) { return 2 * Ball(p, x.precision()) * growing_factor(s, x); },
          .growth = 2,
          .coefficient = [p](Bits bits) { return sqr(Ball(p, bits)); },
          // 2 p x/(p x + r) against 2, r = 1 - p ln L.
          .excess =
              [s, p] {
                return -sign_of_number(
                    [&](Bits bits) { return 1 - Ball(p, bits) * log(s.train_length, bits); },
                    "1 - rate ln(train_length)");
              },
          .kink = s.train_length};
}

void validate_yarn(const Schedule& s) {
  if (s.mscale_all_dim && !s.factor && !s.attention_factor)
    throw InputError("mscale_all_dim needs a fixed factor");
}

}  // namespace

// As Hugging Face's code has it: an explicit attention_factor replaces all.
std::string yarn_factor_symbols(const FormulaNames& names) {
  const std::string ratio = names.given("factor") ? "factor" : names.n_factor + "/train_length";
  const auto scaled = [&](const char* mscale) {
    return fmt::format("rate*{}*log(max({}, 1)) + 1", mscale, ratio);
  };
  std::string r = scaled("mscale");
  if (names.given("mscale_all_dim")) r = fmt::format("({})/({})", r, scaled("mscale_all_dim"));
  if (!names.given("attention_factor")) return r;
  return names.given("factor") || names.given("n") || names.given("position")
             ? fmt::format("prefer(attention_factor, {})", r)
             : "attention_factor";
}

constinit const ScheduleLaw yarn_law{
    .name = "yarn",
    .uses_train_length = true,
    .ball = yarn_multiplier<Ball>,
    .interval = yarn_multiplier<Interval>,
    .formula = yarn_text,
    .symbols =
        [](const FormulaNames& names) { return fmt::format("m = {}; m^2", yarn_factor_symbols(names)); },
    .unbounded = yarn_grows,
    .validate = validate_yarn,
    .pieces = yarn_pieces,
    .curve = yarn_curve,
};

}  // namespace critscale
