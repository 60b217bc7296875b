// Uses complete.hpp.
#include "jobs/complete.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "critscale/number/errors.hpp"
#include "jobs/limits.hpp"
#include "output/files.hpp"

namespace critscale::cli {

void run_and_write(std::size_t count, const RunOptions& options, const std::function<void(std::size_t)>& job,
                   const std::function<void(std::size_t)>& write) {
  std::vector<std::atomic<bool>> done(count);
  const auto complete = [&] {
    std::size_t k = 0;
    while (k < count && done[k]) ++k;
    return k;
  };
  std::mutex writing;
  bool written = false;
  const TimeGuard guard(options.time_limit, [&] {
    constexpr int undecided_exit = 3;
    // Where the results are being written already, printing them is what takes so long.
    const std::unique_lock lock(writing, std::try_to_lock);
    if (!lock.owns_lock()) return undecided_exit;
    try {
      const std::size_t k = complete();
      if (k > 0 && !written) write(k);
      written = true;
      say(fmt::format("critscale: {} of {} results are complete\n", k, count));
    } catch (const std::exception& error) {
      say(fmt::format("critscale: {}\n", error.what()));
    }
    return undecided_exit;
  });
  run_parallel(count, options, [&](std::size_t i) {
    job(i);
    done[i] = true;
  });
  const std::size_t k = complete();
  {
    const std::lock_guard lock(writing);
    if (k > 0 && !written) write(k);
    written = true;
  }
  require_complete(k, count);
}

}  // namespace critscale::cli
