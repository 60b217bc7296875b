// Certificates, re-checked by the independent checker. Uses checker/verify.hpp.
#include "critscale/checker/verify.hpp"

#include <pybind11/pybind11.h>

#include "failures.hpp"
#include "module.hpp"

namespace critscale::python {

namespace py = pybind11;

namespace {

/// (accepted, statement or reason).
py::tuple verify_text(const std::string& text) {
  const checker::Verdict v = without_gil([&] { return checker::verify(text); });
  return py::make_tuple(v.accepted, v.accepted ? v.statement : v.reason);
}

}  // namespace

void add_verify(py::module_& m) { m.def("verify_text", &verify_text); }

}  // namespace critscale::python
