// The weight that a token keeps for itself, just below and just above the threshold gamma = 1/(1 - rho), at a
// context length that no array holds: certified digits and the interval that contains the true value.
#include <cstdio>

#include "critscale/critscale.hpp"

int main() {
  using namespace critscale;
  const Rational rho(1, 3);
  Configuration c;
  c.geometry = Simplex{{rho, rho}};
  c.n = parse_context_length("10^(10^15)");
  c.d = c.n;
  c.alpha = {0, 0};
  c.q = {1, 1};
  for (const char* text : {"1.4999999999999999", "3/2", "1.5000000000000001"}) {
    const Rational gamma = parse_rational(text);
    c.scale = critical_scale({gamma, gamma});
    const Quantity quantity[] = {Quantity::self_weight};
    const Evaluation e = certified(c, quantity, 10);
    const PrintedValue v = print(e.quantities[0].values[0], 10);
    std::printf("gamma = %s: self weight %s in [%s, %s]\n", text, v.value.value_or("unknown").c_str(), v.lo.c_str(), v.hi.c_str());
  }
}
