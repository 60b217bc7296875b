// Exceptions on their way to Python, and Ctrl-C. Uses pybind11 and number/errors.hpp.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <stdexcept>

namespace critscale::python {

/// A comparison, or a digit, that the enclosure does not decide.
class Undecided : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Takes the exception types from critscale._errors and lets C++ errors become those.
void add_failures(pybind11::module_& m);

/// A function for long work without the GIL to call now and then, by any thread: it throws where Ctrl-C was
/// pressed. Python's own signals are looked at by the thread that made it, at most every twentieth of a
/// second.
std::function<void()> interruptible();

/// Runs f without the GIL. What an interruption throws inside becomes the exception that Python has raised.
template <class F>
auto without_gil(F&& f);

/// Thrown by interruptible(), while Python keeps the exception.
struct Interrupted {};

template <class F>
auto without_gil(F&& f) {
  try {
    const pybind11::gil_scoped_release release;
    return f();
  } catch (const Interrupted&) {
    throw pybind11::error_already_set();
  }
}

}  // namespace critscale::python
