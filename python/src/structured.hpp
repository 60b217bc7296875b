// Arrays of enclosures as NumPy's structured arrays: value, lo, hi in binary64, lo and hi rounded outward.
// Uses pybind11's NumPy support and number/.
#pragma once

#include <pybind11/numpy.h>

#include <span>
#include <vector>

#include "critscale/number/ball.hpp"

namespace critscale::python {

namespace py = pybind11;

/// lo <= x <= hi, and `value` between them, next to the middle.
struct Outward {
  double value, lo, hi;
};
Outward outward(const Ball& x);
/// nan for all three.
Outward undefined_outward();
/// An infinite number.
Outward exactly(double v);

/// A new array of the given shape, with fields value, lo, hi.
class OutwardArray {
 public:
  explicit OutwardArray(const std::vector<std::size_t>& shape);
  Outward* data() const { return data_; }
  py::array array() const { return array_; }

 private:
  py::array array_;
  Outward* data_;
};

/// One enclosure an entry, in C order.
py::array outward_array(std::span<const Ball> values, const std::vector<std::size_t>& shape);

}  // namespace critscale::python
