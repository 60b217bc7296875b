// `critscale tokens`: explicit tokens from files, or drawn as the paper draws them.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "commands/commands.hpp"
#include "critscale/tokens/files.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "inputs/token_flags.hpp"
#include "jobs/pipeline.hpp"
#include "output/token_result.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

/// Throws LimitError once the time is over.
std::function<void()> time_checkpoint(std::optional<double> seconds) {
  if (!seconds) return {};
  return [limit = *seconds] {
    if (seconds_running() > limit) throw LimitError(fmt::format("time limit of {} s reached", limit));
  };
}

/// Puts the file's name before messages about its tokens.
template <class F>
auto in_file(const std::string& file, F&& f) {
  try {
    return located(file, f);
  } catch (const UndefinedError& error) {
    if (file.empty()) throw;
    throw UndefinedError(fmt::format("{}: {}", file, error.what()));
  }
}

int tokens_command(const TokenFlags& flags) {
  const std::optional<GaussianFlag> gaussian = flags.gaussian();
  if (flags.files().empty() && !gaussian)
    throw InputError("token files are needed, or --gaussian n=,d=,rho=,seed= (see --help)");
  if (!flags.files().empty() && gaussian) throw InputError("give either token files or --gaussian, not both");
  const RunOptions run = flags.run_options();
  const TimeGuard guard(run.time_limit);
  const std::vector<TokenLayerFlags> layers = flags.layers();
  TokenOptions options = flags.options();
  const std::vector<std::size_t> rows = flags.rows();
  options.digits = run.digits;
  options.max_bits = run.max_bits;
  options.checkpoint = time_checkpoint(run.time_limit);
  const bool keeps_tokens = gaussian && !flags.output().empty();
  if (keeps_tokens && !flags.output().ends_with(".npy"))
    throw InputError(
        fmt::format("-o: with --gaussian the tokens are written, to a .npy file; found {}", flags.output()));
  Output output(flags.output(), flags.force());
  std::optional<tbb::global_control> threads;
  if (run.threads > 0) threads.emplace(tbb::global_control::max_allowed_parallelism, run.threads);

  // Every file is read before any work is done on one.
  std::vector<TokenModel> models;
  std::vector<TokenSetResult> sets;
  if (gaussian) {
    TokenSet tokens = gaussian_tokens(gaussian->n, gaussian->d, gaussian->rho, gaussian->seed);
    if (keeps_tokens) {
      output.write(npy_bytes(tokens));
      if (layers.empty()) return done;
    }
    models.emplace_back(std::move(tokens));
    sets.push_back({{"gaussian", gaussian->text}, {}, {}, {}});
  }
  for (const std::string& file : flags.files()) {
    models.push_back(in_file(file, [&, tokens = read_tokens(file)] { return TokenModel(tokens); }));
    sets.push_back({{"tokens", file}, {}, {}, {}});
  }
  for (const TokenModel& model : models) require_token_memory(model.tokens().n(), run.digits);
  std::vector<TokenLayerResult> results;
  const std::size_t wanted = sets.size() * layers.size();
  const auto progress = report_progress(std::nullopt);
  std::string stopped;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const std::string file = gaussian ? "" : sets[s].source.second;
    try {
      if (options.checkpoint) options.checkpoint();
      sets[s].geometry = models[s].geometry(run.digits, run.max_bits, options.checkpoint);
      sets[s].gaps = models[s].gap_counting(run.digits, run.max_bits, options.checkpoint);
      sets[s].resembles = resembled_keys(models[s].tokens());
      for (const TokenLayerFlags& layer : layers) {
        results.push_back({&sets[s], layer.inputs, in_file(file, [&] {
                             return models[s].evaluate(layer.scale, layer.alpha, options);
                           })});
        for (const std::size_t i : rows)
          results.back().rows.push_back(in_file(file, [&] {
            return token_row(models[s].tokens(), layer.scale, layer.alpha, i, run.digits, run.max_bits,
                             options.checkpoint);
          }));
        if (wanted > 1) progress(results.size(), wanted);
      }
    } catch (const LimitError& error) {
      // What is done is kept.
      if (results.empty()) throw;
      stopped = fmt::format("{}; {} of {} layers are in the result", error.what(), results.size(), wanted);
      const std::size_t begun = sets[s].gaps.empty() ? s : s + 1;
      sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(begun), sets.end());
    }
    if (!stopped.empty()) break;
  }
  const std::string text = render_tokens(sets, results, run.digits, flags.format());
  if (keeps_tokens)
    write_stdout(text);
  else
    output.write(text);
  if (!stopped.empty()) throw LimitError(stopped);
  return done;
}

}  // namespace

void add_tokens(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "tokens", "Explicit tokens: inner products, thresholds, layer values, gap counting");
  const auto flags = std::make_shared<TokenFlags>(*command);
  command->footer(
      "Every entry of a file is the exact number stored; the layer has beta = gamma ln n with n the number "
      "of "
      "rows.\n"
      "Up to 10 digits come from binary64 with proved error bounds where those suffice.\n\n"
      "Examples: critscale tokens tokens.npy --gamma 3/2 --pair 0,1 --row 0\n"
      "          critscale tokens --gaussian n=512,d=32,rho=1/2,seed=1 -o tokens.npy");
  command->callback([flags, &exit_code] { exit_code = tokens_command(*flags); });
}

}  // namespace critscale::cli
