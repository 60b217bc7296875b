// A row for any Real, inputs lifted beforehand. Uses critscale/model/.
#pragma once

#include "benchmark/rows.hpp"
#include "critscale/model/inputs.hpp"

namespace benchmark {

/// One full set; `digest` turns a value into a long.
template <class Real, class Digest>
long full_set(const critscale::SimplexInputs<Real>& inputs, Digest digest) {
  const critscale::SimplexLayer<Real> layer(inputs);
  return digest(layer.log_partition()) + digest(layer.self_weight()) + digest(layer.band_weight()) +
         digest(layer.band_mass()) + digest(layer.inner_product()) + digest(layer.output_norm2()) +
         digest(layer.angle_ratio()) + digest(layer.jacobian_norm()) + digest(layer.participation()) +
         digest(layer.entropy());
}

template <class Real, class Digest>
Row layer_row(std::string name, long digits, const critscale::Lift<Real>& lift, Digest digest) {
  return {std::move(name), digits, [inputs = critscale::simplex_inputs<Real>(setting(), lift), digest] {
            return full_set(inputs, digest);
          }};
}

}  // namespace benchmark
