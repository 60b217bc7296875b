// The quantities of a layer by their names, for every number type. Uses simplex.hpp, bands.hpp and
// quantity names from evaluate.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include "critscale/model/bands.hpp"
#include "critscale/model/evaluate.hpp"
#include "critscale/model/simplex.hpp"

namespace critscale {

/// The values of one quantity: one, or one a band (innermost first).
template <class Real>
std::vector<Real> values_of(const SimplexLayer<Real>& layer, Quantity q) {
  switch (q) {
    case Quantity::log_partition:
      return {layer.log_partition()};
    case Quantity::self_weight:
      return {layer.self_weight()};
    case Quantity::band_weights:
      return {layer.band_weight()};
    case Quantity::band_masses:
      return {layer.band_mass()};
    case Quantity::inner_products:
      return {layer.inner_product()};
    case Quantity::output_norm2:
      return {layer.output_norm2()};
    case Quantity::angle_ratio:
      return {layer.angle_ratio()};
    case Quantity::jacobian_norm:
      return {layer.jacobian_norm()};
    case Quantity::participation:
      return {layer.participation()};
    case Quantity::entropy:
      return {layer.entropy()};
  }
  return {};
}

template <class Real, class F>
std::vector<Real> each_band(const BandedLayer<Real>& layer, F f) {
  std::vector<Real> r;
  for (std::size_t b = 1; b <= layer.bands(); ++b) r.push_back(f(b));
  return r;
}

template <class Real>
std::vector<Real> values_of(const BandedLayer<Real>& layer, Quantity q) {
  switch (q) {
    case Quantity::log_partition:
      return {layer.log_partition()};
    case Quantity::self_weight:
      return {layer.self_weight()};
    case Quantity::band_weights:
      return each_band(layer, [&](std::size_t b) { return layer.band_weight(b); });
    case Quantity::band_masses:
      return each_band(layer, [&](std::size_t b) { return layer.band_mass(b); });
    case Quantity::inner_products:
      return each_band(layer, [&](std::size_t b) { return layer.inner_product(b); });
    case Quantity::output_norm2:
      return {layer.output_norm2()};
    case Quantity::angle_ratio:
      return {layer.angle_ratio()};
    case Quantity::jacobian_norm:
      return {layer.jacobian_norm()};
    case Quantity::participation:
      return {layer.participation()};
    case Quantity::entropy:
      return {layer.entropy()};
  }
  return {};
}

}  // namespace critscale
