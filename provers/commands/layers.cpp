// `critscale layers`: many layers with certified enclosures.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "critscale/asymptotics/long_run.hpp"
#include "critscale/model/layers.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/schedules/schedule.hpp"
#include "grids/grid.hpp"
#include "inputs/flags.hpp"
#include "inputs/schedule_flags.hpp"
#include "jobs/complete.hpp"
#include "output/csv_table.hpp"
#include "output/results.hpp"
#include "output/value.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;

struct Job {
  std::vector<std::pair<std::string, std::string>> inputs;
  LayerStack stack;
  std::vector<long> layers;
  RunOptions options;
  bool jacobian;
  std::optional<LongRun> long_run;
  std::string id, where;
};

long layer_count(const Text& t) {
  long v = 0;
  const auto* end = t.text.data() + t.text.size();
  const auto [p, error] = std::from_chars(t.text.data(), end, v);
  if (error != std::errc{} || p != end || v < 0 || v > 1000000000)
    throw InputError(
        fmt::format("{}: expected a number of layers from 0 to 10^9, found {}", t.where, in_quotes(t.text)));
  return v;
}

/// beta = c (ln n)^k + b on demand.
std::function<Ball(Bits)> beta_of(const Configuration& c) {
  const LogitScale scale = c.scale;
  if (!c.is_point()) throw InputError("many layers need exact parameters, found a box");
  return [s = schedule_of(scale), n = c.n](Bits bits) { return beta(s, n, Lift<Ball>(bits)); };
}

/// The statement for all n >= the configuration's where beta is gamma ln n on a simplex.
std::optional<LongRun> long_run_of(const Configuration& c) {
  const auto* simplex = std::get_if<Simplex>(&c.geometry);
  if (!simplex || c.scale.power != 1 || c.scale.offset.lo != 0 || compare(c.n, PowerProduct(3)) < 0)
    return std::nullopt;
  return long_run(simplex->rho.lo, c.scale.coefficient.lo, c.alpha.lo, c.n, 128);
}

std::vector<Job> jobs_of(const SharedFlags& flags, const ScheduleFlags& schedules,
                         const std::vector<std::string>& layers, bool jacobian) {
  std::vector<Job> jobs;
  for (const Specification& s : flags.specifications())
    located(s.where, [&] {
      Job base;
      base.options = flags.run_options(s);
      base.id = s.id;
      base.where = s.where;
      const Text* switched = s.find_single("jacobian");
      base.jacobian = jacobian || (switched && switched->text == "true");
      if (const Entry* e = s.find("layers"); e && layers.empty())
        for (const Text& t : e->values) base.layers.push_back(layer_count(t));
      for (const std::string& t : layers) base.layers.push_back(layer_count({t, "--layers"}));
      if (base.layers.empty()) throw InputError("a number of layers is needed (--layers)");
      std::sort(base.layers.begin(), base.layers.end());
      const bool scheduled = schedules.given(s);
      if (scheduled && (s.find("gamma") || s.find("gamma_ratio") || s.find("beta")))
        throw InputError("give either a schedule or gamma, gamma_ratio or beta");
      const Specification grid_of = scheduled ? without_scale(s) : s;
      const Grid grid(grid_of);
      require_room(jobs.size() + grid.size(), base.options.digits);
      for (std::size_t i = 0; i < grid.size(); ++i) {
        const Point p = grid[i];
        const Configuration& c = p.configuration;
        Job job = base;
        job.inputs = p.inputs;
        job.stack = {c.geometry, c.n, c.d, c.alpha.lo, c.q.lo, beta_of(c)};
        if (!scheduled) {
          job.long_run = long_run_of(c);
          jobs.push_back(std::move(job));
          continue;
        }
        std::erase_if(job.inputs, [](const auto& input) { return input.first == "beta"; });
        for (const NamedSchedule& named : schedules.schedules(s)) {
          jobs.push_back(job);
          Job& last = jobs.back();
          last.inputs.insert(last.inputs.end(), named.inputs.begin(), named.inputs.end());
          last.stack.beta = [schedule = named.schedule, n = c.n](Bits bits) {
            return beta(schedule, n, Lift<Ball>(bits));
          };
        }
      }
    });
  return jobs;
}

