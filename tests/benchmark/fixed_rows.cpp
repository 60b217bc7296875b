// Rows in Boost's fixed-precision mpfr_float.
#include <boost/multiprecision/mpfr.hpp>

#include "benchmark/layer_row.hpp"

namespace benchmark {

namespace {

template <unsigned D>
Row fixed_row() {
  using Fixed = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<D>,
                                              boost::multiprecision::et_off>;
  return layer_row("Boost mpfr_float, fixed", static_cast<long>(D), critscale::Lift<Fixed>(),
                   [](const Fixed& x) { return static_cast<long>(x.sign()); });
}

}  // namespace

std::vector<Row> fixed_rows() { return {fixed_row<30>(), fixed_row<100>(), fixed_row<1000>()}; }

}  // namespace benchmark
