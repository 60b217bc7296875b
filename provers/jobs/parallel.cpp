// Uses parallel.hpp.
#include "jobs/parallel.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "critscale/number/errors.hpp"
#include "jobs/pipeline.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

void require_room(std::size_t results, long digits) {
  // Some twelve quantities of two ends each, printed and not.
  constexpr double fixed = 6000, per_digit = 60;
  require_memory(fmt::format("keeping {} results of {} digits (a table keeps none)", results, digits),
                 static_cast<double>(results) * (fixed + per_digit * static_cast<double>(digits)));
}

std::size_t run_parallel(std::size_t count, const RunOptions& options,
                         const std::function<void(std::size_t)>& job) {
  std::optional<tbb::global_control> limit;
  if (options.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, options.threads);
  std::vector<char> done(count);
  const auto late = [&] { return options.time_limit && seconds_running() > *options.time_limit; };
  const auto progress = report_progress(std::nullopt, "results");
  std::atomic<std::size_t> complete{0};
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    if (late()) return;
    job(i);
    done[i] = 1;
    progress(++complete, count);
  });
  return static_cast<std::size_t>(std::find(done.begin(), done.end(), 0) - done.begin());
}

void require_complete(std::size_t complete, std::size_t wanted) {
  if (complete < wanted)
    throw LimitError(fmt::format("time limit reached: {} of {} results are complete", complete, wanted));
}

}  // namespace critscale::cli
