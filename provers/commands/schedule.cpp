// `critscale schedule`: what becomes of scaling schedules in a geometry.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "commands/random_schedule.hpp"
#include "critscale/asymptotics/schedule_verdict.hpp"
#include "critscale/model/layers.hpp"
#include "critscale/text/certify.hpp"
#include "critscale/tokens/files.hpp"
#include "critscale/tokens/layer.hpp"
#include "grids/grid.hpp"
#include "inputs/context_lengths.hpp"
#include "inputs/flags.hpp"
#include "inputs/random_flags.hpp"
#include "inputs/schedule_flags.hpp"
#include "jobs/complete.hpp"
#include "output/csv_table.hpp"
#include "output/results.hpp"
#include "output/value.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;
using Inputs = std::vector<std::pair<std::string, std::string>>;

/// A schedule in a geometry (or against bare thresholds, then without configurations).
struct Job {
  NamedSchedule named;
  Inputs geometry;
  std::vector<Rational> thresholds;
  std::optional<Rational> delta;  ///< 1 - rho on the simplex
  std::vector<PowerProduct> n;
  std::vector<Configuration> configurations;  ///< one an n, or none
  RunOptions options;
  std::string id, where;
};

struct Row {
  PowerProduct n;
  Ball multiplier, beta, gamma;
  Phase phase;
  std::optional<Attended> attended;
};

struct Verdict {
  std::vector<Row> rows;
  std::vector<Crossings> crossings;
  LimitVerdict limit;
  std::optional<Ball> offset, self_weight;
};

/// How the geometry grows with n, for its thresholds ([phases]).
std::vector<Rational> geometry_thresholds(const Configuration& c, const Specification& s) {
  const auto exact = [](const RationalBox& r) {
    if (!r.is_point())
      throw InputError("thresholds need exact inner products, found the box " + to_string(r));
    return r.lo;
  };
  if (const auto* simplex = std::get_if<Simplex>(&c.geometry))
    return thresholds(simplex_profile(exact(simplex->rho)));
  Profile profile;
  const auto& bands = std::get<Bands>(c.geometry).bands;
  for (std::size_t l = 0; l < bands.size(); ++l)
    profile.push_back({exact(bands[l].r), parse_size(s.bands[l].size.text)});
  return thresholds(profile);
}

class Request {
 public:
  Request(const SharedFlags& flags, const ScheduleFlags& schedules, const std::vector<std::string>& positions,
          const std::vector<std::string>& given, const std::string& token_file)
      : flags_(flags), schedules_(schedules), positions_(positions), given_(given), token_file_(token_file) {}

  std::vector<Job> jobs() const {
    std::vector<Job> r;
    for (const Specification& s : flags_.specifications(!given_.empty() || !token_file_.empty()))
      located(s.where, [&] {
        if (!schedules_.given(s))
          throw InputError("a schedule is needed, such as --schedule yarn (or all), or --config FILE");
        const auto lengths = context_lengths(s, positions_);
        for (const Job& geometry : geometries(s, lengths))
          for (NamedSchedule& named : schedules_.schedules(s)) {
            r.push_back(geometry);
            r.back().named = std::move(named);
          }
      });
    return r;
  }

