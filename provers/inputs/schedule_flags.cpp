// Schedules from flags and case files.
#include "inputs/schedule_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "critscale/number/errors.hpp"
#include "critscale/number/parse.hpp"
#include "inputs/flags.hpp"

namespace critscale::cli {

namespace {

struct Constant {
  const char* key;
  const char* help;
};

constexpr std::array<Constant, 11> constants{
    {{"train_length", "Training length L; the step of llama4 (default 8192)"},
     {"factor", "yarn, longrope: a fixed extension factor (default n/L)"},
     {"coefficient", "c of constant, ssmax, swan, power-of-log (default 1)"},
     {"offset", "b of ssmax, swan, power-of-log (default 0)"},
     {"power", "k of power-of-log (default 1)"},
     {"rate", "Factor of the logarithm in yarn and llama4 (default 1/10)"},
     {"mscale", "yarn: multiplies the rate (default 1)"},
     {"attention_factor", "yarn: the factor on queries and on keys, in place of rate*mscale*ln(factor) + 1"},
     {"entropy_dim", "infoscale: its d (default: --head-dim, else 128)"},
     {"logit_scale", "Score |q||k| of an aligned pair that the schedule multiplies (default 1)"},
     {"head_dim", "Scores are divided by its square root (default 1)"}}};

std::string flag_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

Schedule with_constants(ScheduleKind kind, const std::vector<std::pair<std::string, Text>>& given) {
  Schedule s;
  s.kind = kind;
  s.train_length = PowerProduct(8192);
  s.dimension = 128;
  bool dimension = false;
  for (const auto& [key, text] : given) {
    located(text.where, [&, &key = key, &t = text.text] {
      if (key == "train_length") {
        s.train_length = parse_context_length(t);
        return;
      }
      const Rational v = parse_rational(t);
      if (key == "factor") s.factor = v;
      if (key == "coefficient") s.coefficient = v;
      if (key == "offset") s.offset = v;
      if (key == "power") s.power = v;
      if (key == "rate") s.rate = v;
      if (key == "mscale") s.mscale = v;
      if (key == "attention_factor") s.attention_factor = v;
      if (key == "logit_scale") s.logit_scale = v;
      if (key == "head_dim") s.head_dim = v;
      if (key == "entropy_dim" || (key == "head_dim" && !dimension)) s.dimension = v;
      dimension = dimension || key == "entropy_dim";
    });
  }
  return s;
}

}  // namespace

ScheduleFlags::ScheduleFlags(CLI::App& command) {
  std::string allowed;
  for (const std::string_view n : schedule_names()) allowed += fmt::format("{}, ", n);
  add_text_list(command, "--schedule", names_, "Schedule (repeat for more): " + allowed + "or all");
  for (const Constant& c : constants) command.add_option(flag_of(c.key), constants_[c.key], c.help);
}

std::vector<Text> ScheduleFlags::values(const Specification& s, const std::string& key) const {
  std::vector<Text> r;
  if (key == "schedule") {
    for (const std::string& n : names_) r.push_back({n, "--schedule"});
  } else if (const std::string& text = constants_.at(key); !text.empty()) {
    r.push_back({text, flag_of(key)});
  }
  if (const Entry* e = s.find(key); e && r.empty()) r = e->values;
  if (key != "schedule" && r.size() > 1)
    throw InputError(fmt::format("{}: expected one value, found {}", r[0].where, r.size()));
  return r;
}

bool ScheduleFlags::given(const Specification& s) const { return !values(s, "schedule").empty(); }

std::vector<NamedSchedule> ScheduleFlags::schedules(const Specification& s) const {
  std::vector<std::pair<std::string, Text>> given;
  for (const Constant& c : constants)
    for (const Text& t : values(s, c.key)) given.emplace_back(c.key, t);
  std::vector<Text> names;
  for (const Text& t : values(s, "schedule")) {
    if (t.text != "all")
      names.push_back(t);
    else
      for (const std::string_view n : schedule_names()) names.push_back({std::string(n), t.where});
  }
  std::vector<NamedSchedule> r;
  for (const Text& t : names) {
    NamedSchedule n{with_constants(located(t.where, [&] { return schedule_by_name(t.text); }), given), {}};
    located(t.where, [&] { validate(n.schedule); });
    n.inputs.emplace_back("schedule", t.text);
    for (const auto& [key, text] : given) n.inputs.emplace_back(key, text.text);
    r.push_back(std::move(n));
  }
  return r;
}

Specification without_scale(Specification s) {
  std::erase_if(s.entries,
                [](const Entry& e) { return e.key == "gamma" || e.key == "gamma_ratio" || e.key == "beta"; });
  s.entries.push_back({"beta", {{"0", "beta"}}});
  return s;
}

}  // namespace critscale::cli
