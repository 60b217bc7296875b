// `critscale random`: certified expectations over random keys, and their phase diagram.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "critscale/random/detail/draws.hpp"
#include "critscale/random/detail/effective.hpp"
#include "critscale/random/detail/functions.hpp"
#include "critscale/random/phases.hpp"
#include "critscale/random/transitions.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/tokens/files.hpp"
#include "inputs/random_flags.hpp"
#include "output/csv_table.hpp"
#include "output/files.hpp"
#include "output/inputs.hpp"
#include "output/results.hpp"
#include "output/value.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;
using random::Expectation;
using random::KeyLaw;
using random::Parameter;

/// A labelled value: certified, or a reason why there is none.
struct Line {
  std::string group, key;
  std::optional<Ball> value;
  std::string undefined;
};

struct Result {
  std::vector<Line> lines;
  std::string phase;
  std::optional<random::DrawnRows> drawn;
};

/// Collects the lines of one result.
class Answer {
 public:
  explicit Answer(const RandomJob& job) : job_(job), digits_(job.options.digits) {}

  Result run() {
    if (job_.inverse)
      inverse();
    else if (job_.n)
      finite();
    else
      limit(Parameter([k = *job_.keys.kappa](Bits bits) { return Ball(k, bits); }), std::nullopt);
    return std::move(result_);
  }

 private:
  void add(const char* group, std::string_view key, const std::function<Ball(Bits)>& f) {
    try {
      result_.lines.push_back(
          {group, std::string(key), certify_digits(digits_, f, job_.options.max_bits), ""});
    } catch (const UndefinedError& e) {
      result_.lines.push_back({group, std::string(key), std::nullopt, e.what()});
    }
  }

  void finite() {
    const random::Row row{job_.keys, *job_.n, job_.scale.value_or(LogitScale{{0, 0}, 1, {0, 0}})};
    const bool box = !row.scale.coefficient.is_point() || !row.scale.offset.is_point();
    if (job_.scale) {
      if (box)
        result_.lines.push_back({"", "beta", hull(beta_at(row, false, 128), beta_at(row, true, 128)), ""});
      else
        add("", "beta", [&](Bits bits) { return beta_at(row, false, bits); });
      for (const Expectation e : random::all_expectations())
        if (job_.all_quantities && !is_defined(e, job_.keys))
          result_.lines.push_back(
              {"quantities", std::string(name(e)), std::nullopt, "there is no aligned key"});
      const std::vector<Ball> values =
          certified_expectations(row, job_.quantities, digits_, job_.options.max_bits);
      for (std::size_t i = 0; i < values.size(); ++i)
        result_.lines.push_back({"quantities", std::string(name(job_.quantities[i])), values[i], ""});
    }
    const Parameter kappa = [&](Bits bits) {
      return job_.keys.kappa ? Ball(*job_.keys.kappa, bits)
                             : Ball(dimension_of(job_.keys, *job_.n, bits) / log(*job_.n, bits));
    };
    std::optional<Parameter> g;
    if (job_.scale && !box)
      g = [&, row](Bits bits) {
        return beta_at(row, false, bits) * Ball(Rational(1 - job_.keys.rho), bits) / log(*job_.n, bits);
      };
    limit(kappa, g);
    if (job_.transitions) {
      if (job_.keys.aligned)
        result_.lines.push_back({"transitions", "self", self_transition(job_.keys, *job_.n, digits_), ""});
      result_.lines.push_back(
          {"transitions", "annealed", annealed_transition(job_.keys, *job_.n, digits_), ""});
    }
    if (job_.draws > 0) result_.drawn = draw_rows(row, job_.draws, static_cast<std::uint64_t>(job_.seed));
  }

  /// The diagram at kappa, and the phase at g where it is known.
  void limit(const Parameter& kappa, std::optional<Parameter> g) {
    if (!job_.keys.kappa) add("", "kappa", kappa);
    const KeyLaw law = job_.keys.law;
    if (!g && job_.scale && !job_.n)
      g = [this](Bits bits) {
        return Ball(Rational(job_.scale->coefficient.lo * (1 - job_.keys.rho)), bits);
      };
    if (g) add("", "g", *g);
    const auto self = [&](Bits bits) {
      const auto x = random::self_line(law, kappa, bits);
      if (!x) throw UndefinedError("Gaussian keys with kappa < 2 outdo the aligned key at any g");
      return *x;
    };
    const auto condensed = [&](Bits bits) { return random::condensation_line(law, kappa, bits); };
    add("thresholds", "g_self", self);
    add("thresholds", "g_cond", condensed);
    if (job_.keys.rho != 0) {
      const auto scaled = [this](auto f) {
        return [this, f](Bits bits) { return f(bits) / Ball(Rational(1 - job_.keys.rho), bits); };
      };
      add("thresholds", "gamma_self", scaled(self));
      add("thresholds", "gamma_cond", scaled(condensed));
    }
    if (!g) return;
    const random::RandomPhase phase = random::phase_at(law, job_.keys.aligned, kappa, *g);
    result_.phase = random::name(phase);
    if (!job_.n)
      add("limits", "collision",
          [&](Bits bits) { return random::collision_limit(law, phase, kappa, *g, bits); });
  }

