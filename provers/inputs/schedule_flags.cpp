// Schedules from flags and case files.
#include "inputs/schedule_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "critscale/number/errors.hpp"
#include "critscale/schedules/model_config.hpp"
#include "critscale/text/parse.hpp"
#include "inputs/flags.hpp"

namespace critscale::cli {

namespace {

std::string flag_of(std::string_view name) {
  std::string key(name);
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

Schedule with_constants(std::string_view name, const std::vector<std::pair<std::string, Text>>& given) {
  Schedule s = default_schedule(name);
  for (const auto& [key, text] : given)
    located(text.where, [&, &key = key, &t = text.text] { set_constant(s, key, t); });
  return s;
}

}  // namespace

ScheduleFlags::ScheduleFlags(CLI::App& command) {
  std::string allowed;
  for (const std::string_view n : schedule_names()) allowed += fmt::format("{}, ", n);
  add_name_list(command, "--schedule", names_, "Schedules, with commas or repeated: " + allowed + "or all");
  add_text_list(command, "--config", configs_,
                "The schedule of a model's config.json (Hugging Face's keys); --logit-scale is not in it");
  for (const ScheduleConstant& c : schedule_constants())
    command.add_option(flag_of(c.key), constants_[std::string(c.key)], std::string(c.help));
}

std::vector<Text> ScheduleFlags::values(const Specification& s, const std::string& key) const {
  std::vector<Text> r;
  if (key == "schedule") {
    for (const std::string& n : names_) r.push_back({n, "--schedule"});
  } else if (key == "config") {
    for (const std::string& path : configs_) r.push_back({path, "--config"});
  } else if (const std::string& text = constants_.at(key); !text.empty()) {
    r.push_back({text, flag_of(key)});
  }
  if (const Entry* e = s.find(key); e && r.empty()) r = e->values;
  // The name that questions to implementations have for it.
  if (const Entry* e = key == "train_length" ? s.find("train") : nullptr; e && r.empty()) r = e->values;
  if (key != "schedule" && key != "config" && r.size() > 1)
    throw InputError(fmt::format("{}: expected one value, found {}", r[0].where, r.size()));
  return r;
}

bool ScheduleFlags::given(const Specification& s) const {
  return !values(s, "schedule").empty() || !values(s, "config").empty();
}

NamedSchedule ScheduleFlags::of_config(const std::string& path,
                                       const std::vector<std::pair<std::string, Text>>& given) const {
  std::error_code unreadable;
  const auto size = std::filesystem::file_size(path, unreadable);
  constexpr std::uintmax_t most = 16 << 20;
  if (unreadable || size > most)
    throw InputError(fmt::format("{}: cannot be read as a configuration (a file of at most 16 MB)", path));
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  ConfigReading reading = located(path, [&] { return read_model_config(text.str()); });
  NamedSchedule n{std::move(reading.schedule), {}, std::move(reading.notes)};
  n.inputs.emplace_back("schedule", std::string(name(n.schedule)));
  n.inputs.emplace_back("config", path);
  bool has_scale = false;
  for (const auto& [key, value] : given) {
    located(value.where, [&, &key = key, &t = value.text] { set_constant(n.schedule, key, t); });
    n.inputs.emplace_back(key, value.text);
    has_scale = has_scale || key == "logit_scale";
  }
  if (!has_scale)
    n.notes.emplace_back(
        "assumed: scores q.k of size 1, as --logit-scale is not given; measure it as the mean of |q||k| over "
        "heads");
  validate(n.schedule);
  return n;
}

std::vector<NamedSchedule> ScheduleFlags::schedules(const Specification& s) const {
  std::vector<std::pair<std::string, Text>> given;
  for (const ScheduleConstant& c : schedule_constants())
    for (const Text& t : values(s, std::string(c.key))) given.emplace_back(c.key, t);
  std::vector<Text> names;
  for (const Text& t : values(s, "schedule")) {
    if (t.text != "all")
      names.push_back(t);
    else
      for (const std::string_view n : schedule_names()) names.push_back({std::string(n), t.where});
  }
  std::vector<NamedSchedule> r;
  for (const Text& t : names) {
    located(t.where, [&] { schedule_by_name(t.text); });
    NamedSchedule n{with_constants(t.text, given), {}, {}};
    located(t.where, [&] { validate(n.schedule); });
    n.inputs.emplace_back("schedule", t.text);
    for (const auto& [key, text] : given) n.inputs.emplace_back(key, text.text);
    r.push_back(std::move(n));
  }
  for (const Text& t : values(s, "config")) r.push_back(of_config(t.text, given));
  return r;
}

Specification without_scale(Specification s) {
  std::erase_if(s.entries,
                [](const Entry& e) { return e.key == "gamma" || e.key == "gamma_ratio" || e.key == "beta"; });
  s.entries.push_back({"beta", {{"0", "beta"}}});
  return s;
}

}  // namespace critscale::cli
