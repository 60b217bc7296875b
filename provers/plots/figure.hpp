// A figure before it is drawn: axes, cells and curves in positions on the axes, texts in gnuplot's
// enhanced markup. Uses number.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plots/number.hpp"

namespace critscale::cli {

/// Where x stands on an axis: x, log10 x, or log10 log10 x (for n = 10^(10^15) beside n = 100). Numbers
/// without a logarithm stand at -infinity.
enum class Scale { linear, log, log_log };
double position(Scale scale, const PlotNumber& x);

struct Axis {
  std::string label;
  Scale scale = Scale::linear;
  double lo = 0, hi = 1;  ///< positions, lo < hi

  /// A position moved into [lo, hi].
  double clipped(double at) const;
};

/// The marks of a logarithmic axis, for gnuplot's `set xtics (...)`; empty for a linear one.
std::string tics(const Axis& axis);

/// One rectangle of a heat map; without a value it is grey.
struct Cell {
  double x_lo, x_hi, y_lo, y_hi;
  std::optional<double> value;
};

struct CurvePoint {
  double x, y, lo, hi;
};

/// A curve is drawn piece by piece, with its band [lo, hi]; a piece of one point is a dot.
struct Curve {
  enum class Role { series, limit, boundary };
  Role role = Role::series;
  std::string label;  ///< empty: not in the key
  std::size_t style = 0;
  std::vector<std::vector<CurvePoint>> pieces;
};

struct Figure {
  std::string name;  ///< the part of the file name that tells it from other figures
  std::string title;
  std::vector<std::string> caption;
  Axis x, y;
  std::optional<Axis> colour;  ///< a heat map
  std::vector<Cell> cells;
  std::vector<Curve> curves;
};

/// User's text for enhanced markup: what has a meaning there is escaped, what is not printable ASCII
/// becomes a question mark.
std::string plain(std::string_view text);

/// The name of an input as a symbol: "ρ" for rho.
std::string symbol(std::string_view key);
/// What a label measures, long and as an axis's short name.
std::string describe(std::string_view label);

}  // namespace critscale::cli
