// Uses structured.hpp.
#include "structured.hpp"

#include <limits>

namespace critscale::python {

Outward outward(const Ball& x) {
  arf_t end;
  arf_init(end);
  constexpr Bits bits = 64;
  arb_get_lbound_arf(end, x.raw(), bits);
  const double lo = arf_get_d(end, ARF_RND_FLOOR);
  arb_get_ubound_arf(end, x.raw(), bits);
  const double hi = arf_get_d(end, ARF_RND_CEIL);
  arf_clear(end);
  return {
      x.is_finite() ? arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR) : std::numeric_limits<double>::quiet_NaN(),
      lo, hi};
}

Outward undefined_outward() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return {nan, nan, nan};
}

Outward exactly(double v) { return {v, v, v}; }

OutwardArray::OutwardArray(const std::vector<std::size_t>& shape) {
  static const py::handle type = [] {
    PYBIND11_NUMPY_DTYPE(Outward, value, lo, hi);
    return py::object(py::dtype::of<Outward>()).release();
  }();
  std::vector<py::ssize_t> sizes;
  for (const std::size_t s : shape) sizes.push_back(static_cast<py::ssize_t>(s));
  array_ = py::array(py::reinterpret_borrow<py::dtype>(type), sizes);
  data_ = static_cast<Outward*>(array_.mutable_data());
}

py::array outward_array(std::span<const Ball> values, const std::vector<std::size_t>& shape) {
  const OutwardArray r(shape);
  for (std::size_t i = 0; i < values.size(); ++i) r.data()[i] = outward(values[i]);
  return r.array();
}

}  // namespace critscale::python