 private:
  std::vector<Job> geometries(const Specification& s,
                              const std::vector<std::pair<PowerProduct, Text>>& lengths) const {
    Job base;
    base.options = flags_.run_options(s);
    base.id = s.id;
    base.where = s.where;
    for (const auto& [n, text] : lengths) base.n.push_back(n);
    std::vector<Text> explicit_thresholds = texts_of(s, "threshold");
    for (const std::string& t : given_) explicit_thresholds.push_back({t, "--threshold"});
    const bool has_geometry = s.find("rho") || !s.bands.empty();
    if (has_geometry + !explicit_thresholds.empty() + !token_file_.empty() != 1)
      throw InputError("give either a geometry (--rho or --band), or --threshold, or --tokens");
    if (!token_file_.empty()) return {of_tokens(std::move(base), token_file_)};
    if (!has_geometry) return {bare(std::move(base), explicit_thresholds)};
    std::vector<Job> r;
    if (lengths.empty()) {
      // Thresholds depend on how sizes grow, not on n: any n will do, whether or not sizes divide it.
      Specification at_any_n = with_length(s, {"10^720720", s.where});
      std::erase_if(at_any_n.entries, [](const Entry& e) { return e.key == "analytic"; });
      at_any_n.entries.push_back({"analytic", {{"true", s.where}}});
      const Grid grid(at_any_n);
      r.resize(grid.size(), base);
      for (std::size_t i = 0; i < grid.size(); ++i) describe(r[i], grid[i], s);
    }
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const Specification at_n = with_length(s, lengths[k].second);
      const Grid grid(at_n);
      r.resize(grid.size(), base);
      for (std::size_t i = 0; i < grid.size(); ++i) {
        Point p = grid[i];
        if (k == 0) describe(r[i], p, s);
        r[i].configurations.push_back(std::move(p.configuration));
      }
    }
    return r;
  }

  static Specification with_length(const Specification& s, const Text& n) {
    Specification r = without_scale(s);
    std::erase_if(r.entries, [](const Entry& e) { return e.key == "n"; });
    r.entries.push_back({"n", {n}});
    return r;
  }

  static Job bare(Job job, const std::vector<Text>& explicit_thresholds) {
    for (const Text& t : explicit_thresholds) {
      job.thresholds.push_back(located(t.where, [&] { return parse_rational(t.text); }));
      if (job.thresholds.back() <= 0)
        throw InputError(fmt::format("{}: a threshold must be positive, found {}", t.where, t.text));
      job.geometry.emplace_back("threshold", to_string(job.thresholds.back()));
    }
    if (!std::is_sorted(job.thresholds.begin(), job.thresholds.end()))
      throw InputError("thresholds must be given in ascending order");
    return job;
  }

  /// The thresholds of [near-simplex], rounded outward to the digits asked for, so that a phase at gamma_eff
  /// below the first or above the last holds for the tokens' own, irrational thresholds.
  static Job of_tokens(Job job, const std::string& file) {
    const TokenGeometry g = TokenModel(read_tokens(file)).geometry(job.options.digits, job.options.max_bits);
    if (!g.first_threshold || !g.last_threshold)
      throw InputError(
          fmt::format("{}: two tokens have the same direction, so that no gamma tells them apart", file));
    job.thresholds = {parse_rational(print(*g.first_threshold, job.options.digits).lo),
                      parse_rational(print(*g.last_threshold, job.options.digits).hi)};
    job.geometry = {{"tokens", file}};
    return job;
  }

  static void describe(Job& job, const Point& p, const Specification& s) {
    job.thresholds = geometry_thresholds(p.configuration, s);
    if (const auto* simplex = std::get_if<Simplex>(&p.configuration.geometry)) {
      job.geometry = {{"geometry", "simplex"}, {"rho", to_string(simplex->rho)}};
      job.delta = 1 - simplex->rho.lo;
    } else {
      job.geometry = {{"geometry", "bands"}};
      const auto& bands = std::get<Bands>(p.configuration.geometry).bands;
      for (std::size_t l = 0; l < bands.size(); ++l)
        job.geometry.emplace_back("band",
                                  fmt::format("r={},size={}", to_string(bands[l].r), s.bands[l].size.text));
    }
  }

  const SharedFlags& flags_;
  const ScheduleFlags& schedules_;
  const std::vector<std::string>&positions_, &given_;
  const std::string& token_file_;
};

LayerStack stack_of(const Configuration& c, const Schedule& s) {
  if (!c.is_point()) throw InputError("schedules need exact parameters, found a box");
  return {c.geometry, c.n,    c.d,
          c.alpha.lo, c.q.lo, [s, n = c.n](Bits bits) { return beta(s, n, Lift<Ball>(bits)); }};
}

Row row_at(const Job& job, std::size_t i) {
  const Schedule& s = job.named.schedule;
  const PowerProduct& n = job.n[i];
  const long digits = job.options.digits;
  const auto value_of = [&](auto f) {
    return certify_digits(
        digits, [&](Bits bits) { return f(Lift<Ball>(bits)); }, job.options.max_bits);
  };
  Row r{n,
        value_of([&](const Lift<Ball>& lift) { return multiplier(s, n, lift); }),
        value_of([&](const Lift<Ball>& lift) { return beta(s, n, lift); }),
        value_of([&](const Lift<Ball>& lift) { return gamma_effective(s, n, lift.bits()); }),
        phase_at(s, n, job.thresholds),
        std::nullopt};
  if (certainly(r.beta.is_negative()))
    throw InputError(
        fmt::format("beta must not be negative, found {} at n = {}", value_text(r.beta, 6), n.to_string()));
  if (!job.configurations.empty())
    r.attended = attended(stack_of(job.configurations[i], s), digits, job.options.max_bits);
  return r;
}

