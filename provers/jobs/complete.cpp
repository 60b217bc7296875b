// Uses complete.hpp.
#include "jobs/complete.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <optional>

#include "critscale/number/errors.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

/// What became of every job.
class Outcomes {
 public:
  explicit Outcomes(std::size_t count) : done_(count), undecided_(count) {}
  void run(const std::function<void(std::size_t)>& job, std::size_t i) {
    try {
      job(i);
      done_[i] = true;
    } catch (const LimitError& error) {
      undecided_[i] = error.what();
    }
  }
  std::vector<std::size_t> complete() const {
    std::vector<std::size_t> r;
    for (std::size_t i = 0; i < done_.size(); ++i)
      if (done_[i]) r.push_back(i);
    return r;
  }
  /// Once no job runs.
  std::vector<std::string> reasons() const {
    std::vector<std::string> r;
    for (std::size_t i = 0; i < undecided_.size(); ++i)
      if (undecided_[i])
        r.push_back(undecided_.size() == 1 ? *undecided_[i]
                                           : fmt::format("result {}: {}", i + 1, *undecided_[i]));
    return r;
  }

 private:
  std::vector<std::atomic<bool>> done_;
  std::vector<std::optional<std::string>> undecided_;
};

}  // namespace

void run_and_write(std::size_t count, const RunOptions& options, const std::function<void(std::size_t)>& job,
                   const std::function<void(const std::vector<std::size_t>&)>& write) {
  Outcomes outcomes(count);
  std::mutex writing;
  bool written = false;
  const TimeGuard guard(options.time_limit, [&] {
    constexpr int undecided_exit = 3;
    // Where the results are being written already, printing them is what takes so long.
    const std::unique_lock lock(writing, std::try_to_lock);
    if (!lock.owns_lock()) return undecided_exit;
    try {
      const std::vector<std::size_t> complete = outcomes.complete();
      if (!complete.empty() && !written) write(complete);
      written = true;
      say(fmt::format("critscale: {} of {} results are complete\n", complete.size(), count));
    } catch (const std::exception& error) {
      say(fmt::format("critscale: {}\n", error.what()));
    }
    return undecided_exit;
  });
  run_parallel(count, options, [&](std::size_t i) { outcomes.run(job, i); });
  const std::vector<std::size_t> complete = outcomes.complete();
  {
    const std::lock_guard lock(writing);
    if (!complete.empty() && !written) write(complete);
    written = true;
  }
  const std::vector<std::string> reasons = outcomes.reasons();
  if (reasons.size() + complete.size() < count) {
    for (const std::string& reason : reasons) say(fmt::format("critscale: {}\n", reason));
    require_complete(complete.size(), count);
  }
  if (reasons.empty()) return;
  if (count == 1) throw LimitError(reasons[0]);
  for (const std::string& reason : reasons) say(fmt::format("critscale: {}\n", reason));
  throw LimitError(fmt::format("{} of {} results are undecided", reasons.size(), count));
}

}  // namespace critscale::cli