StackResult run_job(const Job& job) {
  StackOptions options;
  options.digits = job.options.digits;
  options.max_bits = job.options.max_bits;
  options.jacobian = job.jacobian;
  if (job.options.time_limit)
    options.progress = [limit = *job.options.time_limit](long layer) {
      if (seconds_running() > limit) throw LimitError(fmt::format("time limit reached at layer {}", layer));
    };
  return located(job.where, [&] { return iterate(job.stack, job.layers, options); });
}

/// Digits shown of the constants of a long-run statement.
constexpr long constant_digits = 8;

std::string upper_text(const Ball& x) { return print(x, constant_digits).hi; }
std::string lower_text(const Ball& x) { return print(x, constant_digits).lo; }

/// The statement that LongRun documents, in one or two lines.
std::string long_run_text(const Job& job) {
  const LongRun& r = *job.long_run;
  const std::string n = std::find_if(job.inputs.begin(), job.inputs.end(), [](const auto& input) {
                          return input.first == "n";
                        })->second;
  if (r.phase == Phase::subcritical)
    return fmt::format("for all n >= {}: 1 - inner product <= {} n^-({}) from the first layer on", n,
                       upper_text(r.constant), to_string(r.exponent));
  std::string text = fmt::format(
      "for all n >= {}: l layers raise the inner product by at most {} l n^-({}), l <= n^({})/({} gamma ln "
      "n)",
      n, upper_text(r.constant), to_string(r.exponent), to_string(r.exponent), upper_text(r.constant));
  text += fmt::format("\n    at n = {} for l <= {}", n, lower_text(*r.layers));
  if (r.life)
    text += fmt::format("; life n^({})/(2 rho (1-rho) gamma ln n) = {}", to_string(r.exponent),
                        value_text(*r.life, constant_digits));
  return text;
}

ordered_json long_run_json(const LongRun& r) {
  ordered_json j = {{"phase", name(r.phase)},
                    {"exponent", to_string(r.exponent)},
                    {"constant", value_json(r.constant, constant_digits)}};
  if (r.layers) j["layers"] = value_json(*r.layers, constant_digits);
  if (r.life) j["life"] = value_json(*r.life, constant_digits);
  return j;
}

ordered_json to_json(const Job& job, const StackResult& result) {
  const long digits = job.options.digits;
  ordered_json r = {{"schema", 1}};
  if (!job.id.empty()) r["id"] = job.id;
  for (const auto& [key, text] : job.inputs) r["inputs"][key] = text;
  r["by_layers"] = ordered_json::array();
  for (const StackState& s : result.states) {
    ordered_json x = {{"layers", s.layers}, {"output_norm2", value_json(s.q, digits)}};
    for (std::size_t b = 0; b < s.delta.size(); ++b) {
      x["inner_products"].push_back(value_json(s.inner_product(b), digits));
      x["one_minus_inner_products"].push_back(value_json(s.delta[b], digits));
    }
    if (s.jacobian_norm) x["jacobian_norm"] = value_json(*s.jacobian_norm, digits);
    r["by_layers"].push_back(std::move(x));
  }
  r["fixed_point"] = nullptr;
  if (const auto& f = result.fixed_point)
    r["fixed_point"] = {{"layer", f->layer},
                        {"output_norm2", value_json(f->q, digits)},
                        {"inner_products", "1"},
                        {"radius_output_norm2", value_json(f->q_radius, 5)},
                        {"bound_one_minus_inner_products", value_json(f->delta_bound, 5)},
                        {"contraction", value_json(f->contraction, 5)}};
  r["long_run"] = nullptr;
  if (job.long_run) r["long_run"] = long_run_json(*job.long_run);
  return r;
}

