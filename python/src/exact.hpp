// Python numbers and texts as exact numbers, and back. Nothing here rounds: a float is the number it is. Uses
// pybind11, text/ and number/. The GIL is held throughout.
#pragma once

#include <pybind11/pybind11.h>

#include "critscale/model/configuration.hpp"
#include "critscale/number/dyadic.hpp"
#include "critscale/number/exact.hpp"

namespace critscale::python {

namespace py = pybind11;

/// The number of an int, a float, a Fraction, a Decimal, or whatever else has `as_integer_ratio`, `numerator`
/// and `denominator`, or `__index__`; nothing for texts. Throws TypeError that names `what` for everything
/// else, InputError for nan and infinities.
std::optional<Rational> number_of(py::handle x, const char* what);

/// The same, or a text as parse_rational and parse_box read it. Throws InputError for malformed texts.
Rational rational(py::handle x, const char* what);
RationalBox box(py::handle x, const char* what);

/// A context length: a whole number of at least 2, or a text as parse_context_length reads it.
PowerProduct context_length(py::handle x);
/// A size or dimension: a whole number of at least 1, or a text as parse_size reads it.
Size size(py::handle x, const char* what);

/// gamma: a number, a box, or a multiple of the first threshold that waits for the geometry.
struct Gamma {
  RationalBox box;
  std::optional<Rational> of_threshold;
};
Gamma gamma(py::handle x);
/// beta: a number, a box, or a text as parse_beta reads it.
LogitScale beta(py::handle x);

/// An int; a Fraction.
py::object integer(const Integer& x);
py::object fraction(const Rational& x);
/// Throws LimitError where the fraction would take more than 2^24 bits.
py::object fraction(const Dyadic& x);

/// Gives a text for messages: the repr of x, cut short.
std::string brief(py::handle x);

}  // namespace critscale::python
