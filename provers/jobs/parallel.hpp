// How jobs are run, and many of them on all threads. Uses process/limits.hpp and oneTBB (in the .cpp only).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace critscale::cli {

/// How a job is run, from flags or from a case file's keys.
struct RunOptions {
  long digits = 30;
  long max_bits = 0;                 ///< 0: chosen by the digits
  std::size_t threads = 0;           ///< 0: all cores
  std::optional<double> time_limit;  ///< seconds
};

/// Runs jobs 0..count-1 on `threads` threads (0: all cores) and stops at the time limit; returns
/// how many of the first jobs are complete. Exceptions of jobs are passed on.
std::size_t run_parallel(std::size_t count, const RunOptions& options,
                         const std::function<void(std::size_t)>& job);
/// Throws LimitError where so many results, kept until all are there, need more memory than is allowed.
void require_room(std::size_t results, long digits);
/// Throws LimitError that names both counts where the time limit has left some jobs undone.
void require_complete(std::size_t complete, std::size_t wanted);

}  // namespace critscale::cli
