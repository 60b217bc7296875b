// Prints an enclosure of ln(1/3) with the installed library.
#include <cstdio>

#include "critscale/critscale.hpp"

int main() {
  const critscale::Ball x = log(critscale::Ball(critscale::Rational(1, 3), 64));
  std::printf("[%s, %s]\n", x.lower().to_hex().c_str(), x.upper().to_hex().c_str());
}
