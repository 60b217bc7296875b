// The phase diagram of random keys in (kappa, g), kappa = m/ln n and g = gamma (1 - rho): the lines, the
// inverse questions, phases and limits. [phase-lines] Uses law.hpp and number/.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "critscale/random/law.hpp"

namespace critscale::random {

/// Where an aligned key takes over the row; nothing for Gaussian keys with kappa < 2, where it never does.
/// `kappa` > 0, as a function of the precision.
using Parameter = std::function<Ball(Bits)>;
std::optional<Ball> self_line(KeyLaw law, const Parameter& kappa, Bits bits);
/// Where a row without an aligned key condenses on its few best keys.
Ball condensation_line(KeyLaw law, const Parameter& kappa, Bits bits);

/// The kappa with self_line = g; nothing where there is none (g <= 1; for Gaussian keys g outside (1, 2]).
std::optional<Ball> kappa_on_self_line(KeyLaw law, const Parameter& g, Bits bits);
/// The kappas with condensation_line = g, ascending: two above the sphere's least g, none below; one for
/// Gaussian keys. Throws LimitError too near the least g.
std::vector<Ball> kappas_on_condensation_line(KeyLaw law, const Parameter& g, Bits bits);

/// The inner product v of the keys that hold the row on the self line.
Ball dominant_inner_product(const Parameter& kappa, Bits bits);

enum class RandomPhase {
  spread,    ///< the row's mass lies on many keys (subcritical)
  self,      ///< on the aligned key (supercritical)
  condensed  ///< on a few random keys
};
std::string_view name(RandomPhase phase);
/// The phase at (kappa, g). Throws LimitError where g is not told from the line at `most_bits`.
RandomPhase phase_at(KeyLaw law, bool aligned, const Parameter& kappa, const Parameter& g,
                     Bits most_bits = 4096);
/// lim sum_j A_ij^2: 0, 1, or 1 - g_cond/g (in mean; rests on the condensation picture).
Ball collision_limit(KeyLaw law, RandomPhase phase, const Parameter& kappa, const Parameter& g, Bits bits);

/// Coefficients of the lines' series at both ends. [phase-series]
/// Large kappa: g_self = sum a_j kappa^-j; g_cond = sqrt(2 kappa) sum a_j kappa^-j.
std::vector<Rational> self_line_at_infinity(std::size_t terms);
std::vector<Rational> condensation_line_at_infinity(std::size_t terms);
/// Small kappa: g_self = kappa/X sum a_j X^j, X = exp(1 - 2/kappa); g_cond = kappa/Y sum a_j Y^j, Y =
/// exp(-2/kappa).
std::vector<Rational> self_line_at_zero(std::size_t terms);
std::vector<Rational> condensation_line_at_zero(std::size_t terms);

}  // namespace critscale::random
