// Running gnuplot. Uses inputs/client.hpp.
#pragma once

#include <string>

namespace critscale::cli {

/// Throws InputError when gnuplot is not installed; to be called before any work.
void require_gnuplot();

/// What gnuplot writes to its standard output for a script. Throws InputError with gnuplot's message when it
/// fails, LimitError when it takes too long.
std::string run_gnuplot(const std::string& script);

}  // namespace critscale::cli
