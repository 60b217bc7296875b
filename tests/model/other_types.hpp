// The evaluators in number types other than Ball, and the general Gram form: one source file each.
// Uses critscale/model/.
#pragma once

#include "critscale/number/dual.hpp"
#include "critscale/number/interval.hpp"
#include "model/support.hpp"

namespace model_test {

NamedValues<Interval> interval_values(const Configuration& c, Bits bits);

/// Values and derivatives by the box parameters, in the order of box_parameters().
NamedValues<Dual<Ball>> dual_values(const Configuration& c, Bits bits);

/// What an ordinary implementation computes; no guarantee.
NamedValues<double> double_values(const Configuration& c);
/// Point arithmetic of 50 decimal digits; no guarantee. Its numbers are given as exact balls.
NamedValues<Ball> fixed_values(const Configuration& c);

/// How many operations the evaluation of every quantity asks of a point type.
struct OperationCounts {
  long arithmetic = 0;
  long functions = 0;  ///< exp, log and their like, powers and roots
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};
OperationCounts operation_counts(const Configuration& c);

/// The general form of [jacobian] on the explicit Gram matrix, seen from token i. For n of a few
/// dozen at most.
NamedValues<Ball> gram_values(const Configuration& c, std::size_t i, Bits bits);

/// Sizes N_0 = 1, N_1, ..., N_L = n of a configuration small enough to be written out.
std::vector<std::size_t> explicit_sizes(const Configuration& c);
/// The level of the smallest common cluster of two tokens.
std::size_t joining_level(const std::vector<std::size_t>& sizes, std::size_t i, std::size_t j);
/// r_0 = 1, r_1, ..., r_L of a configuration that is a point.
std::vector<Rational> explicit_inner_products(const Configuration& c);

}  // namespace model_test
