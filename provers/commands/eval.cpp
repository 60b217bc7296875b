// `critscale eval`: certified values of the quantities of [layer].
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/commands.hpp"
#include "critscale/asymptotics/limit.hpp"
#include "critscale/model/evaluate.hpp"
#include "grids/grid.hpp"
#include "inputs/flags.hpp"
#include "jobs/complete.hpp"
#include "output/csv_table.hpp"
#include "output/inputs.hpp"
#include "output/results.hpp"
#include "output/value.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;

struct Result {
  const Specification* specification;
  Point point;
  long digits;
  Evaluation evaluation;
  /// Where the limits as n grows were asked for.
  std::shared_ptr<const LimitResult> limits;
};

/// A value beside its limit: the exact limit, and an enclosure of |value - limit| where it is finite.
struct Distance {
  std::string limit;
  std::optional<Ball> distance;
};

/// Digits that a distance is printed with.
constexpr long distance_digits = 6;

std::optional<Distance> distance_to_limit(const Result& result, std::size_t quantity, std::size_t band) {
  if (!result.limits) return std::nullopt;
  const QuantityLimits& limits = result.limits->quantities[quantity];
  if (limits.undefined) return std::nullopt;
  const Limit& l = limits.values[band];
  if (!l.limit) return Distance{"infinity", std::nullopt};
  const Ball& value = result.evaluation.quantities[quantity].values[band];
  return Distance{l.limit->text(), abs(value - l.limit->value(value.precision()))};
}

/// "1.23457e-7", or "at most 1e-30" where not a digit of the distance is certain.
std::string distance_text(const Ball& distance) {
  const PrintedValue p = print(distance, distance_digits);
  return p.value ? *p.value : "at most " + p.hi;
}

ordered_json limits_json(const Result& result) {
  ordered_json r = {{"phase", name(result.limits->phase)}};
  for (std::size_t i = 0; i < result.evaluation.quantities.size(); ++i) {
    const QuantityValues& q = result.evaluation.quantities[i];
    ordered_json list = ordered_json::array();
    for (std::size_t b = 0; b < q.values.size(); ++b) {
      const auto d = distance_to_limit(result, i, b);
      list.push_back(
          {{"limit", d->limit},
           {"distance", d->distance ? value_json(*d->distance, distance_digits) : ordered_json()}});
    }
    r[std::string(name(q.quantity))] = is_per_band(q.quantity) || list.empty() ? list : list[0];
  }
  return r;
}

ordered_json to_json(const Result& result) {
  ordered_json r;
  r["schema"] = 1;
  if (!result.specification->id.empty()) r["id"] = result.specification->id;
  if (!result.specification->why.empty()) r["why"] = result.specification->why;
  r["inputs"] = inputs_json(result.point.inputs);
  r["beta"] = value_json(result.evaluation.beta, result.digits);
  ordered_json& quantities = r["quantities"] = ordered_json::object();
  for (const QuantityValues& q : result.evaluation.quantities) {
    ordered_json& v = quantities[std::string(name(q.quantity))];
    if (q.undefined) {
      v = undefined_json(*q.undefined);
    } else if (is_per_band(q.quantity)) {
      for (const Ball& x : q.values) v.push_back(value_json(x, result.digits));
    } else {
      v = value_json(q.values[0], result.digits);
    }
  }
  if (result.limits) r["limits"] = limits_json(result);
  return r;
}

std::string to_text(const Result& result) {
  std::string r;
  if (!result.specification->id.empty()) r += fmt::format("{}\n", result.specification->id);
  for (const auto& [key, text] : result.point.inputs)
    r += fmt::format("{}{} = {}", &key == &result.point.inputs[0].first ? "" : ", ", key, text);
  r += fmt::format("\n  {:<18} {}\n", "beta", value_text(result.evaluation.beta, result.digits));
  for (const QuantityValues& q : result.evaluation.quantities) {
    if (q.undefined) r += fmt::format("  {:<18} undefined: {}\n", name(q.quantity), *q.undefined);
    for (std::size_t b = 0; b < q.values.size(); ++b) {
      const std::string label = is_per_band(q.quantity) ? fmt::format("{}[{}]", name(q.quantity), b)
                                                        : std::string(name(q.quantity));
      r += fmt::format("  {:<18} {}\n", label, value_text(q.values[b], result.digits));
      const auto d =
          distance_to_limit(result, static_cast<std::size_t>(&q - &result.evaluation.quantities[0]), b);
      if (d)
        r += fmt::format("  {:<18}   limit {}{}\n", "", d->limit,
                         d->distance ? ", distance " + distance_text(*d->distance) : "");
    }
  }
  return r;
}

