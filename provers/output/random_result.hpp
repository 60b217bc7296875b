// Answers about random keys as text, JSON and CSV. Uses output/random_answer.hpp.
#pragma once

#include <string>
#include <vector>

#include "output/random_answer.hpp"

namespace critscale::cli {

/// One result a job. `list`: JSON as a list also for one.
std::string render_random(const std::vector<RandomJob>& jobs, const std::vector<RandomResult>& results,
                          Format format, bool list);

}  // namespace critscale::cli
