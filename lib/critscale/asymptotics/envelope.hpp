// The phase diagram of a banded profile ([phases]): the upper envelope of the lines
// theta_l + gamma r_l, exactly. Uses profile.hpp.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "critscale/asymptotics/profile.hpp"

namespace critscale {

/// The weight n^(theta + gamma r) of a band, as an exponent that is linear in gamma.
struct Line {
  Rational theta;
  Rational r;
  Rational at(const Rational& gamma) const { return theta + gamma * r; }
  friend bool operator==(const Line&, const Line&) = default;
};

/// The line of the token itself (theta = 0, r = 1), then one line a band.
std::vector<Line> lines(const Profile& profile);

/// max_l (theta_l + gamma r_l) for gamma >= 0.
class Envelope {
 public:
  /// A maximal interval of gamma on which the lines `top` are the largest; the last has no end.
  struct Piece {
    Line line;
    std::vector<std::size_t> top;
  };

  /// Throws InputError when there is no line.
  explicit Envelope(std::vector<Line> lines);

  /// The gammas > 0 at which the largest line changes, ascending.
  const std::vector<Rational>& breaks() const { return breaks_; }
  /// The pieces from gamma = 0 on, one more than there are break points: piece k ends at break k.
  const std::vector<Piece>& pieces() const { return pieces_; }
  /// Every line that is largest at this gamma, ascending by index; at a break point also lines
  /// that only touch the envelope there.
  std::vector<std::size_t> top(const Rational& gamma) const;

 private:
  std::vector<Line> lines_;
  std::vector<Rational> breaks_;
  std::vector<Piece> pieces_;
};

/// The phase boundaries of a profile, ascending: the break points of its envelope. A simplex with
/// rho < 1 has the single threshold 1/(1-rho); where all mass always stays on exact ties there is none.
std::vector<Rational> thresholds(const Profile& profile);

/// The thresholds of the attention output where they are not those of the masses: at alpha = 0 and
/// outermost inner product 0 the far band's mean has a norm that vanishes, and the inner products
/// change where the largest term of |x'|^2 does. For the simplex with rho = 0: 1/2. In every other
/// case the same as `thresholds`.
std::vector<Rational> forward_thresholds(const Profile& profile, bool with_residual);

enum class Phase { subcritical, intermediate, supercritical, critical };
std::string_view name(Phase phase);

/// Subcritical before the first threshold, supercritical after the last (also where there is none:
/// the mass is then on the token and its exact ties), critical on a threshold, intermediate between.
Phase phase(const std::vector<Rational>& thresholds, const Rational& gamma);

/// The limit of the mass of the token itself and of every band for beta = gamma ln n: the shares of
/// the sizes' coefficients among the lines on top. Throws InputError when a coefficient that takes
/// part is irrational.
std::vector<Rational> limit_masses(const Profile& profile, const Rational& gamma);

}  // namespace critscale
