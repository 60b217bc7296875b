// Certified decimals as positions on a plot. Positions are for the eye: double is enough, but the size
// of a number is kept as a logarithm, so that 1e-400 and 10^(10^15) have a place too. Uses number/.
#pragma once

#include <optional>
#include <string_view>

namespace critscale::cli {

/// A real number x as sign(x) and log10|x|, good to about 15 digits of each.
struct PlotNumber {
  int sign = 0;
  double log10 = 0;  ///< without meaning where sign is 0

  /// x; 0 or an infinity beyond the range of double.
  double linear() const;
};

/// A number as this program writes it: "0.5", "-1.25e-400", "1e+1000000000000", "inf". Nothing for
/// any other text.
std::optional<PlotNumber> read_decimal(std::string_view text);

/// An exact input: a fraction, or a product of powers such as 10^(10^15). Nothing for any other text (a
/// box, a formula).
std::optional<PlotNumber> read_exact(std::string_view text);

}  // namespace critscale::cli