/// One row a result: inputs, then QUANTITY[i].COLUMN with COLUMN one of value, lo, hi.
std::string to_csv(const std::vector<Result>& results) {
  CsvTable table;
  for (const Result& result : results) {
    table.add_row();
    table.set("id", result.specification->id);
    table.set(result.point.inputs);
    table.set("beta", &result.evaluation.beta, result.digits);
    for (const QuantityValues& q : result.evaluation.quantities) {
      const std::string label(name(q.quantity));
      if (q.undefined) table.set(label, nullptr, result.digits);
      for (std::size_t b = 0; b < q.values.size(); ++b)
        table.set(is_per_band(q.quantity) ? fmt::format("{}[{}]", label, b) : label, &q.values[b],
                  result.digits);
    }
  }
  return table.text();
}

std::string render(const std::vector<Result>& results, bool several, Format format) {
  if (format == Format::csv) return to_csv(results);
  if (format == Format::json)
    return results_json(results.size(), several, [&](std::size_t i) { return to_json(results.at(i)); });
  return results_text(results.size(), [&](std::size_t i) { return to_text(results[i]); });
}

struct Job {
  const Specification* specification;
  RunOptions options;
  std::vector<Quantity> quantities;
  Point point;
  std::optional<GrowthPoint> growth;  ///< where limits are asked for
};

/// The limits of every point as n grows; points that differ in n alone share them.
void add_limits(std::vector<Result>& results, const std::vector<Job>& jobs, const RunOptions& options) {
  std::map<std::pair<const Specification*, std::string>, std::size_t> first;
  std::vector<std::size_t> representative(results.size()), distinct;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto [it, added] =
        first.try_emplace({results[i].specification, inputs_text(jobs[i].growth->inputs)}, i);
    representative[i] = it->second;
    if (added) distinct.push_back(i);
  }
  RunOptions without_limit = options;
  without_limit.time_limit.reset();
  run_parallel(distinct.size(), without_limit, [&](std::size_t k) {
    const std::size_t i = distinct[k];
    results[i].limits = located(results[i].specification->where, [&] {
      return std::make_shared<const LimitResult>(
          limits(jobs[i].growth->configuration, jobs[i].quantities, 1));
    });
  });
  for (std::size_t i = 0; i < results.size(); ++i) results[i].limits = results[representative[i]].limits;
}

std::vector<Job> jobs_of(const SharedFlags& flags, const std::vector<Specification>& specifications,
                         bool with_limits) {
  const TimeGuard guard(flags.run_options(specifications.front()).time_limit);
  std::vector<Job> jobs;
  for (const Specification& s : specifications) {
    const RunOptions options = flags.run_options(s);
    const std::vector<Quantity> quantities = quantities_of(s);
    const Grid grid(s);
    require_room(jobs.size() + grid.size(), options.digits);
    for (std::size_t i = 0; i < grid.size(); ++i) {
      jobs.push_back({&s, options, quantities, grid[i], {}});
      if (with_limits) jobs.back().growth = grid.growth(i);
    }
  }
  return jobs;
}

int eval(const SharedFlags& flags, bool with_limits) {
  Output output(flags.output(), flags.force());
  const std::vector<Specification> specifications = flags.specifications();
  const std::vector<Job> jobs = jobs_of(flags, specifications, with_limits);
  const RunOptions options = flags.run_options(specifications.front());
  std::vector<Result> results(jobs.size());
  const auto evaluate_job = [&](std::size_t i) {
    const Job& job = jobs[i];
    Evaluation e = located(job.specification->where, [&] {
      return certified(job.point.configuration, job.quantities, job.options.digits, job.options.max_bits);
    });
    results[i] = {job.specification, job.point, job.options.digits, std::move(e), nullptr};
  };
  run_and_write(jobs.size(), options, evaluate_job, [&](const std::vector<std::size_t>& complete) {
    std::vector<Result> ready = chosen(results, complete);
    // Where the time is over there is none for limits either.
    if (with_limits && !(options.time_limit && seconds_running() > *options.time_limit))
      add_limits(ready, chosen(jobs, complete), options);
    output.write(render(ready, jobs.size() > 1 || flags.list(), flags.format()));
  });
  return done;
}

}  // namespace

void add_eval(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("eval", "Certified values of every quantity at exact parameters");
  const auto flags = std::make_shared<SharedFlags>(*command);
  const auto with_limits = std::make_shared<bool>(false);
  command->add_flag("--limits", *with_limits,
                    "Put the exact limit as n grows and the distance to it beside each value (text, json)");
  command->footer(
      "Every printed interval contains the true value; a value alone is within one unit of its last digit.\n"
      "A repeated flag is a list, from:to:steps a range; the flag given last varies fastest.\n\n"
      "Example: critscale eval --rho 1/3 --n '10^(10^15)' --gamma 3/2 --digits 20");
  command->callback([flags, with_limits, &exit_code] { exit_code = eval(*flags, *with_limits); });
}

}  // namespace critscale::cli
