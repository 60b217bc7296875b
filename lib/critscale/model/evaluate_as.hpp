// The values of a configuration in any number type. Uses inputs.hpp and layer_values.hpp.
#pragma once

#include <span>
#include <vector>

#include "critscale/model/inputs.hpp"
#include "critscale/model/layer_values.hpp"

namespace critscale {

/// Values of quantities, in the order they were asked for.
template <class Real>
struct Values {
  Real beta;
  std::vector<std::vector<Real>> quantities;
};

/// The values of all quantities asked for but, unless `with_angle_ratio`, that one, which has none.
template <class Real>
Values<Real> evaluate_as(const Configuration& c, std::span<const Quantity> quantities, const Lift<Real>& lift,
                         bool with_angle_ratio) {
  Values<Real> r;
  const auto collect = [&](const auto& layer) {
    r.beta = layer.inputs().beta;
    for (Quantity q : quantities)
      r.quantities.push_back(q == Quantity::angle_ratio && !with_angle_ratio ? std::vector<Real>{}
                                                                             : values_of(layer, q));
  };
  if (std::holds_alternative<Simplex>(c.geometry))
    collect(SimplexLayer<Real>(simplex_inputs<Real>(c, lift)));
  else
    collect(BandedLayer<Real>(band_inputs<Real>(c, lift)));
  return r;
}

}  // namespace critscale
