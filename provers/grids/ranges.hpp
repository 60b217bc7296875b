// Lists and ranges of values as texts, of which nothing but the ends is kept. Uses text/parse.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "critscale/number/exact.hpp"

namespace critscale::cli {

/// One text with the place it came from, for error messages: "--rho" or "cases/a.toml:12: rho".
struct Text {
  std::string text;
  std::string where;
};

/// A value, or equally spaced values, or values with a common ratio.
class ValueRange {
 public:
  std::size_t size() const { return count_; }
  /// The i-th value as exact text. Any order, any thread.
  Text operator[](std::size_t i) const;

  /// Reads one item:
  ///   VALUE               as it is
  ///   FROM:TO:STEPS       STEPS equally spaced values, both ends among them
  ///   FROM:TO:*RATIO      FROM, FROM*RATIO, ... up to TO, all positive, RATIO > 1 (or < 1, down to TO)
  ///   critical*A:critical*B:STEPS and :*RATIO, likewise in the factors; also of gamma_1 and gamma_2
  /// Throws InputError that names the place.
  static ValueRange read(const Text& text);

 private:
  std::string prefix_;  ///< "critical*", "gamma_2*"
  std::string where_, single_;
  std::size_t count_ = 1;
  Rational from_, step_;
  bool geometric_ = false;
};

/// gamma as a number, or as a multiple of a threshold.
struct GammaText {
  std::size_t threshold = 0;  ///< 1 for the first, 0 for a number
  Rational factor;
  /// The number, given the thresholds in ascending order. Throws InputError where there are not so many.
  Rational resolve(const std::vector<Rational>& thresholds) const;
};
/// NUMBER, `critical` (which is gamma_1), `gamma_1`, `gamma_2`, each of these also `*FACTOR`. Throws
/// InputError.
GammaText parse_gamma_text(const std::string& text);

/// The items of a text with commas, those inside brackets left whole: "1/2,[1,2],1:2:5" has three.
std::vector<ValueRange> value_ranges(const Text& text);

}  // namespace critscale::cli