  void inverse() {
    const Parameter g = [this](Bits bits) { return Ball(*job_.inverse, bits); };
    const KeyLaw law = job_.keys.law;
    if (*job_.inverse <= 0) throw InputError("g must be positive, found " + to_string(*job_.inverse));
    add("kappas", "g_self", [&](Bits bits) {
      const auto x = random::kappa_on_self_line(law, g, bits);
      if (!x) throw UndefinedError("no kappa has this g on the self line");
      return *x;
    });
    const std::size_t count = random::kappas_on_condensation_line(law, g, 64).size();
    for (std::size_t i = 0; i < count; ++i)
      add("kappas", fmt::format("g_cond[{}]", i),
          [&](Bits bits) { return random::kappas_on_condensation_line(law, g, bits).at(i); });
  }

  const RandomJob& job_;
  long digits_;
  Result result_;
};

ordered_json to_json(const RandomJob& job, const Result& result) {
  ordered_json r = {{"schema", 1}};
  if (!job.id.empty()) r["id"] = job.id;
  if (!job.why.empty()) r["why"] = job.why;
  r["inputs"] = inputs_json(job.inputs);
  for (const Line& l : result.lines) {
    ordered_json& place = l.group.empty() ? r : r[l.group];
    place[l.key] = l.value ? value_json(*l.value, job.options.digits) : undefined_json(l.undefined);
  }
  if (!result.phase.empty()) r["phase"] = result.phase;
  if (result.drawn) {
    ordered_json& d = r["drawn"] = {{"rows", result.drawn->rows}};
    for (const auto& [e, m] : result.drawn->means)
      d[std::string(name(e))] = {{"mean", fmt::format("{:.10g}", m.mean)},
                                 {"standard_error", fmt::format("{:.3g}", m.standard_error)}};
  }
  return r;
}

std::string to_text(const RandomJob& job, const Result& result) {
  std::string r = job.id.empty() ? "" : job.id + "\n";
  r += inputs_text(job.inputs) + "\n";
  for (const Line& l : result.lines) {
    const std::string label = l.group == "transitions"
                                  ? "g at " + std::string(l.key == "self" ? "E A_ii = 1/2" : "E W = 1")
                              : l.group == "kappas" ? "kappa on " + l.key
                              : l.group == "limits" ? "lim " + l.key
                                                    : l.key;
    r += l.value ? fmt::format("  {:<20} {}\n", label, value_text(*l.value, job.options.digits))
                 : fmt::format("  {:<20} undefined: {}\n", label, l.undefined);
    if (!result.drawn) continue;
    for (const auto& [e, m] : result.drawn->means)
      if (l.group == "quantities" && l.key == name(e))
        r += fmt::format("  {:<20}   drawn {:.8g} +- {:.2g}\n", "", m.mean, m.standard_error);
  }
  if (!result.phase.empty()) r += fmt::format("  {:<20} {}\n", "phase", result.phase);
  return r;
}

/// One row a result.
std::string to_csv(const std::vector<RandomJob>& jobs, const std::vector<Result>& results) {
  CsvTable table({"id"});
  for (std::size_t i = 0; i < results.size(); ++i) {
    table.add_row();
    table.set("id", jobs[i].id);
    table.set(jobs[i].inputs);
    for (const Line& l : results[i].lines)
      table.set(l.key, l.value ? &*l.value : nullptr, jobs[i].options.digits);
    if (!results[i].phase.empty()) table.set("phase", results[i].phase);
    if (results[i].drawn)
      for (const auto& [e, m] : results[i].drawn->means) {
        table.set(fmt::format("drawn.{}.mean", name(e)), fmt::format("{:.10g}", m.mean));
        table.set(fmt::format("drawn.{}.standard_error", name(e)), fmt::format("{:.3g}", m.standard_error));
      }
  }
  return table.text();
}

