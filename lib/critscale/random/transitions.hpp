// Where a finite row changes over: certified roots in b, as g = b/ln n. [random-transitions] Uses
// expectations.hpp.
#pragma once

#include "critscale/random/expectations.hpp"

namespace critscale::random {

/// The g with E A_ii = 1/2, which is unique for keys on a sphere because E A_ii rises with b from 1/n. Throws
/// InputError for other keys and without an aligned key.
Ball self_transition(const Keys& keys, const PowerProduct& n, long digits);
/// The g with E W = 1, W the sum of exp(b (v - 1)) over the other keys; E W falls with b on the sphere.
Ball annealed_transition(const Keys& keys, const PowerProduct& n, long digits);

}  // namespace critscale::random
