// Figures as gnuplot scripts. Uses figure.hpp.
#pragma once

#include <string>

#include "plots/figure.hpp"

namespace critscale::cli {

enum class ImageFormat { svg, png };

/// A whole script that writes the figure to gnuplot's standard output. The same figure gives the same bytes.
std::string script(const Figure& figure, ImageFormat format);

}  // namespace critscale::cli