/// What random keys a token file resembles, with the three thresholds. Estimates, so six digits.
int effective_command(const SharedFlags& shared, const std::string& file) {
  Output output(shared.output(), shared.force());
  const TokenSet tokens = read_tokens(file);
  std::vector<double> entries(tokens.doubles().begin(), tokens.doubles().end());
  if (!tokens.is_binary())
    for (const Rational& x : tokens.fractions()) entries.push_back(static_cast<double>(x));
  const random::EffectiveKeys e = random::effective_keys(tokens.n(), tokens.d(), entries);
  const Parameter kappa = [&](Bits bits) { return Ball::exactly(e.kappa, bits); };
  const double self = random::rough(*random::self_line(KeyLaw::sphere, kappa, 64)),
               condensed = random::rough(random::condensation_line(KeyLaw::sphere, kappa, 64));
  const std::vector<std::pair<const char*, double>> lines{{"mean", e.mean},
                                                          {"variance", e.variance},
                                                          {"rho", e.rho},
                                                          {"m", e.m},
                                                          {"kappa", e.kappa},
                                                          {"gamma_simplex", 1 / (1 - e.rho)},
                                                          {"gamma_self", self / (1 - e.rho)},
                                                          {"gamma_cond", condensed / (1 - e.rho)}};
  std::string text;
  if (shared.format() == Format::json) {
    ordered_json r = {{"schema", 1}, {"inputs", {{"tokens", file}}}, {"n", tokens.n()}, {"d", tokens.d()}};
    for (const auto& [key, x] : lines) r["estimates"][key] = fmt::format("{:.6g}", x);
    text = r.dump(2) + "\n";
  } else {
    text = shared.format() == Format::csv
               ? "quantity,estimate\n"
               : fmt::format("tokens = {}, n = {}, d = {}; estimates\n", file, tokens.n(), tokens.d());
    for (const auto& [key, x] : lines)
      text += shared.format() == Format::csv ? fmt::format("{},{:.6g}\n", key, x)
                                             : fmt::format("  {:<20} {:.6g}\n", key, x);
  }
  output.write(text);
  return done;
}

int random_command(const SharedFlags& shared, const RandomFlags& flags) {
  Output output(shared.output(), shared.force());
  const std::vector<RandomJob> jobs = flags.jobs(shared);
  std::vector<Result> results(jobs.size());
  const std::size_t complete = run_parallel(jobs.size(), jobs.at(0).options, [&](std::size_t i) {
    results[i] = located(jobs[i].where, [&] { return Answer(jobs[i]).run(); });
  });
  require_complete(complete, jobs.size());
  std::string text;
  if (shared.format() == Format::csv)
    text = to_csv(jobs, results);
  else if (shared.format() == Format::json)
    text = results_json(jobs.size(), jobs.size() != 1,
                        [&](std::size_t i) { return to_json(jobs[i], results[i]); });
  else
    text = results_text(jobs.size(), [&](std::size_t i) { return to_text(jobs[i], results[i]); });
  output.write(text);
  return done;
}

}  // namespace

void add_random(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "random", "Random keys: certified expectations at any n, and the phase diagram in (kappa, g)");
  const auto shared = std::make_shared<SharedFlags>(*command);
  const auto flags = std::make_shared<RandomFlags>(*command);
  const auto token_file = std::make_shared<std::string>();
  command->add_option(
      "--tokens", *token_file,
      "A token file: estimates of rho and m from its inner products, and the thresholds there");
  command->footer(
      "Inner products are rho + (1 - rho) v with v a coordinate of a uniform point of the unit sphere in "
      "R^m, or\n"
      "N(0, 1/m); kappa = m/ln n, g = gamma (1 - rho). Without --n: the lines g_self(kappa), "
      "g_cond(kappa).\n\n"
      "Examples: critscale random --keys sphere --dim 128 --rho 1/3 --n 10^6 --gamma 3/2 --digits 20\n"
      "          critscale random --keys sphere --kappa 2 --digits 40\n"
      "          critscale random --keys sphere --dim 64 --n 10^6 --transitions\n"
      "          critscale random --keys gaussian --sigma 1 --no-aligned-key --n 10^6 --beta '2*(log "
      "n)^(1/2)'\n"
      "          critscale random --keys sphere --dim 12 --n 2000 --beta 14 --draws 10000 --seed 1");
  command->callback([=, &exit_code] {
    exit_code =
        token_file->empty() ? random_command(*shared, *flags) : effective_command(*shared, *token_file);
  });
}

}  // namespace critscale::cli
