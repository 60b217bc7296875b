// `critscale schedule` among random keys.
#include "commands/random_schedule.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "critscale/random/phases.hpp"
#include "critscale/random/schedule_verdict.hpp"
#include "critscale/text/certify.hpp"
#include "inputs/context_lengths.hpp"
#include "output/csv_table.hpp"
#include "output/inputs.hpp"
#include "output/results.hpp"
#include "output/value.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;
using random::Expectation;
using random::RandomPhase;

struct KeyScheduleJob {
  NamedSchedule named;
  random::Keys keys;
  Inputs inputs;
  std::vector<PowerProduct> n;
  RunOptions options;
  std::string id, where;
};

/// Named values, and why one is missing.
struct NamedValue {
  const char* name;
  std::optional<Ball> value;
  std::string missing;
};

struct KeyScheduleRow {
  PowerProduct n;
  RandomPhase phase;
  std::vector<NamedValue> values;
};

struct KeyScheduleVerdict {
  std::vector<KeyScheduleRow> rows;
  std::optional<random::ScheduleCrossings> crossings;
  std::string no_crossings;  ///< why they are not known
};

std::vector<KeyScheduleJob> jobs_of(const SharedFlags& flags, const ScheduleFlags& schedules,
                                    const RandomFlags& random_keys, std::vector<Specification> specifications,
                                    const std::vector<std::string>& positions) {
  std::vector<KeyScheduleJob> jobs;
  for (Specification& s : specifications)
    located(s.where, [&] {
      random_keys.add_to(s);
      if (!schedules.given(s))
        throw InputError("a schedule is needed, such as --schedule yarn (or all), or --config FILE");
      for (const char* key : {"gamma", "gamma_ratio", "beta"})
        if (s.find(key)) throw InputError(fmt::format("{} comes from the schedule: leave it out", key));
      for (const char* key : {"alpha", "q", "d", "quantities"})
        if (s.find(key))
          throw InputError(fmt::format("{} is no parameter of schedules among random keys", key));
      if (!s.bands.empty()) throw InputError("bands are no parameter of random keys");
      KeyScheduleJob job;
      job.keys = read_keys(s);
      job.options = flags.run_options(s);
      job.id = s.id;
      job.where = s.where;
      for (const auto& [n, text] : context_lengths(s, positions)) {
        random::validate(random::Row{job.keys, n, critical_scale({1, 1})});
        job.n.push_back(n);
      }
      const Text* geometry = s.find_single("geometry");
      job.inputs.emplace_back("geometry", geometry->text);
      for (const char* key : {"dim", "kappa", "sigma", "rho"})
        if (const Text* t = s.find_single(key)) job.inputs.emplace_back(key, t->text);
      if (!job.keys.aligned) job.inputs.emplace_back("aligned_key", "false");
      for (NamedSchedule& named : schedules.schedules(s)) {
        jobs.push_back(job);
        jobs.back().inputs.insert(jobs.back().inputs.begin(), named.inputs.begin(), named.inputs.end());
        jobs.back().named = std::move(named);
      }
    });
  return jobs;
}

