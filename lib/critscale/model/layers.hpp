// Many layers on a simplex or on bands with certified enclosures ([many-layers]). Uses configuration.hpp and
// number/.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "critscale/model/configuration.hpp"
#include "critscale/number/ball.hpp"

namespace critscale {

/// Layers with the same weights: beta (any precision on demand), alpha, n and d do not change.
struct LayerStack {
  Geometry geometry;  ///< exact inner products, not boxes
  PowerProduct n, d;
  Rational alpha, q;
  std::function<Ball(Bits)> beta;
};

/// The state after a number of layers.
struct StackState {
  long layers = 0;
  Ball q;                             ///< |x_i|^2
  std::vector<Ball> delta;            ///< 1 - inner product, one a band, innermost first
  std::optional<Ball> jacobian_norm;  ///< eta of the composed map, where asked for

  /// 1 - delta[b], which is never negative.
  Ball inner_product(std::size_t b) const;
};

/// A fixed point that attracts: q = 1/(1-alpha)^2 with all inner products 1. Proved on the box
/// |q - q*| <= q_radius, 0 <= delta_l <= delta_bound by K = F(z*) + F'(box)(box - z*) inside the box's
/// interior (Krawczyk's form of interval Newton), so it is the only one there, and by
/// max delta' <= contraction * max delta on the box.
struct FixedPoint {
  long layer;  ///< the layer from which on the state lies in the box
  Ball q, q_radius, delta_bound, contraction;
};

struct StackResult {
  std::vector<StackState> states;
  /// Where it was proved before the last layer, iteration stopped there: later states are the box, with
  /// delta_l <= contraction^(layers - layer) delta_bound.
  std::optional<FixedPoint> fixed_point;
  Bits bits;  ///< working precision
};

/// Options of an iteration.
struct StackOptions {
  long digits = 30;
  Bits max_bits = 0;                   ///< 0: chosen by the digits
  bool jacobian = false;               ///< simplex with d >= n >= 3 only
  std::function<void(long)> progress;  ///< called now and then with the layer; may throw to stop
};

/// States after the given ascending numbers of layers, each value good for `digits` digits, or, where an
/// inner product is within that of 1 or of 0, an enclosure of delta or of the inner product that reaches 0.
/// Steps are mean-value forms: the map at the midpoint, and its derivative over a box for the radius. Throws
/// LimitError at the precision limit, InputError for boxes and for what validate() refuses.
StackResult iterate(const LayerStack& stack, std::span<const long> layers, const StackOptions& options);

/// What one layer at this logit scale attends to, each value good for `digits` digits.
struct Attended {
  Ball self_weight, participation;
};
Attended attended(const LayerStack& stack, long digits, Bits max_bits = 0);

}  // namespace critscale
