// Functions of Balls that random keys need and ball.hpp has not: circular and hyperbolic functions, the
// normal distribution's tail, and the sphere's moments. Uses number/ and Arb.
#pragma once

#include "critscale/number/ball.hpp"

namespace critscale::random {

Ball pi(Bits bits);
Ball tan(const Ball& x);
Ball cos(const Ball& x);
Ball sinh(const Ball& x);
Ball cosh(const Ball& x);
Ball tanh(const Ball& x);
/// ln cosh x, accurate for small x too.
Ball log_cosh(const Ball& x);
/// ln Gamma(x) for x > 0.
Ball log_gamma(const Ball& x);
/// P(Z > x) for a standard normal Z.
Ball normal_tail(const Ball& x);
/// The normal density.
Ball normal_density(const Ball& x);

/// [0, upper end of x], for an x that is not negative: how a bound enters a sum.
Ball up_to(const Ball& x);
/// [-u, u] for the upper end u of |x|.
Ball within(const Ball& x);
/// A double near the midpoint, for choices that no result depends on; infinities for what a double cannot
/// hold.
double rough(const Ball& x);
/// A double near ln x for x > 0 of any size, for choices that no result depends on.
double rough_log(const Ball& x);

/// E exp(x (v - 1)) for v = one coordinate of a uniform point of the unit sphere in R^m, which is
/// exp(-x) 0F1(; m/2; x^2/4). For m > 1 and any real x; decreasing in x. [sphere-moments]
Ball sphere_moment(const Ball& m, const Ball& x);

}  // namespace critscale::random
