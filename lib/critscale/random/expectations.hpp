// Certified expectations over random keys at any n. [expectations] Uses row.hpp and law.hpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "critscale/random/row.hpp"

namespace critscale::random {

enum class Expectation {
  self_weight,          ///< E A_ii
  self_weight2,         ///< E A_ii^2
  log_partition,        ///< E ln Z_i
  collision,            ///< E of the sum of all A_ij^2
  annealed_log_others,  ///< ln E W, W the sum of exp(b (v - 1)) over the independent keys
};
std::span<const Expectation> all_expectations();
std::string_view name(Expectation e);
/// Throws InputError that lists what is allowed.
Expectation expectation_by_name(std::string_view name);
/// Whether a row has it: the self weights need an aligned key.
bool is_defined(Expectation e, const Keys& keys);

/// What is varied in tests: results must overlap whatever these are.
struct IntegrationOptions {
  double shift = 0;    ///< of the nodes of the integral over t, in parts of their distance
  double density = 1;  ///< nodes a unit, times what the accuracy needs
  /// Force the law's transform: by moments, by nodes, or (default) whichever is cheaper.
  enum class Transform { automatic, moments, nodes } transform = Transform::automatic;
  NodeOptions nodes = {};
};

/// The expectations asked for, at about 2^-bits relative accuracy (absolute for log_partition below 1), each
/// certified. n, m and b may be of any size; the time does not grow with n. Where the logit scale is a box
/// the values are for all its points, by monotony in b [monotone]; InputError for self weights of Gaussian
/// keys in a box, which are not monotone.
std::vector<Ball> expectations(const Row& row, const std::vector<Expectation>& wanted, Bits bits,
                               const IntegrationOptions& options = {});
/// The same with `digits` decimal digits certified in each (or as many as a box allows). Throws LimitError.
std::vector<Ball> certified_expectations(const Row& row, const std::vector<Expectation>& wanted, long digits,
                                         Bits max_bits = 0);

/// The same at a given b, for real b >= 0 and E ln Z without beta: E ln(Z/e^beta).
std::vector<Ball> expectations_at(const Keys& keys, const PowerProduct& n, const std::function<Ball(Bits)>& b,
                                  const std::vector<Expectation>& wanted, Bits bits,
                                  const IntegrationOptions& options = {});

}  // namespace critscale::random
