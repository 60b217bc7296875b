// Enclosure: what Python sees of a certified number. Uses exact.hpp and text/print.hpp.
#pragma once

#include <optional>
#include <string>

#include "critscale/number/ball.hpp"
#include "critscale/number/truth.hpp"
#include "critscale/text/print.hpp"
#include "exact.hpp"

namespace critscale::python {

/// A real number known to lie in [lo, hi]; both ends are exact.
class Enclosure {
 public:
  /// Printed with at most `digits` digits.
  Enclosure(Ball x, long digits) : ball_(std::move(x)), asked_(digits) {}
  /// Of a V of the program [results].
  Enclosure(PrintedValue printed, const std::string& lo_hex, const std::string& hi_hex);

  const Dyadic& lo() const { return ends().lo; }
  const Dyadic& hi() const { return ends().hi; }
  /// The text of value, lo and hi [results].
  const PrintedValue& printed() const;
  HexEnclosure hex() const { return {lo().to_hex(), hi().to_hex()}; }
  /// The double next to the number where all of [lo, hi] rounds to one, else next to its middle.
  double nearest() const;
  Dyadic middle() const;

 private:
  struct Ends {
    Dyadic lo, hi;
  };
  const Ends& ends() const;

  std::optional<Ball> ball_;
  long asked_ = 0;
  // Made when they are asked for, with the GIL held.
  mutable std::optional<Ends> ends_;
  mutable std::optional<PrintedValue> printed_;
};

/// The exact order of a dyadic number and a fraction, whatever their sizes.
std::partial_ordering order(const Dyadic& a, const Rational& b);

void add_enclosure(py::module_& m);

}  // namespace critscale::python
