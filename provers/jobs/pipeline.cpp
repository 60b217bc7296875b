// Ordered parallel streaming with oneTBB.
#include "jobs/pipeline.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

OrderedRun parallel_in_order(std::size_t threads) {
  return [threads](std::size_t blocks, const std::function<std::string(std::size_t)>& make,
                   const std::function<bool(std::string_view)>& take) {
    std::optional<tbb::global_control> limit;
    if (threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, threads);
    const std::size_t workers =
        threads > 0 ? threads : static_cast<std::size_t>(tbb::info::default_concurrency());
    std::size_t next = 0;
    std::atomic<bool> stopped = false;
    tbb::parallel_pipeline(
        4 * workers, tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order,
                                                         [&](tbb::flow_control& control) -> std::size_t {
                                                           if (next >= blocks || stopped) control.stop();
                                                           return next++;
                                                         }) &
                         tbb::make_filter<std::size_t, std::string>(tbb::filter_mode::parallel, make) &
                         tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order,
                                                             [&](const std::string& text) {
                                                               if (!stopped && !take(text)) stopped = true;
                                                             }));
  };
}

namespace {

/// "", ", 5 s left", ", 3 min left", ", 2.1 h left": as the rows of this run went.
std::string time_left(double seconds, std::size_t made, std::size_t left) {
  if (made == 0 || left == 0) return "";
  const double rest = seconds / static_cast<double>(made) * static_cast<double>(left);
  constexpr double minute = 60, hour = 3600;
  if (rest < 2 * minute) return fmt::format(", {:.0f} s left", rest);
  if (rest < 2 * hour) return fmt::format(", {:.0f} min left", rest / minute);
  return fmt::format(", {:.1f} h left", rest / hour);
}

}  // namespace

std::function<bool(std::size_t, std::size_t)> report_progress(std::optional<double> time_limit,
                                                              const std::string& what) {
  using Clock = std::chrono::steady_clock;
  struct State {
    std::mutex mutex;
    Clock::time_point start = Clock::now(), shown = start;
    std::size_t first = 0;  ///< what was there before this run
    bool begun = false, bar = false, terminal = isatty(STDERR_FILENO) != 0 && !is_quiet();
  };
  const auto state = std::make_shared<State>();
  return [state, time_limit, what](std::size_t complete, std::size_t rows) {
    const std::lock_guard lock(state->mutex);
    const auto now = Clock::now();
    const auto seconds = [&](Clock::time_point since) {
      return std::chrono::duration<double>(now - since).count();
    };
    if (!state->begun) state->first = complete > 1 ? complete : 0;
    state->begun = true;
    const bool last = complete == rows;
    const std::string left = time_left(seconds(state->start), complete - std::min(complete, state->first),
                                       rows - std::min(rows, complete));
    constexpr double often = 0.2, seldom = 30;
    if (state->terminal && (last ? state->bar : seconds(state->shown) > often)) {
      constexpr std::size_t width = 40;
      const std::size_t filled = rows == 0 ? width : width * complete / rows;
      say(fmt::format("\r\x1b[K[{:<{}}] {} of {} {}{}{}", std::string(filled, '#'), width, complete, rows,
                      what, left, last ? "\n" : ""));
      state->shown = now;
      state->bar = true;
    } else if (!state->terminal && !is_quiet() && !last && seconds(state->shown) > seldom) {
      say(fmt::format("critscale: {} of {} {}{}\n", complete, rows, what, left));
      state->shown = now;
    }
    return !time_limit || seconds_running() <= *time_limit;
  };
}

}  // namespace critscale::cli
