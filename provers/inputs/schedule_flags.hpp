// The flags and keys that describe scaling schedules. Uses schedules/schedule.hpp and specification.hpp.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "critscale/schedules/schedule.hpp"
#include "grids/specification.hpp"

namespace CLI {
class App;
}

namespace critscale::cli {

/// A schedule with its inputs as exact text.
struct NamedSchedule {
  Schedule schedule;
  std::vector<std::pair<std::string, std::string>> inputs;
  /// What a configuration file said, a line each.
  std::vector<std::string> notes;
};

/// --schedule, --config and the constants of schedules. Lives as long as the command's callback.
class ScheduleFlags {
 public:
  explicit ScheduleFlags(CLI::App& command);

  /// Whether a schedule was named, by flag or by the specification's keys.
  bool given(const Specification& s) const;
  /// The schedules named (`all`: every one whose constants are known); flags override keys. Throws
  /// InputError that names the place.
  std::vector<NamedSchedule> schedules(const Specification& s) const;

 private:
  std::vector<Text> values(const Specification& s, const std::string& key) const;
  /// The schedule of a configuration file; constants given apart (a logit scale) override it.
  NamedSchedule of_config(const std::string& path,
                          const std::vector<std::pair<std::string, Text>>& given) const;

  std::vector<std::string> names_, configs_;
  std::map<std::string, std::string> constants_;
};

/// The specification without the keys that name the logit scale, and with beta = 0 in their place: for
/// commands that take beta from elsewhere.
Specification without_scale(Specification s);

}  // namespace critscale::cli
