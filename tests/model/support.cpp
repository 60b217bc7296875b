// Configurations and names for the tests of model/.
#include "model/support.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "critscale/text/print.hpp"

namespace model_test {

PowerProduct ten_to(const Rational& exponent) { return PowerProduct::power(10, exponent); }

Rational tenth_to(unsigned exponent) {
  return Rational(1, boost::multiprecision::pow(Integer(10), exponent));
}

Configuration simplex(const PowerProduct& n, const Rational& rho, const Rational& gamma) {
  return {Simplex{point(rho)}, n, critical_scale(point(gamma)), point(0), point(1), n};
}

Configuration banded(const std::vector<std::pair<Rational, PowerProduct>>& bands, const Rational& gamma) {
  Bands geometry;
  for (const auto& [r, size] : bands) geometry.bands.push_back({point(r), size});
  const PowerProduct n = bands.back().second;
  return {geometry, n, critical_scale(point(gamma)), point(0), point(1), n};
}

Configuration with_layer(Configuration c, const Rational& alpha, const Rational& q) {
  c.alpha = point(alpha);
  c.q = point(q);
  return c;
}

std::string describe(const Configuration& c) {
  std::string text;
  if (const auto* s = std::get_if<Simplex>(&c.geometry)) {
    text = fmt::format("--geometry simplex --rho {}", to_string(s->rho));
  } else {
    text = "--geometry bands";
    for (const Band& b : std::get<Bands>(c.geometry).bands)
      text += fmt::format(" --band r={},size={}", to_string(b.r), b.size.to_string());
  }
  return fmt::format("{} --n {} --beta '{}*(log n)^({}) + {}' --alpha {} --q {} --d {}", text,
                     c.n.to_string(), to_string(c.scale.coefficient), to_string(c.scale.power),
                     to_string(c.scale.offset), to_string(c.alpha), to_string(c.q), c.d.to_string());
}

std::string describe(const Ball& x) {
  const PrintedValue p = print(x, 30);
  return fmt::format("{} in [{}, {}] ({} bits, {} accurate)", p.value.value_or("?"), p.lo, p.hi,
                     x.precision(), x.accurate_bits());
}

std::string value_name(Quantity q, std::size_t index) {
  return is_per_band(q) ? fmt::format("{}[{}]", name(q), index) : std::string(name(q));
}

NamedValues<Ball> named(const Evaluation& e) {
  NamedValues<Ball> r;
  for (const QuantityValues& q : e.quantities)
    for (std::size_t i = 0; i < q.values.size(); ++i) r.push_back({value_name(q.quantity, i), q.values[i]});
  return r;
}

NamedValues<Ball> ball_values(const Configuration& c, Bits bits) {
  return named(evaluate(c, all_quantities(), bits));
}

Bits log2_of_beta(const Configuration& c) {
  const Ball beta = evaluate(c, {}, 64).beta;
  detail::Fmpz exponent;
  arf_abs_bound_lt_2exp_fmpz(exponent.x, beta.upper().raw());
  return std::max<Bits>(0, fmpz_get_si(exponent.x));
}

}  // namespace model_test
