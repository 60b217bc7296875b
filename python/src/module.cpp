// critscale._core: the library for Python. What users call is in the Python files of the package.
#include "module.hpp"

#include "enclosure.hpp"
#include "failures.hpp"

PYBIND11_MODULE(_core, m) {
  m.doc() = "Certified numbers and the functions that make them; see the package critscale.";
  critscale::python::add_failures(m);
  critscale::python::add_enclosure(m);
  critscale::python::add_evaluate(m);
  critscale::python::add_tokens(m);
  critscale::python::add_attention(m);
  critscale::python::add_verify(m);
}
