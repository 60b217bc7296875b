// Rounded cells of tables against an independent route: the layer in Interval arithmetic at twice the
// precision, its ends rounded by MPFR with its own exponent range and subnormals.
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "critscale/model/evaluate.hpp"
#include "critscale/model/inputs.hpp"
#include "critscale/tables/detail/columns.hpp"
#include "critscale/tables/reference.hpp"

using namespace critscale;

namespace {

/// x rounded to nearest in the format, by MPFR.
double rounded_by_mpfr(const BinaryFormat& format, mpfr_srcptr x) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_t y;
  mpfr_init2(y, format.precision);
  // MPFR's significands lie in [1/2, 1).
  int ternary = mpfr_set(y, x, MPFR_RNDN);
  mpfr_set_emin(format.min_exponent - format.precision + 2);
  mpfr_set_emax(format.max_exponent + 1);
  ternary = mpfr_check_range(y, ternary, MPFR_RNDN);
  mpfr_subnormalize(y, ternary, MPFR_RNDN);
  const double r = mpfr_get_d(y, MPFR_RNDN);
  mpfr_clear(y);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return r;
}

constexpr std::array<Column, 4> rounded_columns{Column::binary64, Column::binary32, Column::bfloat16,
                                                Column::binary16};
constexpr long digits = 30;

Configuration simplex(const PowerProduct& n, const Rational& rho, const Rational& gamma,
                      const Rational& alpha) {
  return {Simplex{{rho, rho}}, n, critical_scale({gamma, gamma}), {alpha, alpha}, {1, 1}, n};
}

std::vector<Interval> interval_values(const Configuration& c, Bits bits) {
  const Lift<Interval> lift(bits);
  const SimplexLayer<Interval> layer(simplex_inputs<Interval>(c, lift));
  return {layer.log_partition(), layer.self_weight(),   layer.band_weight(),   layer.output_norm2(),
          layer.inner_product(), layer.jacobian_norm(), layer.participation(), layer.entropy()};
}

/// Compares every rounded cell of one configuration; returns how many were compared.
std::size_t compare_cells(const Configuration& c) {
  constexpr std::array quantities{Quantity::log_partition, Quantity::self_weight,    Quantity::band_weights,
                                  Quantity::output_norm2,  Quantity::inner_products, Quantity::jacobian_norm,
                                  Quantity::participation, Quantity::entropy};
  Evaluation e = certified(c, quantities, digits);
  // A value may come as near to half-way as it likes: more bits decide, as in a table.
  for (Bits bits = 2 * e.beta.precision(); bits < 65536; bits *= 2) {
    if (std::all_of(e.quantities.begin(), e.quantities.end(),
                    [](const QuantityValues& q) { return is_decided(q.values[0], rounded_columns); }))
      break;
    e = evaluate(c, quantities, bits);
  }
  const std::vector<Interval> intervals = interval_values(c, 2 * e.beta.precision() + 64);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const std::vector<std::string> texts = cells(e.quantities[i].values[0], digits, rounded_columns);
    for (std::size_t k = 0; k < rounded_columns.size(); ++k) {
      const BinaryFormat& format = *format_of(rounded_columns[k]);
      const double lower = rounded_by_mpfr(format, &intervals[i].raw()->left);
      const double upper = rounded_by_mpfr(format, &intervals[i].raw()->right);
      CAPTURE(to_string(std::get<Simplex>(c.geometry).rho), c.n.to_string(), to_string(c.scale.coefficient),
              name(quantities[i]), format.name, texts[k]);
      REQUIRE_FALSE(texts[k].empty());
      REQUIRE(lower == upper);
      REQUIRE(std::strtod(texts[k].c_str(), nullptr) == lower);
      ++compared;
    }
  }
  return compared;
}

/// Context lengths whose reciprocals reach the subnormal numbers of every format.
Configuration random_configuration(std::mt19937_64& random) {
  constexpr std::array<unsigned, 4> largest_power{8, 46, 330, 30};
  const unsigned largest = largest_power[random() % 4];
  const unsigned power = 1 + static_cast<unsigned>(random() % largest);
  const Integer n = boost::multiprecision::pow(Integer(10), power) + random() % 1000;
  const Rational rho(static_cast<long>(random() % 999 + 1), 1000);
  const Rational gamma(static_cast<long>(random() % 4000 + 1), 1000);
  const Rational alpha(static_cast<long>(random() % 3), 2);
  return simplex(PowerProduct(n), rho, gamma, alpha);
}

void compare_random(std::size_t entries, unsigned seed) {
  std::mt19937_64 random(seed);
  std::size_t compared = 0;
  while (compared < entries) compared += compare_cells(random_configuration(random));
}

}  // namespace

TEST_CASE("rounded cells agree with intervals rounded by MPFR, 100,000 entries") {
  compare_random(100000, 2);
}

TEST_CASE("a value within 10^-50 of half-way is rounded to its side") {
  // Below the threshold with alpha = 1/2 the inner product tends to 0.978515625, half-way in bfloat16.
  compare_cells(
      simplex(PowerProduct::power(10, 139), Rational(167, 200), Rational(1773, 500), Rational(1, 2)));
}

TEST_CASE("half-way cells round to even") {
  struct Tie {
    Column column;
    unsigned k;
  };
  // At gamma = 0, rho = 1/2, n = 2^k: |x'|^2 = 1/2 + 2^-(k+1), half a unit above 1/2.
  for (const Tie t :
       {Tie{Column::bfloat16, 8}, {Column::binary16, 11}, {Column::binary32, 24}, {Column::binary64, 53}}) {
    const Configuration c = simplex(PowerProduct::power(2, t.k), Rational(1, 2), 0, 0);
    const std::array quantity{Quantity::output_norm2};
    const Ball x = certified(c, quantity, digits).quantities[0].values[0];
    const std::array column{t.column};
    CHECK(cells(x, digits, column)[0] == "0.5");
    CHECK(x.contains(Rational(Rational(1, 2) + Rational(1, Integer(1) << (t.k + 1)))));
    compare_cells(c);
  }
  // 1/n is half the smallest subnormal number: a tie with 0.
  for (const Tie t : {Tie{Column::bfloat16, 134},
                      {Column::binary16, 25},
                      {Column::binary32, 150},
                      {Column::binary64, 1075}}) {
    const std::array column{t.column};
    const std::array quantity{Quantity::band_weights};
    const auto cell = [&](const Integer& n) {
      const Ball x =
          certified(simplex(PowerProduct(n), Rational(1, 2), 0, 0), quantity, 400).quantities[0].values[0];
      return std::strtod(cells(x, digits, column)[0].c_str(), nullptr);
    };
    const Integer n = Integer(1) << t.k;
    CHECK(cell(n) == 0);
    CHECK(cell(n - 1) == as_double(round_to(binary64, from_bits(*format_of(t.column), 1))));
    CHECK(cell(n + 1) == 0);
  }
}

TEST_CASE("an enclosure that does not decide a rounding has an empty cell") {
  const std::array column{Column::binary16};
  const Ball tie = Ball(1, 100) + scaled(Ball(1, 100), Integer(-11));
  CHECK(cells(tie, digits, column)[0] == "1");
  const Ball blurred = hull(tie, tie + scaled(Ball(1, 200), Integer(-90)));
  CHECK(cells(blurred, digits, column)[0].empty());
  CHECK_FALSE(is_decided(blurred, column));
}
