// The few kinds of exception the library throws. Uses nothing.
#pragma once

#include <stdexcept>
#include <string>

namespace critscale {

/// Base of everything the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Input that has no meaning: malformed text, a parameter outside its range. The message names
/// the value and the limit, in one line.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The precision or time limit was reached before the question was decided. The message names
/// the limit and the interval reached.
class LimitError : public Error {
 public:
  using Error::Error;
};

/// A quantity that is not defined for this input ([layer]: angle_ratio where every pair is
/// tied, a zero output vector).
class UndefinedError : public Error {
 public:
  using Error::Error;
};

}  // namespace critscale