std::string to_text(const Job& job, const StackResult& result) {
  const long digits = job.options.digits;
  std::string r;
  for (const auto& [key, text] : job.inputs) r += fmt::format("{}{} = {}", r.empty() ? "" : ", ", key, text);
  r += "\n";
  for (const StackState& s : result.states) {
    r += fmt::format("  after {} layers\n    {:<28} {}\n", s.layers, "output_norm2", value_text(s.q, digits));
    for (std::size_t b = 0; b < s.delta.size(); ++b)
      r += fmt::format("    {:<28} {}\n    {:<28} {}\n", fmt::format("inner_products[{}]", b),
                       value_text(s.inner_product(b), digits), fmt::format("one_minus_inner_products[{}]", b),
                       value_text(s.delta[b], digits));
    if (s.jacobian_norm)
      r += fmt::format("    {:<28} {}\n", "jacobian_norm", value_text(*s.jacobian_norm, digits));
  }
  if (const auto& f = result.fixed_point)
    r += fmt::format(
        "  from layer {} on: in the proved neighbourhood of the fixed point |x|^2 = {}, inner products 1\n",
        f->layer, value_text(f->q, digits));
  if (job.long_run) r += fmt::format("  {}\n", long_run_text(job));
  return r;
}

std::string to_csv(const std::vector<Job>& jobs, const std::vector<StackResult>& results) {
  CsvTable table({"id", "inputs", "layers", "quantity", "value", "lo", "hi"});
  for (std::size_t i = 0; i < results.size(); ++i)
    for (const StackState& s : results[i].states) {
      const auto add = [&](const std::string& quantity, const Ball& x) {
        table.add_row();
        table.set({{"id", jobs[i].id},
                   {"inputs", inputs_cell(jobs[i].inputs)},
                   {"layers", std::to_string(s.layers)},
                   {"quantity", quantity}});
        table.set("", &x, jobs[i].options.digits);
      };
      add("output_norm2", s.q);
      for (std::size_t b = 0; b < s.delta.size(); ++b) {
        add(fmt::format("inner_products[{}]", b), s.inner_product(b));
        add(fmt::format("one_minus_inner_products[{}]", b), s.delta[b]);
      }
      if (s.jacobian_norm) add("jacobian_norm", *s.jacobian_norm);
    }
  return table.text();
}

std::string render(const std::vector<Job>& jobs, const std::vector<StackResult>& results, Format format,
                   bool list) {
  if (format == Format::csv) return to_csv(jobs, results);
  if (format == Format::json)
    return results_json(results.size(), jobs.size() != 1 || list,
                        [&](std::size_t i) { return to_json(jobs[i], results.at(i)); });
  return results_text(results.size(), [&](std::size_t i) { return to_text(jobs[i], results[i]); });
}

int layers_command(const SharedFlags& flags, const std::vector<Job>& jobs) {
  Output output(flags.output(), flags.force());
  std::vector<StackResult> results(jobs.size());
  run_and_write(
      jobs.size(), jobs.at(0).options, [&](std::size_t i) { results[i] = run_job(jobs[i]); },
      [&](const std::vector<std::size_t>& complete) {
        output.write(render(chosen(jobs, complete), chosen(results, complete), flags.format(),
                            jobs.size() > 1 || flags.list()));
      });
  return done;
}

}  // namespace

void add_layers(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("layers", "Many layers: norms and inner products after L layers");
  const auto flags = std::make_shared<SharedFlags>(*command);
  const auto schedules = std::make_shared<ScheduleFlags>(*command);
  const auto layers = std::make_shared<std::vector<std::string>>();
  const auto jacobian = std::make_shared<bool>(false);
  add_name_list(*command, "--layers", *layers, "Numbers of layers, with commas or repeated");
  command->add_flag("--jacobian", *jacobian, "Also eta of the composed map (simplex with d >= n >= 3)");
  command->footer(
      "Every layer has the same beta. Enclosures are carried by mean-value steps; iteration stops where the "
      "state\n"
      "is proved to lie in the neighbourhood of an attracting fixed point. For beta = gamma ln n on a "
      "simplex the\n"
      "last lines bound what l layers do for all n from the given one on.\n\n"
      "Example: critscale layers --rho 1/3 --n 10^6 --gamma 3 --layers 1000000 --digits 50");
  command->callback([=, &exit_code] {
    exit_code = layers_command(*flags, jobs_of(*flags, *schedules, *layers, *jacobian));
  });
}

}  // namespace critscale::cli
