// The schedules' names, for tests that list many.
#pragma once

#include <string_view>

namespace schedule_name {

inline constexpr std::string_view constant = "constant", log_n = "log-n", qwen_log_n = "qwen-log-n",
                                  ssmax = "ssmax", swan = "swan", yarn = "yarn", longrope = "longrope",
                                  llama4 = "llama4", mistral = "mistral", infoscale = "infoscale",
                                  gaussian = "gaussian", power_of_log = "power-of-log";

}  // namespace schedule_name
