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
#include <optional>

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

std::function<bool(std::size_t, std::size_t)> report_progress(std::optional<double> time_limit) {
  using Clock = std::chrono::steady_clock;
  struct State {
    Clock::time_point start = Clock::now(), shown = start;
    bool terminal = isatty(STDERR_FILENO) != 0;
  };
  const auto state = std::make_shared<State>();
  return [state, time_limit](std::size_t complete, std::size_t rows) {
    const auto now = Clock::now();
    const auto seconds = [&](Clock::time_point since) {
      return std::chrono::duration<double>(now - since).count();
    };
    const bool last = complete == rows;
    if (state->terminal && (last || seconds(state->shown) > 0.2)) {
      constexpr std::size_t width = 40;
      const std::size_t filled = rows == 0 ? width : width * complete / rows;
      fmt::print(stderr, "\r[{:<{}}] {} of {} rows{}", std::string(filled, '#'), width, complete, rows,
                 last ? "\n" : "");
      state->shown = now;
    } else if (!state->terminal && !last && seconds(state->shown) > 30) {
      fmt::print(stderr, "critscale: {} of {} rows\n", complete, rows);
      state->shown = now;
    }
    return !time_limit || seconds(state->start) <= *time_limit;
  };
}

}  // namespace critscale::cli
