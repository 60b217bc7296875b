// What figures are made of: the rows of a result that belong together, what varies in them, and how their
// numbers stand on an axis. Uses inputs/result_file.hpp and figure.hpp.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/result_file.hpp"
#include "plots/figure.hpp"

namespace critscale::cli {

using Rows = std::vector<const ResultRow*>;

/// Rows that differ in nothing but the figure's axes and curves.
struct Panel {
  const ResultFile* file;
  std::string id;
  /// What tells the panel from others of its result, for a file name and for a caption.
  std::string name;
  Rows rows;
};

/// The inputs that differ between rows, without those that follow from another one (d = n where n varies).
std::vector<std::string> varying_keys(const Rows& rows);

/// The texts of some inputs of one row, in order.
std::vector<std::string> texts(const ResultRow& row, std::span<const std::string> keys);

/// The rows by the texts of some inputs, in order of first appearance. Each panel's name grows by those
/// texts.
std::vector<Panel> split(const Panel& panel, std::span<const std::string> keys);

/// The figure of a label in a panel: "inner_products0-n512".
std::string figure_name(const std::string& label, const Panel& panel);

/// "n = 10^6, α = 1/2".
std::string inputs_markup(const ResultRow& row, std::span<const std::string> keys);

/// The caption: every input that is the same in all rows, and the precision; in lines.
std::vector<std::string> caption(const Panel& panel);
/// A sentence added to a caption, in lines.
void add_sentence(std::vector<std::string>& caption, const std::string& sentence);

/// How far below the largest number drawn a logarithmic scale reaches: colours are few.
inline constexpr double colour_decades = 6, curve_decades = std::numeric_limits<double>::infinity();

/// An axis over certified numbers.
struct ValueAxis {
  Axis axis;
  /// What is drawn at the edge because it lies beyond the axis; empty where nothing does.
  std::string note;
};

/// Logarithmic where the numbers are not negative and span more than three decades or leave the range of
/// double, unless a scale is asked for. Throws InputError when that scale shows none of them.
ValueAxis value_axis(const std::vector<PlotNumber>& values, std::optional<Scale> asked, double decades);

/// The middle of lo and hi (the value where the result has no ends) with its ends; nothing without numbers.
struct Placed {
  double at, lo, hi;
};
std::optional<Placed> place(const Reading& reading, const Axis& axis);

/// All numbers of a reading that are finite.
void collect(const Reading& reading, std::vector<PlotNumber>& into);

}  // namespace critscale::cli
