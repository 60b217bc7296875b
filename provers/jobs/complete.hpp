// Jobs whose complete results are never lost: to the time limit, or to a job that does not stop at it. Uses
// limits.hpp and inputs/flags.hpp.
#pragma once

#include <cstddef>
#include <functional>

#include "inputs/flags.hpp"

namespace critscale::cli {

/// Runs jobs 0..count-1 as run_parallel does and calls write(k) once, for the results of the first k jobs, k
/// > 0: when all are done, when the time limit has stopped the others, or, by another thread and before the
/// program is ended, while a job runs on long after the limit. write must leave the other results alone.
/// Where the limit falls into write itself, the program ends without it. An exception of a job is passed on,
/// and nothing is written. Throws LimitError that names both counts where jobs are undone.
void run_and_write(std::size_t count, const RunOptions& options, const std::function<void(std::size_t)>& job,
                   const std::function<void(std::size_t)>& write);

}  // namespace critscale::cli
