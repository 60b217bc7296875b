// Monotone pieces that several schedules share ([schedules]).
#include "critscale/schedules/pieces.hpp"

#include <fmt/format.h>

#include "critscale/number/precision.hpp"

namespace critscale {

Place place_of(const PowerProduct& n) {
  return [n](Bits bits) { return log(n, bits); };
}

Place start_of_lengths() { return place_of(PowerProduct(2)); }

int sign_of_number(const std::function<Ball(Bits)>& f, const char* what) {
  constexpr Bits most_bits = 1 << 15;
  const auto sign = decide(64, most_bits, [&](Bits bits) { return known_sign(f(bits)); });
  if (!sign) throw LimitError(fmt::format("{} is not told from 0 at {} bits", what, most_bits));
  return *sign;
}

Piece falling_constant(const Schedule& s, Place from, std::optional<Place> to) {
  return {std::move(from), std::move(to), -1,
          [s](const Ball& x) { return beta(s, PowerProduct(2), Lift<Ball>(x.precision())) / x; }};
}

Piece level_piece(Place from) { return {std::move(from), std::nullopt, 0, {}}; }

std::vector<Piece> turning_pieces(const Curve& gamma, const Place& start, int early, int late,
                                  const Place& turn) {
  const auto lead = [&](Bits bits) { return turn(bits) - start(bits); };
  if (sign_of_number(lead, "the distance of a turning point from the piece's start") > 0)
    return {{start, turn, early, gamma}, {turn, std::nullopt, late, gamma}};
  return {{start, std::nullopt, late, gamma}};
}

// (c x^k + b)/x has the derivative x^-2 (c (k-1) x^k - b), which changes sign at most once.
std::vector<Piece> power_law_pieces(const Schedule& s, const Rational& c, const Rational& k,
                                    const Rational& b) {
  const Place start = start_of_lengths();
  if (c == 0 || k == 0) {
    const Rational constant = k == 0 ? Rational(c + b) : b;
    if (constant == 0) return {level_piece(start)};
    const Curve gamma = [s, constant](const Ball& x) {
      const Lift<Ball> lift(x.precision());
      return logit_factor(s, lift) * lift(constant) / x;
    };
    return {{start, std::nullopt, constant > 0 ? -1 : 1, gamma}};
  }
  if (k == 1 && b == 0) return {level_piece(start)};
  const Curve gamma = [s, c, k, b](const Ball& x) {
    const Lift<Ball> lift(x.precision());
    return logit_factor(s, lift) * (lift(c) * exp(lift(Rational(k - 1)) * log(x)) + lift(b) / x);
  };
  const int early = b > 0 ? -1 : b < 0 ? 1 : k < 1 ? -1 : 1, late = k == 1 ? early : k < 1 ? -1 : 1;
  if (early == late) return {{start, std::nullopt, late, gamma}};
  const Rational ratio = b / (c * (k - 1));
  return turning_pieces(gamma, start, early, late, [ratio, k](Bits bits) {
    return exp(Ball(Rational(1 / k), bits) * log(Ball(ratio, bits)));
  });
}

std::vector<Piece> level_beyond_training(const Schedule& s) {
  const Place trained = place_of(s.train_length);
  if (s.train_length == PowerProduct(2)) return {level_piece(trained)};
  return {falling_constant(s, start_of_lengths(), trained), level_piece(trained)};
}

}  // namespace critscale