/// One context length: the schedule's g against the line at its kappa, and what the row does.
KeyScheduleRow row_at(const KeyScheduleJob& job, const PowerProduct& n) {
  const Schedule& s = job.named.schedule;
  const random::Keys& keys = job.keys;
  KeyScheduleRow r{n, RandomPhase::spread, {}};
  const auto add = [&](const char* name, const std::function<Ball(Bits)>& f) {
    try {
      r.values.push_back({name, certify_digits(job.options.digits, f, job.options.max_bits), ""});
    } catch (const LimitError& error) {
      r.values.push_back({name, std::nullopt, error.what()});
    }
  };
  const auto scale = [&](Bits bits) { return beta(s, n, Lift<Ball>(bits)); };
  if (certainly(scale(128).is_negative()))
    throw InputError(fmt::format("beta must not be negative, found {} at n = {}", value_text(scale(128), 6),
                                 n.to_string()));
  const auto share = [&](Bits bits) { return Ball(Rational(1 - keys.rho), bits); };
  const random::Parameter kappa = [&](Bits bits) {
    return keys.kappa ? Ball(*keys.kappa, bits) : Ball(dimension_of(keys, n, bits) / log(n, bits));
  };
  const random::Parameter g = [&](Bits bits) { return gamma_effective(s, n, bits) * share(bits); };
  const auto line = [&](Bits bits) {
    if (keys.aligned)
      if (const auto x = random::self_line(keys.law, kappa, bits)) return *x;
    return random::condensation_line(keys.law, kappa, bits);
  };
  add("multiplier", [&](Bits bits) { return multiplier(s, n, Lift<Ball>(bits)); });
  add("beta", scale);
  add("gamma_effective", [&](Bits bits) { return gamma_effective(s, n, bits); });
  add("threshold", [&](Bits bits) { return line(bits) / share(bits); });
  add("kappa", kappa);
  r.phase = random::phase_at(keys.law, keys.aligned, kappa, g);
  const Expectation e = keys.aligned ? Expectation::self_weight : Expectation::collision;
  const auto b = [&](Bits bits) { return scale(bits) * share(bits); };
  add(keys.aligned ? "self_weight" : "collision",
      [&](Bits bits) { return expectations_at(keys, n, b, {e}, bits)[0]; });
  return r;
}

KeyScheduleVerdict judge(const KeyScheduleJob& job) {
  KeyScheduleVerdict v;
  for (const PowerProduct& n : job.n) v.rows.push_back(row_at(job, n));
  try {
    v.crossings = random::schedule_crossings(job.named.schedule, job.keys, job.options.digits);
  } catch (const InputError& error) {
    v.no_crossings = error.what();
  } catch (const LimitError& error) {
    v.no_crossings = error.what();
  }
  return v;
}

/// The phase for all n beyond the last crossing.
std::string final_phase(const KeyScheduleJob& job, const random::ScheduleCrossings& c) {
  if (c.finally == 0) return "on the line";
  if (c.finally < 0) return "spread";
  return std::string_view(c.line) == "g_self" && job.keys.aligned ? "self" : "condensed";
}

ordered_json to_json(const KeyScheduleJob& job, const KeyScheduleVerdict& v) {
  const long digits = job.options.digits;
  ordered_json r = {{"schema", 1}};
  if (!job.id.empty()) r["id"] = job.id;
  r["inputs"] = inputs_json(job.inputs);
  r["formula"] = formula(job.named.schedule);
  if (!job.named.notes.empty()) r["notes"] = job.named.notes;
  r["by_n"] = ordered_json::array();
  for (const KeyScheduleRow& row : v.rows) {
    ordered_json x = {{"n", row.n.to_string()}};
    for (const NamedValue& value : row.values)
      x[value.name] = value.value ? value_json(*value.value, digits) : undefined_json(value.missing);
    x["phase"] = random::name(row.phase);
    r["by_n"].push_back(std::move(x));
  }
  if (!v.crossings) {
    r["crossings"] = {{"undecided", v.no_crossings}};
    return r;
  }
  ordered_json& c = r["crossings"] = {{"line", v.crossings->line},
                                      {"count", to_string(v.crossings->count)},
                                      {"points", ordered_json::array()}};
  for (const random::LineCrossing& x : v.crossings->points)
    c["points"].push_back({{"n", value_json(x.n, digits)},
                           {"log_n", value_json(x.log_n, digits)},
                           {"direction", x.upward ? "up" : "down"}});
  c["reason"] = v.crossings->reason;
  r["limit"] = {{"phase", final_phase(job, *v.crossings)}};
  return r;
}

