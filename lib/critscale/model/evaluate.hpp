// The quantities of [layer] for a configuration, certified. Uses configuration.hpp and number/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/model/configuration.hpp"
#include "critscale/number/ball.hpp"

namespace critscale {

/// The quantities of [layer], under the names users see.
enum class Quantity {
  log_partition,
  self_weight,
  band_weights,
  band_masses,
  inner_products,
  output_norm2,
  angle_ratio,
  jacobian_norm,
  participation,
  entropy
};

/// Every quantity, in the order of [layer].
std::span<const Quantity> all_quantities();
std::string_view name(Quantity q);
/// Throws InputError that lists what is allowed.
Quantity quantity_by_name(std::string_view name);
/// Whether the quantity has one value a band (innermost first) rather than a single value.
bool is_per_band(Quantity q);

/// The values of one quantity: one, or one a band. Without values where the quantity is undefined,
/// and then `undefined` says why.
struct QuantityValues {
  Quantity quantity;
  std::vector<Ball> values;
  std::optional<std::string> undefined;
};

struct Evaluation {
  Ball beta;
  std::vector<QuantityValues> quantities;
};

/// Enclosures at one working precision, for every point of the configuration's box ([simplex],
/// [bands]). The configuration is validated first.
Evaluation evaluate(const Configuration& c, std::span<const Quantity> quantities, Bits bits);

class NumberCache;

/// The same with every value good for `digits` decimal digits, at a precision raised as needed up
/// to `max_bits` (0: default_max_bits). A box has no digits to certify: there the enclosure of the
/// range is tightened by subdivision and mean-value forms instead. Throws LimitError at the limit.
/// The points of a grid are faster with a cache that they share.
Evaluation certified(const Configuration& c, std::span<const Quantity> quantities, long digits,
                     Bits max_bits = 0, NumberCache* cache = nullptr);

}  // namespace critscale