Verdict judge(const Job& job) {
  const Schedule& s = job.named.schedule;
  Verdict v;
  for (std::size_t i = 0; i < job.n.size(); ++i) v.rows.push_back(row_at(job, i));
  for (const Rational& t : job.thresholds) v.crossings.push_back(crossings(s, t, job.options.digits));
  v.limit = limit_verdict(s, job.thresholds);
  if (!v.limit.threshold) return v;
  v.offset = certify_digits(job.options.digits, [&](Bits bits) { return limit_offset(s, bits); });
  if (job.delta)
    v.self_weight = certify_digits(
        job.options.digits, [&](Bits bits) { return window_self_weight(*job.delta, limit_offset(s, bits)); });
  return v;
}

std::string limit_text(const GammaLimit& limit) {
  return limit.kind == GammaLimit::Kind::zero       ? "0"
         : limit.kind == GammaLimit::Kind::infinite ? "infinity"
                                                    : limit.constant->to_string();
}

Ball limit_value(const GammaLimit& limit, long digits) {
  if (limit.kind == GammaLimit::Kind::zero) return Ball(0);
  return certify_digits(digits, [&](Bits bits) { return limit.constant->value(bits); });
}

/// Whether the size of the scores, which decides every phase, was left out.
bool assumes_scores(const Job& job) {
  return std::none_of(job.named.inputs.begin(), job.named.inputs.end(),
                      [](const auto& input) { return input.first == "logit_scale"; });
}

/// Inputs; what repeats (bands, thresholds) becomes a list.
ordered_json inputs_json(const Job& job) {
  ordered_json r;
  const auto add = [&](const auto& key, const auto& text) {
    if (!r.contains(key))
      r[key] = text;
    else if (r[key].is_array())
      r[key].push_back(text);
    else
      r[key] = {r[key], text};
  };
  for (const auto& [key, text] : job.named.inputs) add(key, text);
  for (const auto& [key, text] : job.geometry) add(key, text);
  return r;
}

ordered_json crossings_json(const Crossings& c, const Rational& t, long digits) {
  ordered_json r = {
      {"threshold", to_string(t)}, {"count", to_string(c.count)}, {"points", ordered_json::array()}};
  for (const Crossing& x : c.points)
    r["points"].push_back({{"n", value_json(x.n, digits)},
                           {"log_n", value_json(x.log_n, digits)},
                           {"direction", x.upward ? "up" : "down"}});
  r["reason"] = c.reason;
  return r;
}

ordered_json to_json(const Job& job, const Verdict& v) {
  const long digits = job.options.digits;
  ordered_json r = {{"schema", 1}};
  if (!job.id.empty()) r["id"] = job.id;
  r["inputs"] = inputs_json(job);
  if (assumes_scores(job)) r["assumes"] = "scores of size 1 (logit_scale is not given)";
  r["formula"] = formula(job.named.schedule);
  if (!job.named.notes.empty()) r["notes"] = job.named.notes;
  r["thresholds"] = ordered_json::array();
  for (const Rational& t : job.thresholds) r["thresholds"].push_back(to_string(t));
  r["by_n"] = ordered_json::array();
  for (const Row& row : v.rows) {
    ordered_json x = {{"n", row.n.to_string()},
                      {"multiplier", value_json(row.multiplier, digits)},
                      {"beta", value_json(row.beta, digits)},
                      {"gamma_effective", value_json(row.gamma, digits)},
                      {"phase", name(row.phase)}};
    if (row.attended) {
      x["self_weight"] = value_json(row.attended->self_weight, digits);
      x["participation"] = value_json(row.attended->participation, digits);
    }
    r["by_n"].push_back(std::move(x));
  }
  r["crossings"] = ordered_json::array();
  for (std::size_t i = 0; i < v.crossings.size(); ++i)
    r["crossings"].push_back(crossings_json(v.crossings[i], job.thresholds[i], digits));
  ordered_json& limit = r["limit"];
  limit["gamma_effective"] = limit_text(v.limit.limit);
  const bool finite = v.limit.limit.kind != GammaLimit::Kind::infinite;
  limit["value"] = finite ? value_json(limit_value(v.limit.limit, digits), digits) : ordered_json(nullptr);
  limit["phase"] = name(v.limit.phase);
  if (v.offset) limit["offset"] = value_json(*v.offset, digits);
  if (v.self_weight) limit["self_weight"] = value_json(*v.self_weight, digits);
  return r;
}

