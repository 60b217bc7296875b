// `critscale schedule` for random keys, whose thresholds depend on n. Uses inputs/.
#pragma once

#include <string>
#include <vector>

#include "inputs/flags.hpp"
#include "inputs/random_flags.hpp"
#include "inputs/schedule_flags.hpp"

namespace critscale::cli {

/// Writes the verdicts of every schedule asked for; gives the exit code.
int random_schedule(const SharedFlags& flags, const ScheduleFlags& schedules, const RandomFlags& random_keys,
                    const std::vector<Specification>& specifications,
                    const std::vector<std::string>& positions);

}  // namespace critscale::cli
