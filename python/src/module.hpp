// What each file of the module adds to it.
#pragma once

#include <pybind11/pybind11.h>

namespace critscale::python {

void add_evaluate(pybind11::module_& m);
void add_tokens(pybind11::module_& m);
void add_attention(pybind11::module_& m);
void add_verify(pybind11::module_& m);

}  // namespace critscale::python
