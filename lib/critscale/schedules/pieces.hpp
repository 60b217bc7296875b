// Pieces of a schedule on which gamma_eff is monotone in x = ln n ([schedules]): what a law states, and what
// crossings are found from. Uses schedule.hpp and number/.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "critscale/schedules/schedule.hpp"

namespace critscale {

using Place = std::function<Ball(Bits)>;           ///< an end of a piece, as x = ln n
using Curve = std::function<Ball(const Ball& x)>;  ///< gamma_eff as a function of x, at x's precision

/// gamma_eff on [from, to): strictly falling (-1), strictly rising (+1) or constant (0). Without an end
/// it goes on for ever.
struct Piece {
  Place from;
  std::optional<Place> to;
  int trend;
  Curve gamma;
};

/// The place x = ln n.
Place place_of(const PowerProduct& n);
/// From n = 2 on, where every schedule starts.
Place start_of_lengths();

/// The sign of f(bits), a number that is not 0. Throws LimitError that names it where 2^15 bits do not tell.
int sign_of_number(const std::function<Ball(Bits)>& f, const char* what);

/// The multiplier is constant, the one at n = 2: gamma_eff = beta/x falls.
Piece falling_constant(const Schedule& s, Place from, std::optional<Place> to = std::nullopt);
/// gamma_eff is constant from here on.
Piece level_piece(Place from);
/// A curve from `start` on with one turning point, which may lie before the start.
std::vector<Piece> turning_pieces(const Curve& gamma, const Place& start, int early, int late,
                                  const Place& turn);
/// The multiplier is c x^k + b.
std::vector<Piece> power_law_pieces(const Schedule& s, const Rational& c, const Rational& k,
                                    const Rational& b);
/// 1 up to the training length, gamma_eff constant beyond.
std::vector<Piece> level_beyond_training(const Schedule& s);

}  // namespace critscale