/// A fraction as it was given; what was rounded from a token file as its decimals.
std::string threshold_text(const Job& job, const Rational& t) {
  const bool rounded = !job.geometry.empty() && job.geometry[0].first == "tokens";
  const long digits = job.options.digits;
  return rounded ? print(Ball(t, bits_for_digits(digits) + 16), digits).value.value_or(to_string(t))
                 : to_string(t);
}

std::string to_text(const Job& job, const Verdict& v) {
  const long digits = job.options.digits;
  std::string r;
  for (const Inputs* inputs : {&job.named.inputs, &job.geometry})
    for (const auto& [key, text] : *inputs) r += fmt::format("{}{} = {}", r.empty() ? "" : ", ", key, text);
  if (assumes_scores(job))
    r += "\n  with scores of size 1, as no --logit-scale is given: see schedule --help";
  for (const std::string& line : job.named.notes) r += fmt::format("\n  {}", line);
  r += fmt::format("\n  multiplier         {}\n  thresholds        ", formula(job.named.schedule));
  for (const Rational& t : job.thresholds) r += " " + threshold_text(job, t);
  r += job.thresholds.empty() ? " none\n" : "\n";
  for (const Row& row : v.rows) {
    r += fmt::format("  n = {}: {}\n    {:<16} {}\n    {:<16} {}\n    {:<16} {}\n", row.n.to_string(),
                     name(row.phase), "multiplier", value_text(row.multiplier, digits), "beta",
                     value_text(row.beta, digits), "gamma_effective", value_text(row.gamma, digits));
    if (row.attended)
      r += fmt::format("    {:<16} {}\n    {:<16} {}\n", "self_weight",
                       value_text(row.attended->self_weight, digits), "participation",
                       value_text(row.attended->participation, digits));
  }
  for (std::size_t i = 0; i < v.crossings.size(); ++i) {
    const Crossings& c = v.crossings[i];
    r += fmt::format("  crosses {}: ", threshold_text(job, job.thresholds[i]));
    if (c.points.empty()) r += "never";
    for (const Crossing& x : c.points)
      r += fmt::format("{}{} at n = {}", &x == &c.points[0] ? "" : ", ", x.upward ? "up" : "down",
                       value_text(x.n, digits));
    if (c.count > c.points.size())
      r += fmt::format(" (the first two and the last two of {})", to_string(c.count));
    r += fmt::format("\n    because {}\n", c.reason);
  }
  r += fmt::format("  n -> infinity: gamma_effective -> {}: {}", limit_text(v.limit.limit),
                   name(v.limit.phase));
  if (v.offset) r += fmt::format(", offset {}", value_text(*v.offset, digits));
  if (v.self_weight) r += fmt::format(", self weight -> {}", value_text(*v.self_weight, digits));
  return r + "\n";
}

/// One row an n; what holds for all n is repeated.
std::string to_csv(const std::vector<Job>& jobs, const std::vector<Verdict>& verdicts) {
  CsvTable table({"id", "schedule", "formula", "geometry", "n", "multiplier.value", "multiplier.lo",
                  "multiplier.hi", "gamma_effective.value", "gamma_effective.lo", "gamma_effective.hi",
                  "phase"});
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Job& job = jobs[i];
    for (const Row& row : verdicts[i].rows) {
      const long digits = job.options.digits;
      table.add_row();
      table.set({{"id", job.id},
                 {"schedule", job.named.inputs[0].second},
                 {"formula", formula(job.named.schedule)},
                 {"geometry", inputs_cell(job.geometry)},
                 {"n", row.n.to_string()}});
      table.set("multiplier", &row.multiplier, digits);
      table.set("gamma_effective", &row.gamma, digits);
      table.set("phase", std::string(name(row.phase)));
      table.set("self_weight", row.attended ? &row.attended->self_weight : nullptr, digits);
      table.set("participation", row.attended ? &row.attended->participation : nullptr, digits);
      table.set("limit", limit_text(verdicts[i].limit.limit));
      table.set("limit_phase", std::string(name(verdicts[i].limit.phase)));
    }
  }
  return table.text();
}

