// Exact descriptions of what is evaluated: a geometry, a context length, a logit scale, and the
// layer's parameters; and what makes a description valid. Uses number/.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "critscale/number/power_product.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

/// Assumption 1 of the paper ([simplex]): one inner product rho in [0, 1] for every pair.
struct Simplex {
  RationalBox rho;
};

/// Inner product r with the tokens of a cluster of `size` tokens that lie in no smaller cluster.
struct Band {
  RationalBox r;
  PowerProduct size;
};

/// Nested clusters ([bands]), innermost first: sizes strictly increase and divide each other,
/// the last is n; inner products do not increase.
struct Bands {
  std::vector<Band> bands;
};

using Geometry = std::variant<Simplex, Bands>;

/// beta = coefficient (ln n)^power + offset; beta = gamma ln n is {gamma, 1, 0}.
struct LogitScale {
  RationalBox coefficient;
  Rational power;
  RationalBox offset;
};

/// One attention layer on one configuration. Parameters that are boxes stand for all their points.
struct Configuration {
  Geometry geometry;
  PowerProduct n;
  LogitScale scale;
  RationalBox alpha;
  RationalBox q;
  PowerProduct d;
  /// Continue the formulas to sizes that are not integers or do not divide.
  bool analytic = false;

  /// Number of bands: the simplex has one.
  std::size_t bands() const;
  /// Whether no parameter is a proper box.
  bool is_point() const;
};

/// The parameters that may be boxes, in the order that `Lift` numbers them: inner products from
/// the innermost band on, then coefficient, offset, alpha, q.
std::vector<RationalBox*> box_parameters(Configuration& c);

/// Rank of the Gram matrix: n over the size of the finest clusters whose members differ. For
/// boxes, the largest rank.
PowerProduct gram_rank(const Configuration& c);

/// Whether all pairs of tokens are tied (inner product exactly 1) somewhere in the box: lambda is
/// undefined there.
bool all_tied(const Configuration& c);

/// Throws InputError with one line that names the parameter, what was found and what is allowed:
/// inner products outside [0, 1] or increasing, sizes that do not increase, divide or end in n
/// (only the division is lifted by `analytic`), alpha < 0, q <= 0, beta < 0, d below the rank.
void validate(const Configuration& c);

/// The logit scale of a number gamma >= 0 of box type: beta = gamma ln n.
LogitScale critical_scale(const RationalBox& gamma);
LogitScale logit_scale(const BetaSpec& beta);

}  // namespace critscale
