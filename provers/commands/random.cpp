// `critscale random`: certified expectations over random keys, and their phase diagram.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "critscale/random/detail/effective.hpp"
#include "critscale/tokens/files.hpp"
#include "inputs/random_flags.hpp"
#include "output/random_answer.hpp"
#include "output/random_result.hpp"
#include "output/token_result.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;

/// What random keys a token file resembles, with the three thresholds. Estimates, so six digits.
int effective_command(const SharedFlags& shared, const std::string& file) {
  Output output(shared.output(), shared.force());
  const TokenSet tokens = read_tokens(file);
  const random::EffectiveKeys e = random::effective_keys(tokens.n(), tokens.d(), rounded_entries(tokens));
  const random::EffectiveThresholds gamma = effective_thresholds(e);
  const std::vector<std::pair<const char*, double>> lines{{"mean", e.mean},
                                                          {"variance", e.variance},
                                                          {"rho", e.rho},
                                                          {"m", e.m},
                                                          {"kappa", e.kappa},
                                                          {"gamma_simplex", gamma.simplex},
                                                          {"gamma_self", gamma.self},
                                                          {"gamma_cond", gamma.condensation}};
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
  return write_random_answers(shared, flags.jobs(shared));
}

}  // namespace

int write_random_answers(const SharedFlags& shared, const std::vector<RandomJob>& jobs) {
  Output output(shared.output(), shared.force());
  const TimeGuard guard(jobs.at(0).options.time_limit);
  std::vector<RandomResult> results(jobs.size());
  const std::size_t complete = run_parallel(jobs.size(), jobs.at(0).options, [&](std::size_t i) {
    results[i] = located(jobs[i].where, [&] { return answer_random(jobs[i]); });
  });
  require_complete(complete, jobs.size());
  const std::string text = render_random(jobs, results, shared.format(), shared.list());
  output.write(text);
  return done;
}

void add_random(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "random", "Random keys: certified expectations at any n, and the phase diagram in (kappa, g)");
  const auto shared = std::make_shared<SharedFlags>(*command);
  const auto flags = std::make_shared<RandomFlags>(*command, RandomQuestion::row);
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