std::string render(const std::vector<Job>& jobs, const std::vector<Verdict>& verdicts, Format format,
                   bool list) {
  if (format == Format::csv) return to_csv(jobs, verdicts);
  if (format == Format::json)
    return results_json(verdicts.size(), jobs.size() != 1 || list,
                        [&](std::size_t i) { return to_json(jobs[i], verdicts.at(i)); });
  return results_text(verdicts.size(), [&](std::size_t i) { return to_text(jobs[i], verdicts[i]); });
}

int schedule(const SharedFlags& flags, const std::vector<Job>& jobs) {
  Output output(flags.output(), flags.force());
  std::vector<Verdict> verdicts(jobs.size());
  const auto judge_job = [&](std::size_t i) {
    verdicts[i] = located(jobs[i].where, [&] { return judge(jobs[i]); });
  };
  run_and_write(jobs.size(), jobs.at(0).options, judge_job, [&](const std::vector<std::size_t>& complete) {
    output.write(render(chosen(jobs, complete), chosen(verdicts, complete), flags.format(),
                        jobs.size() > 1 || flags.list()));
  });
  return done;
}

}  // namespace

void add_schedule(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("schedule", "Phases of scaling schedules at finite n and in the limit");
  const auto flags = std::make_shared<SharedFlags>(*command);
  const auto schedules = std::make_shared<ScheduleFlags>(*command);
  const auto random_keys = std::make_shared<RandomFlags>(*command, RandomQuestion::boundary);
  const auto positions = std::make_shared<std::vector<std::string>>(),
             given = std::make_shared<std::vector<std::string>>();
  const auto token_file = std::make_shared<std::string>();
  add_name_list(*command, "--position", *positions,
                "A causal row at this 0-based position: n = position + 1 keys");
  add_name_list(*command, "--threshold", *given,
                "A threshold of gamma in place of a geometry; repeat in ascending order");
  command->add_option(
      "--tokens", *token_file,
      "The thresholds 1/(1-rho_min), 1/(1-rho_max) of a token file, rounded outward, in place of a geometry");
  command->footer(
      "beta(n) = logit scale / sqrt(head dim) * multiplier(n); gamma_effective = beta/ln(n), against the\n"
      "geometry's phase boundaries. Crossings are over real n >= 2 and complete.\n"
      "The logit scale is the score |q||k| of a query and the key that is aligned with it, before any "
      "division\n"
      "and before the multiplier. Measure it in a model as the largest score of a row, times sqrt(head dim), "
      "on\n"
      "average over rows; phases depend on it as much as on the schedule.\n\n"
      "Random keys of fixed dimension have thresholds that grow with n: the crossings say at which n a "
      "schedule\n"
      "is lost.\n\n"
      "Examples: critscale schedule --schedule yarn --train-length 8192 --logit-scale 8 --rho 1/3 --n 10^6 "
      "--digits 20\n"
      "          critscale schedule --schedule all --geometry sphere --dim 128 --rho 1/3 --logit-scale 16 "
      "--n 10^6 "
      "--digits 10");
  command->callback([=, &exit_code] {
    const std::vector<Specification> specifications =
        flags->specifications(!given->empty() || !token_file->empty());
    if (asks_random_keys(specifications, *random_keys)) {
      if (!given->empty() || !token_file->empty())
        throw InputError("give either a geometry, or --threshold, or --tokens");
      exit_code = random_schedule(*flags, *schedules, *random_keys, specifications, *positions);
      return;
    }
    exit_code = schedule(*flags, Request(*flags, *schedules, *positions, *given, *token_file).jobs());
  });
}

}  // namespace critscale::cli
