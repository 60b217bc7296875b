// Validity of configurations. Uses number/.
#include "critscale/model/configuration.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/number/precision.hpp"

namespace critscale {

namespace {

void require_unit_interval(const char* name, const RationalBox& r) {
  if (r.lo < 0 || r.hi > 1)
    throw InputError(fmt::format("{} must lie in [0, 1], found {}", name, to_string(r)));
}

void validate_bands(const Bands& g, const PowerProduct& n, bool analytic) {
  if (g.bands.empty()) throw InputError("a banded geometry needs at least one band");
  PowerProduct inner(1);
  const RationalBox* previous = nullptr;
  for (const Band& b : g.bands) {
    require_unit_interval("a band's r", b.r);
    if (previous && b.r.hi > previous->lo)
      throw InputError(fmt::format(
          "bands are out of order: r must not increase from the innermost band on, found {} after {}",
          to_string(b.r), to_string(*previous)));
    if (!analytic && !b.size.is_integer())
      throw InputError(
          fmt::format("a band's size must be an integer, found {} (--analytic continues the formulas)",
                      b.size.to_string()));
    if (compare(inner, b.size) >= 0)
      throw InputError(fmt::format("band sizes must increase strictly from more than 1, found {} after {}",
                                   b.size.to_string(), inner.to_string()));
    if (!analytic && !divides(inner, b.size))
      throw InputError(fmt::format(
          "band sizes must divide each other: {} does not divide {} (--analytic continues the formulas)",
          inner.to_string(), b.size.to_string()));
    inner = b.size;
    previous = &b.r;
  }
  if (!(inner == n))
    throw InputError(
        fmt::format("the last band's size must be n = {}, found {}", n.to_string(), inner.to_string()));
}

void require_nonnegative_beta(const LogitScale& s, const PowerProduct& n) {
  if (s.coefficient.lo < 0)
    throw InputError(
        fmt::format("gamma (the factor of log n) must not be negative, found {}", to_string(s.coefficient)));
  if (s.offset.lo >= 0) return;
  // The sign of c (ln n)^k + b; equality cannot be decided by enclosures, and needs none: ln n is
  // transcendental, so the sum is not zero for rational c > 0, k != 0 with (ln n)^k irrational.
  const auto sign = decide(64, 1 << 17, [&](Bits bits) {
    const Ball scale = exp(Ball(s.power, bits) * log(log(n, bits)));
    const Ball beta = Ball(s.coefficient.lo, bits) * scale + Ball(s.offset.lo, bits);
    return certainly(beta.is_nonnegative()) ? std::optional<int>(1) : known_sign(beta);
  });
  if (sign != 1)
    throw InputError(fmt::format("beta must not be negative, found {}*(log n)^{} + {} at n = {}",
                                 to_string(s.coefficient), to_string(s.power), to_string(s.offset),
                                 n.to_string()));
}

}  // namespace

std::size_t Configuration::bands() const {
  const auto* bands = std::get_if<Bands>(&geometry);
  return bands ? bands->bands.size() : 1;
}

bool Configuration::is_point() const {
  if (const auto* simplex = std::get_if<Simplex>(&geometry); simplex && !simplex->rho.is_point())
    return false;
  if (const auto* bands = std::get_if<Bands>(&geometry))
    for (const Band& b : bands->bands)
      if (!b.r.is_point()) return false;
  return scale.coefficient.is_point() && scale.offset.is_point() && alpha.is_point() && q.is_point();
}

std::vector<RationalBox*> box_parameters(Configuration& c) {
  std::vector<RationalBox*> r;
  if (auto* simplex = std::get_if<Simplex>(&c.geometry)) r.push_back(&simplex->rho);
  if (auto* bands = std::get_if<Bands>(&c.geometry))
    for (Band& b : bands->bands) r.push_back(&b.r);
  r.insert(r.end(), {&c.scale.coefficient, &c.scale.offset, &c.alpha, &c.q});
  return r;
}

PowerProduct gram_rank(const Configuration& c) {
  const PowerProduct one(1);
  if (const auto* simplex = std::get_if<Simplex>(&c.geometry)) return simplex->rho.lo == 1 ? one : c.n;
  const auto& bands = std::get<Bands>(c.geometry).bands;
  // Level l has D_l = r_l - r_(l+1) > 0 somewhere in the box unless both are the same point.
  Rational r_above = 1;
  PowerProduct size(1);
  for (const Band& b : bands) {
    if (b.r.lo != r_above) return c.n / size;
    size = b.size;
    r_above = b.r.lo;
  }
  return one;
}

bool all_tied(const Configuration& c) {
  if (const auto* simplex = std::get_if<Simplex>(&c.geometry)) return simplex->rho.hi == 1;
  return std::get<Bands>(c.geometry).bands.back().r.hi == 1;
}

void validate(const Configuration& c) {
  if (const auto* simplex = std::get_if<Simplex>(&c.geometry))
    require_unit_interval("rho", simplex->rho);
  else
    validate_bands(std::get<Bands>(c.geometry), c.n, c.analytic);
  if (c.alpha.lo < 0)
    throw InputError(fmt::format("alpha must not be negative, found {}", to_string(c.alpha)));
  if (c.q.lo <= 0) throw InputError(fmt::format("q must be positive, found {}", to_string(c.q)));
  require_nonnegative_beta(c.scale, c.n);
  if (!c.analytic && !c.d.is_integer())
    throw InputError(
        fmt::format("d must be an integer, found {} (--analytic continues the formulas)", c.d.to_string()));
  if (c.d.factors() == c.n.factors()) return;  // no rank exceeds n
  const PowerProduct rank = gram_rank(c);
  if (compare(c.d, rank) < 0)
    throw InputError(fmt::format("d must be at least the rank of the Gram matrix, {}, found {}",
                                 rank.to_string(), c.d.to_string()));
}

LogitScale critical_scale(const RationalBox& gamma) {
  return {gamma, Rational(1), {Rational(0), Rational(0)}};
}

LogitScale logit_scale(const BetaSpec& beta) {
  return {{beta.coefficient, beta.coefficient}, beta.power, {beta.offset, beta.offset}};
}

}  // namespace critscale
