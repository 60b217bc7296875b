// Random configurations biased to corners.
#include "model/random_inputs.hpp"

#include <algorithm>
#include <functional>

namespace model_test {

Rational RandomInputs::fraction() {
  const unsigned denominator = 1 + below(60);
  return Rational(below(denominator + 1), denominator);
}

Rational RandomInputs::inner_product() {
  switch (below(10)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return 1 - tenth_to(30);
    case 3:
      return tenth_to(30);
    case 4:
      return one_of<Rational>({Rational(1, 3), Rational(1, 2), Rational(9, 10)});
    default:
      return fraction();
  }
}

Rational RandomInputs::gamma(const Rational& threshold) {
  switch (below(8)) {
    case 0:
      return 0;
    case 1:
    case 2:
      return threshold;
    case 3:
      return threshold + tenth_to(1000);
    case 4:
      return abs(threshold - tenth_to(1000));
    case 5:
      return threshold * one_of<Rational>({Rational(1, 2), Rational(9, 10), Rational(11, 10), 2, 5});
    case 6:
      return one_of<Rational>({tenth_to(30), 1, 20});
    default:
      return 3 * fraction();
  }
}

void RandomInputs::draw_layer(Configuration& c, const Rational& threshold) {
  c.scale = critical_scale(point(gamma(threshold)));
  if (below(6) == 0) {
    c.scale.power = one_of<Rational>({0, Rational(1, 2), Rational(2, 3), 1, 2});
    c.scale.offset = point(one_of<Rational>({0, 1, Rational(7, 3)}));
  }
  c.alpha = point(one_of<Rational>({0, 0, 1, 3, Rational(1, 3), tenth_to(30)}));
  c.q = point(one_of<Rational>({1, 2, Rational(1, 4), Rational(22, 7), Rational(5, 1001)}));
  switch (below(4)) {
    case 0:
      c.d = gram_rank(c);
      break;
    case 1:
      c.d = c.n * (below(2) == 0 ? PowerProduct(3) : ten_to(below(40)));
      break;
    default:
      c.d = c.n;
  }
}

Configuration RandomInputs::simplex(Length length) {
  const PowerProduct n =
      length == Length::written
          ? PowerProduct(2 + below(11))
          : one_of<PowerProduct>({PowerProduct(2), PowerProduct(3), PowerProduct(4), PowerProduct(10),
                                  PowerProduct(2 + below(1000)), ten_to(24), ten_to(100), ten_to(400),
                                  PowerProduct::power(2, 1000000), ten_to(Rational(1000000000000000))});
  Configuration c = model_test::simplex(n, inner_product(), 0);
  const Rational rho = std::get<Simplex>(c.geometry).rho.lo;
  draw_layer(c, rho == 1 ? Rational(1) : Rational(1 / (1 - rho)));
  return c;
}

Configuration RandomInputs::bands(Length length) {
  // Sizes are powers of one base, so that thresholds are rational and sizes can be tight (base 2).
  const bool written = length == Length::written;
  const std::size_t levels = 1 + below(written ? 3 : 5);
  const PowerProduct base =
      written ? PowerProduct(2)
              : one_of<PowerProduct>({PowerProduct(2), PowerProduct(2), PowerProduct(3), PowerProduct(10),
                                      ten_to(20), PowerProduct::power(2, 1000),
                                      ten_to(Rational(100000000000000))});
  std::vector<Rational> r, exponent;
  for (std::size_t l = 0; l < levels; ++l) {
    r.push_back(inner_product());
    const unsigned step = written ? (levels == 3 ? 1 : 1 + below(2)) : one_of({1U, 1U, 1U, 2U, 3U});
    exponent.push_back((l == 0 ? Rational(0) : exponent.back()) + step);
  }
  std::sort(r.begin(), r.end(), std::greater<>());
  // Equal or nearly equal neighbours.
  for (std::size_t l = 1; l < levels; ++l) {
    if (below(4) == 0) r[l] = r[l - 1];
    if (below(8) == 0 && r[l - 1] > tenth_to(40)) r[l] = r[l - 1] - tenth_to(40);
  }
  std::sort(r.begin(), r.end(), std::greater<>());
  std::vector<std::pair<Rational, PowerProduct>> profile;
  for (std::size_t l = 0; l < levels; ++l) profile.emplace_back(r[l], pow(base, exponent[l]));
  Configuration c = banded(profile, 0);
  // Two lines of the upper envelope meet ([phases]); level 0 is the token itself.
  r.insert(r.begin(), 1);
  exponent.insert(exponent.begin(), 0);
  const std::size_t inner = below(static_cast<unsigned>(levels));
  const std::size_t outer = inner + 1 + below(static_cast<unsigned>(levels - inner));
  const Rational gap = r[inner] - r[outer];
  draw_layer(
      c, gap == 0 ? Rational(1) : Rational((exponent[outer] - exponent[inner]) / (exponent[levels] * gap)));
  return c;
}

}  // namespace model_test
