// Jobs whose complete results are never lost: to the time limit, to a job that does not stop at it, or to one
// that is beyond its precision. Uses parallel.hpp and process/limits.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "jobs/parallel.hpp"

namespace critscale::cli {

/// Runs jobs 0..count-1 as run_parallel does and calls write(complete) once, with the numbers of the jobs
/// whose results are complete in ascending order, where there is one: when all others are done or undecided,
/// when the time limit has stopped them, or, by another thread and before the program is ended, while a job
/// runs on long after the limit. write must leave the other results alone. Where the limit falls into write
/// itself, the program ends without it. A job's LimitError (the others run on) is said on stderr; every other
/// exception of a job is passed on, and nothing is written. Throws LimitError that names both counts where
/// jobs are undone; a single job's own.
void run_and_write(std::size_t count, const RunOptions& options, const std::function<void(std::size_t)>& job,
                   const std::function<void(const std::vector<std::size_t>&)>& write);

/// The elements with these numbers.
template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<std::size_t>& numbers) {
  std::vector<T> r;
  r.reserve(numbers.size());
  for (const std::size_t i : numbers) r.push_back(all.at(i));
  return r;
}

}  // namespace critscale::cli
