// Uses failures.hpp.
#include "failures.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "critscale/number/errors.hpp"

namespace critscale::python {

namespace py = pybind11;

namespace {

/// The exception types, never freed: they live as long as the interpreter.
struct Types {
  py::handle input, limit, undefined, undecided, other;
};
Types types;

void set(py::handle type, const std::exception& e) { PyErr_SetString(type.ptr(), e.what()); }

}  // namespace

void add_failures(py::module_& m) {
  const py::module_ errors = py::module_::import("critscale._errors");
  const auto type = [&](const char* name) { return py::object(errors.attr(name)).release(); };
  types = {type("InputError"), type("LimitError"), type("UndefinedError"), type("UndecidedError"),
           type("Error")};
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const InputError& e) {
      set(types.input, e);
    } catch (const LimitError& e) {
      set(types.limit, e);
    } catch (const UndefinedError& e) {
      set(types.undefined, e);
    } catch (const Undecided& e) {
      set(types.undecided, e);
    } catch (const Error& e) {
      set(types.other, e);
    }
  });
  for (const char* name : {"InputError", "LimitError", "UndefinedError", "UndecidedError", "Error"})
    m.attr(name) = errors.attr(name);
}

std::function<void()> interruptible() {
  using Clock = std::chrono::steady_clock;
  struct State {
    std::atomic<bool> stop = false;
    std::thread::id owner = std::this_thread::get_id();
    Clock::time_point looked = Clock::now();
  };
  return [state = std::make_shared<State>()] {
    constexpr std::chrono::milliseconds often(50);
    if (!state->stop && std::this_thread::get_id() == state->owner && Clock::now() - state->looked > often) {
      state->looked = Clock::now();
      const py::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) state->stop = true;
    }
    if (state->stop) throw Interrupted{};
  };
}

}  // namespace critscale::python
