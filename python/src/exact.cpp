// Uses exact.hpp.
#include "exact.hpp"

#include <fmt/format.h>

#include <cmath>

#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"

namespace critscale::python {

namespace {

/// Puts the parameter's name before the message of an InputError.
template <class F>
auto named(const char* what, F&& f) {
  try {
    return f();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", what, error.what()));
  }
}

[[noreturn]] void throw_wrong_type(py::handle x, const char* what) {
  throw py::type_error(fmt::format("{}: expected an int, float, Fraction, Decimal or exact text, found {}",
                                   what, std::string(py::str(py::type::of(x).attr("__name__")))));
}

/// Of an int of any size.
Integer integer_of(py::handle x) {
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(x.ptr(), &overflow);
  if (overflow == 0) {
    if (small == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return Integer(small);
  }
  // "-0x1f", which takes time linear in the number of digits.
  const auto hex = py::reinterpret_steal<py::object>(PyNumber_ToBase(x.ptr(), 16));
  if (!hex) throw py::error_already_set();
  std::string text = py::cast<std::string>(hex);
  const bool negative = text[0] == '-';
  text.erase(0, negative ? 3 : 2);
  Integer r;
  mpz_set_str(r.backend().data(), text.c_str(), 16);
  return negative ? Integer(-r) : r;
}

Rational quotient(py::handle numerator, py::handle denominator) {
  return Rational(integer_of(numerator), integer_of(denominator));
}

Rational float_of(double v, const char* what) {
  if (!std::isfinite(v)) throw InputError(fmt::format("{}: {} is no number", what, v));
  Rational r;
  mpq_set_d(r.backend().data(), v);
  return r;
}

/// The pair that as_integer_ratio gives; it raises for nan and infinities.
Rational ratio_of(py::handle x, const char* what) {
  try {
    const py::tuple pair = x.attr("as_integer_ratio")();
    return quotient(pair[0], pair[1]);
  } catch (const py::error_already_set& e) {
    if (!e.matches(PyExc_ValueError) && !e.matches(PyExc_OverflowError)) throw;
    throw InputError(fmt::format("{}: {} is no number", what, brief(x)));
  }
}

bool is_fraction(py::handle x) {
  static const py::handle type = py::object(py::module_::import("fractions").attr("Fraction")).release();
  return py::type::handle_of(x).is(type);
}

std::string text_of(py::handle x) { return py::cast<std::string>(x); }

bool is_text(py::handle x) { return PyUnicode_Check(x.ptr()); }

/// A positive whole number.
Integer whole(const Rational& v, const char* what) {
  if (!is_integer(v))
    throw InputError(fmt::format("{}: expected a whole number, found {}", what, to_string(v)));
  return numerator(v);
}

}  // namespace

std::string brief(py::handle x) {
  constexpr std::size_t longest = 60;
  std::string text = py::cast<std::string>(py::repr(x));
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

std::optional<Rational> number_of(py::handle x, const char* what) {
  if (PyFloat_CheckExact(x.ptr())) return float_of(PyFloat_AS_DOUBLE(x.ptr()), what);
  if (PyLong_CheckExact(x.ptr())) return Rational(integer_of(x));
  if (is_text(x)) return std::nullopt;
  if (is_fraction(x)) return quotient(x.attr("numerator"), x.attr("denominator"));
  if (PyBool_Check(x.ptr()) || PyBytes_Check(x.ptr())) throw_wrong_type(x, what);
  if (PyFloat_Check(x.ptr())) return float_of(PyFloat_AS_DOUBLE(x.ptr()), what);
  // NumPy's integers have an index; its arrays too, which are no numbers.
  const bool is_array = py::hasattr(x, "ndim") && py::cast<long>(x.attr("ndim")) != 0;
  if (is_array) throw_wrong_type(x, what);
  if (PyIndex_Check(x.ptr()) && !py::hasattr(x, "dtype"))
    return Rational(integer_of(py::reinterpret_steal<py::object>(PyNumber_Index(x.ptr()))));
  if (py::hasattr(x, "dtype")) {
    const auto kind = py::cast<std::string>(x.attr("dtype").attr("kind"));
    if (kind == "i" || kind == "u") return Rational(integer_of(x.attr("item")()));
    if (kind != "f") throw_wrong_type(x, what);
    if (!py::hasattr(x, "as_integer_ratio")) return number_of(x.attr("item")(), what);
  }
  if (py::hasattr(x, "numerator") && py::hasattr(x, "denominator"))
    return quotient(x.attr("numerator"), x.attr("denominator"));
  if (py::hasattr(x, "as_integer_ratio")) return ratio_of(x, what);
  throw_wrong_type(x, what);
}

Rational rational(py::handle x, const char* what) {
  if (auto v = number_of(x, what)) return *std::move(v);
  return named(what, [&] { return parse_rational(text_of(x)); });
}

RationalBox box(py::handle x, const char* what) {
  if (auto v = number_of(x, what)) return {*v, *v};
  return named(what, [&] { return parse_box(text_of(x)); });
}

PowerProduct context_length(py::handle x) {
  if (const auto v = number_of(x, "n")) {
    const Integer n = whole(*v, "n");
    if (n < 2)
      throw InputError(fmt::format("n: expected a whole number of at least 2, found {}", to_string(n)));
    return PowerProduct(n);
  }
  return named("n", [&] { return parse_context_length(text_of(x)); });
}

Size size(py::handle x, const char* what) {
  if (const auto v = number_of(x, what)) {
    const Integer n = whole(*v, what);
    if (n < 1)
      throw InputError(
          fmt::format("{}: expected a whole number of at least 1, found {}", what, to_string(n)));
    return {PowerProduct(n), Rational(0)};
  }
  return named(what, [&] { return parse_size(text_of(x)); });
}

Gamma gamma(py::handle x) {
  if (auto v = number_of(x, "gamma")) return {{*v, *v}, std::nullopt};
  const std::string text = text_of(x);
  return named("gamma", [&]() -> Gamma {
    if (text.starts_with('[')) return {parse_box(text), std::nullopt};
    const GammaSpec g = parse_gamma(text);
    if (g.critical) return {{0, 0}, g.factor};
    return {{g.factor, g.factor}, std::nullopt};
  });
}

LogitScale beta(py::handle x) {
  if (auto v = number_of(x, "beta")) return {{0, 0}, 0, {*v, *v}};
  const std::string text = text_of(x);
  return named("beta", [&]() -> LogitScale {
    if (text.starts_with('[')) return {{0, 0}, 0, parse_box(text)};
    return logit_scale(parse_beta(text));
  });
}

py::object integer(const Integer& x) {
  if (x >= std::numeric_limits<long>::min() && x <= std::numeric_limits<long>::max())
    return py::reinterpret_steal<py::object>(PyLong_FromLong(static_cast<long>(x)));
  // Texts to the base 16 are read in linear time and without a limit of their length.
  const std::string text =
      x < 0 ? "-" + Integer(-x).str(0, std::ios_base::hex) : x.str(0, std::ios_base::hex);
  auto r = py::reinterpret_steal<py::object>(PyLong_FromString(text.c_str(), nullptr, 16));
  if (!r) throw py::error_already_set();
  return r;
}

py::object fraction(const Rational& x) {
  static const py::handle type = py::object(py::module_::import("fractions").attr("Fraction")).release();
  return type(integer(numerator(x)), integer(denominator(x)));
}

py::object fraction(const Dyadic& x) {
  if (!x.is_finite()) throw LimitError(fmt::format("the end {} of an enclosure is no number", x.to_hex()));
  try {
    return fraction(x.to_rational());
  } catch (const InputError&) {
    throw LimitError("a Fraction would take more than 2^24 bits; hex has the exact ends");
  }
}

}  // namespace critscale::python
