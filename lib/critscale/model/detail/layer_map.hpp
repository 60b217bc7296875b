// One layer as a map of what a symmetric geometry keeps ([many-layers]): z = (q, delta_1, ..., delta_L) with
// delta_l = 1 - r_l goes to the same numbers of the output. L = 1 is the simplex. Uses inputs.hpp.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "critscale/model/inputs.hpp"

namespace critscale {

/// What stays the same from layer to layer.
template <class Real>
struct LayerConstants {
  Real n, d, beta, alpha;
  std::vector<Real> size;  ///< N_1, ..., N_L = n
};

/// The layer on a simplex at the state (q, delta).
template <class Real>
SimplexLayer<Real> simplex_layer(const LayerConstants<Real>& k, const Real& q, const Real& delta) {
  const Real exponent = k.beta * delta, decay = exp(Real(-exponent));
  return SimplexLayer<Real>({k.n, k.d, k.beta, 1 - delta, delta, q, sqrt(q), k.alpha, (k.n - 1) * decay,
                             one_minus_decay<Real>(exponent, decay)});
}

/// The layer on bands at the state (q, delta_1, ..., delta_L).
template <class Real>
BandedLayer<Real> banded_layer(const LayerConstants<Real>& k, const std::vector<Real>& z) {
  const std::size_t L = k.size.size();
  BandInputs<Real> in{k.d, k.beta, z[0], sqrt(z[0]), k.alpha, {}, {}, {}, {}, {}, {}, {}, {}};
  for (std::size_t l = 0; l <= L; ++l) {
    const Real depth = l == 0 ? 0 * z[1] : z[l];
    in.size.push_back(l == 0 ? Real(1) : k.size[l - 1]);
    in.count.push_back(l == 0 ? Real(1) : Real(in.size[l] - in.size[l - 1]));
    in.r.push_back(1 - depth);
    in.drop.push_back(l == L ? Real(1 - depth) : Real(z[l + 1] - depth));
    in.depth.push_back(depth);
    in.odds.push_back(in.count[l] * exp(Real(-(k.beta * depth))));
    in.tied.push_back(false);
    if (l > 0) {
      const Real exponent = k.beta * in.drop[l - 1];
      in.fall.push_back(one_minus_decay<Real>(exponent, exp(Real(-exponent))));
    }
  }
  return BandedLayer<Real>(std::move(in));
}

/// z -> z'. The map extends analytically across delta = 0, where delta' = 0 for every q.
template <class Real>
std::vector<Real> next_state(const LayerConstants<Real>& k, const std::vector<Real>& z) {
  if (z.size() == 2) {
    const SimplexLayer<Real> layer = simplex_layer(k, z[0], z[1]);
    return {layer.output_norm2(), layer.one_minus_inner_product()};
  }
  const BandedLayer<Real> layer = banded_layer(k, z);
  std::vector<Real> r{layer.output_norm2()};
  for (std::size_t b = 1; b < z.size(); ++b) r.push_back(layer.one_minus_inner_product(b));
  return r;
}

}  // namespace critscale