std::string to_text(const KeyScheduleJob& job, const KeyScheduleVerdict& v) {
  const long digits = job.options.digits;
  std::string r = inputs_text(job.inputs);
  for (const std::string& line : job.named.notes) r += fmt::format("\n  {}", line);
  r += fmt::format("\n  multiplier         {}\n", formula(job.named.schedule));
  for (const KeyScheduleRow& row : v.rows) {
    r += fmt::format("  n = {}: {}\n", row.n.to_string(), random::name(row.phase));
    for (const NamedValue& value : row.values)
      r += fmt::format("    {:<16} {}\n", value.name,
                       value.value ? value_text(*value.value, digits) : "not reached: " + value.missing);
  }
  if (!v.crossings) return r + fmt::format("  crossings: not known, {}\n", v.no_crossings);
  const random::ScheduleCrossings& c = *v.crossings;
  r += fmt::format("  crosses {}: ", c.line);
  if (c.points.empty()) r += "never";
  for (const random::LineCrossing& x : c.points)
    r += fmt::format("{}{} at n = {}", &x == &c.points[0] ? "" : ", ", x.upward ? "up" : "down",
                     value_text(x.n, digits));
  if (c.count > c.points.size())
    r += fmt::format(" (the first two and the last two of {})", to_string(c.count));
  r += fmt::format("\n    because {}\n  n -> infinity: {}\n", c.reason, final_phase(job, c));
  return r;
}

/// One row an n, or one for a schedule without n; what holds for all n is repeated.
std::string to_csv(const std::vector<KeyScheduleJob>& jobs, const std::vector<KeyScheduleVerdict>& verdicts) {
  CsvTable table({"id", "schedule", "formula", "geometry", "n", "phase"});
  static constexpr const char* columns[] = {"multiplier", "beta",        "gamma_effective", "threshold",
                                            "kappa",      "self_weight", "collision"};
  const auto add_row = [&](const KeyScheduleJob& job, const KeyScheduleVerdict& v,
                           const KeyScheduleRow* row) {
    const long digits = job.options.digits;
    table.add_row();
    table.set({{"id", job.id},
               {"schedule", job.named.inputs[0].second},
               {"formula", formula(job.named.schedule)},
               {"geometry", inputs_text(job.inputs)}});
    if (row) table.set({{"n", row->n.to_string()}, {"phase", std::string(random::name(row->phase))}});
    for (const char* column : columns) {
      const Ball* x = nullptr;
      if (row)
        for (const NamedValue& value : row->values)
          if (value.value && std::string_view(value.name) == column) x = &*value.value;
      table.set(column, x, digits);
    }
    const random::ScheduleCrossings* c = v.crossings ? &*v.crossings : nullptr;
    table.set({{"line", c ? c->line : ""}, {"crossings", c ? to_string(c->count) : ""}});
    table.set("last_crossing", c && !c->points.empty() ? &c->points.back().n : nullptr, digits);
    table.set("limit_phase", c ? final_phase(job, *c) : "");
  };
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    for (const KeyScheduleRow& row : verdicts[i].rows) add_row(jobs[i], verdicts[i], &row);
    if (verdicts[i].rows.empty()) add_row(jobs[i], verdicts[i], nullptr);
  }
  return table.text();
}

}  // namespace

int random_schedule(const SharedFlags& flags, const ScheduleFlags& schedules, const RandomFlags& random_keys,
                    const std::vector<Specification>& specifications,
                    const std::vector<std::string>& positions) {
  const std::vector<KeyScheduleJob> jobs = jobs_of(flags, schedules, random_keys, specifications, positions);
  const TimeGuard guard(jobs.at(0).options.time_limit);
  Output output(flags.output(), flags.force());
  std::vector<KeyScheduleVerdict> verdicts(jobs.size());
  const std::size_t complete = run_parallel(jobs.size(), jobs.at(0).options, [&](std::size_t i) {
    verdicts[i] = located(jobs[i].where, [&] { return judge(jobs[i]); });
  });
  require_complete(complete, jobs.size());
  std::string text;
  if (flags.format() == Format::csv)
    text = to_csv(jobs, verdicts);
  else if (flags.format() == Format::json)
    text = results_json(verdicts.size(), jobs.size() != 1 || flags.list(),
                        [&](std::size_t i) { return to_json(jobs[i], verdicts[i]); });
  else
    text = results_text(verdicts.size(), [&](std::size_t i) { return to_text(jobs[i], verdicts[i]); });
  output.write(text);
  return done;
}

}  // namespace critscale::cli
