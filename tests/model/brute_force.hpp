// The layer computed literally by its definition ([layer]) on explicit vectors, in point arithmetic
// of 120 digits: scores, softmax, outputs, and the Jacobian by central differences. It shares no
// formula with the library. Uses critscale/model/ for the description of inputs only.
#pragma once

#include "model/support.hpp"

namespace model_test {

/// How the explicit vectors are made.
enum class Embedding {
  features,   ///< [bands]: orthonormal features, then reflected at random; needs d >= feature_count()
  compressed  ///< the features' coordinates in an orthonormal basis of their span; needs d >= the rank
};

/// Number of orthonormal features of the embedding of [bands].
std::size_t feature_count(const Configuration& c);

/// Largest difference between what two tokens, or two pairs of the same band, have in common.
struct BruteForce {
  NamedValues<Ball> values;  ///< exact balls, in the order of named()
  Ball asymmetry;            ///< the largest difference between tokens (pairs) that should agree
};

BruteForce brute_force(const Configuration& c, Embedding embedding, unsigned seed);

}  // namespace model_test
