// Which figures a result asks for. Uses panel.hpp, model/ and asymptotics/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs/result_file.hpp"
#include "plots/figure.hpp"
#include "plots/panel.hpp"

namespace critscale::cli {

struct PlotOptions {
  /// Labels, or quantities without their band; all of the result's without a selection.
  std::vector<std::string> quantities;
  /// Of values and colours.
  std::optional<Scale> scale;
};

/// Heat maps over (rho, gamma) where a result is a grid in both, else curves: against gamma, or against what
/// varies; transitions and schedules against n; for random keys the phase diagram, called "diagram". Throws
/// InputError that names the file when nothing varies, when a quantity is not there or when a plot would have
/// more curves than can be told apart.
std::vector<Figure> plan(const ResultFile& file, const PlotOptions& options);

/// A heat map (heat_map.cpp) of one label over two inputs; nothing when the panel's rows are not one a cell.
std::optional<Figure> heat_map(const Panel& panel, const std::string& label, const std::string& x,
                               const std::string& y, const PlotOptions& options);

/// Curves (curves.cpp) of some labels against one input, one curve for each choice of the inputs `series`.
Figure curves(const Panel& panel, const std::vector<std::string>& labels, const std::string& x,
              const std::vector<std::string>& series, const PlotOptions& options);

/// The phase diagrams (random_diagram.cpp) of results about random keys, one a law of keys; none where kappa
/// does not vary.
std::vector<Figure> random_diagrams(const ResultFile& file);

/// gamma = 1/(1-rho), the phase boundary of the simplex ([simplex-limits]), in a window of (rho, gamma).
std::vector<CurvePoint> simplex_boundary(const Axis& rho, const Axis& gamma);

}  // namespace critscale::cli
