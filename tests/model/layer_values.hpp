// The evaluators called directly, for any Real. Heavy: include it in one source file for each Real.
// Uses critscale/model/.
#pragma once

#include <fmt/format.h>

#include "critscale/model/inputs.hpp"
#include "model/support.hpp"

namespace model_test {

template <class Real>
NamedValues<Real> layer_values(const SimplexLayer<Real>& layer, bool with_angle_ratio) {
  NamedValues<Real> r{{"log_partition", layer.log_partition()},     {"self_weight", layer.self_weight()},
                      {"band_weights[0]", layer.band_weight()},     {"band_masses[0]", layer.band_mass()},
                      {"inner_products[0]", layer.inner_product()}, {"output_norm2", layer.output_norm2()}};
  if (with_angle_ratio) r.push_back({"angle_ratio", layer.angle_ratio()});
  r.push_back({"jacobian_norm", layer.jacobian_norm()});
  r.push_back({"participation", layer.participation()});
  r.push_back({"entropy", layer.entropy()});
  return r;
}

template <class Real>
NamedValues<Real> layer_values(const BandedLayer<Real>& layer, bool with_angle_ratio) {
  NamedValues<Real> r{{"log_partition", layer.log_partition()}, {"self_weight", layer.self_weight()}};
  const std::size_t L = layer.bands();
  for (std::size_t b = 1; b <= L; ++b)
    r.push_back({fmt::format("band_weights[{}]", b - 1), layer.band_weight(b)});
  for (std::size_t b = 1; b <= L; ++b)
    r.push_back({fmt::format("band_masses[{}]", b - 1), layer.band_mass(b)});
  for (std::size_t b = 1; b <= L; ++b)
    r.push_back({fmt::format("inner_products[{}]", b - 1), layer.inner_product(b)});
  r.push_back({"output_norm2", layer.output_norm2()});
  if (with_angle_ratio) r.push_back({"angle_ratio", layer.angle_ratio()});
  r.push_back({"jacobian_norm", layer.jacobian_norm()});
  r.push_back({"participation", layer.participation()});
  r.push_back({"entropy", layer.entropy()});
  return r;
}

/// The values of a configuration whose parameters are lifted to Real, in the order of named().
template <class Real>
NamedValues<Real> lifted_values(const Configuration& c, const Lift<Real>& lift) {
  const bool with_angle_ratio = !all_tied(c);
  if (std::holds_alternative<Simplex>(c.geometry))
    return layer_values(SimplexLayer<Real>(simplex_inputs<Real>(c, lift)), with_angle_ratio);
  return layer_values(BandedLayer<Real>(band_inputs<Real>(c, lift)), with_angle_ratio);
}

}  // namespace model_test
