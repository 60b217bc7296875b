// Ordered parallel streaming for table writers, and progress on stderr. Uses oneTBB (in the .cpp
// only).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "critscale/tables/detail/writer.hpp"

namespace critscale::cli {

/// Blocks computed by `threads` threads (0: all cores), handed over in order.
OrderedRun parallel_in_order(std::size_t threads);

/// What WriteOptions::progress does, from any thread: a bar with the remaining time while stderr is a
/// terminal, a line every half minute otherwise, nothing with --quiet; false once the time limit has passed.
/// `what` is counted.
std::function<bool(std::size_t, std::size_t)> report_progress(std::optional<double> time_limit,
                                                              const std::string& what = "rows");

}  // namespace critscale::cli
