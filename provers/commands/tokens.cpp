// `critscale tokens`: explicit tokens from files, or drawn as the paper draws them.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "commands/commands.hpp"
#include "critscale/tokens/detail/exact_text.hpp"
#include "critscale/tokens/detail/settled.hpp"
#include "critscale/tokens/files.hpp"
#include "critscale/tokens/gaussian.hpp"
#include "inputs/token_flags.hpp"
#include "jobs/pipeline.hpp"
#include "jobs/ranks.hpp"
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

/// All sets and layers of one command: what is computed, by this process or by all of an mpirun.
class TokenWork {
 public:
  TokenWork(const TokenFlags& flags, const RunOptions& run)
      : run_(run), layers_(flags.layers()), rows_(flags.rows()), options_(flags.options()) {
    options_.digits = run.digits;
    options_.max_bits = run.max_bits;
    options_.checkpoint = time_checkpoint(run.time_limit);
  }

  void add(TokenSet tokens, std::pair<std::string, std::string> source) {
    models_.push_back(in_file(source.first == "tokens" ? source.second : "",
                              [&] { return TokenModel(std::move(tokens)); }));
    sets.push_back({std::move(source), {}, {}, {}});
  }
  bool has_layers() const { return !layers_.empty(); }

  /// Whether the rows of each set are divided, not the sets and layers: what Ball arithmetic does is not
  /// divided, and small sets are not worth their messages.
  bool divides_rows() const {
    constexpr std::size_t least_tokens = 1024;
    return Ranks::several() && run_.digits <= binary64_digits &&
           std::ranges::any_of(models_, [](const TokenModel& m) { return m.tokens().n() >= least_tokens; });
  }

  /// Fills `sets` and `results`; returns why they are not complete, where some are.
  std::string run() {
    for (const TokenModel& model : models_) require_token_memory(model.tokens().n(), run_.digits);
    results.reserve(sets.size() * layers_.size());
    const std::size_t wanted = sets.size() * layers_.size(), steps = 1 + layers_.size();
    const auto progress = report_progress(std::nullopt);
    const auto keep = [&](std::size_t step, std::string_view text) {
      take(step, text);
      if (wanted > 1 && step % steps > 0) progress(results.size(), wanted);
    };
    try {
      if (divides_rows()) {
        for (TokenModel& model : models_) model.share_rows(Ranks::row_sharing(run_.threads));
        for (std::size_t step = 0; step < sets.size() * steps; ++step)
          if (const std::string text = make(step); Ranks::is_first()) keep(step, text);
      } else if (Ranks::several()) {
        std::size_t next = 0;
        Ranks::ordered_run(run_.threads)(
            sets.size() * steps, [&](std::size_t step) { return make(step); },
            [&](std::string_view text) {
              keep(next++, text);
              return true;
            });
      } else {
        for (std::size_t step = 0; step < sets.size() * steps; ++step) keep(step, make(step));
      }
    } catch (const LimitError& error) {
      // What is done is kept.
      if (results.empty()) throw;
      sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(begun_), sets.end());
      return fmt::format("{}; {} of {} layers are in the result", error.what(), results.size(), wanted);
    }
    return "";
  }

  std::vector<TokenSetResult> sets;
  std::vector<TokenLayerResult> results;

 private:
  /// Step 0 of a set is the set itself, the others are its layers.
  std::string make(std::size_t step) const {
    const std::size_t s = step / (1 + layers_.size()), at = step % (1 + layers_.size());
    const TokenModel& model = models_[s];
    const std::string file = sets[s].source.first == "tokens" ? sets[s].source.second : "";
    if (options_.checkpoint) options_.checkpoint();
    BallWriter w;
    if (at == 0) {
      w.put(model.geometry(run_.digits, run_.max_bits, options_.checkpoint));
      w.put(model.gap_counting(run_.digits, run_.max_bits, options_.checkpoint));
      return w.text();
    }
    const TokenLayerFlags& layer = layers_[at - 1];
    in_file(file, [&] {
      w.put(model.evaluate(layer.scale, layer.alpha, options_));
      if (!Ranks::is_first() && divides_rows()) return;
      for (const std::size_t i : rows_)
        w.put(token_row(model.tokens(), layer.scale, layer.alpha, i, run_.digits, run_.max_bits,
                        options_.checkpoint));
    });
    return w.text();
  }

  void take(std::size_t step, std::string_view text) {
    const std::size_t s = step / (1 + layers_.size()), at = step % (1 + layers_.size());
    BallReader reader(text);
    if (at == 0) {
      reader.get(sets[s].geometry);
      reader.get(sets[s].gaps);
      sets[s].resembles = resembled_keys(models_[s].tokens());
      begun_ = s + 1;
      return;
    }
    TokenLayerResult& r =
        results.emplace_back(TokenLayerResult{&sets[s], layers_[at - 1].inputs, reader.get<TokenValues>()});
    for (std::size_t i = 0; i < rows_.size(); ++i) reader.get(r.rows.emplace_back());
  }

  RunOptions run_;
  std::vector<TokenLayerFlags> layers_;
  std::vector<std::size_t> rows_;
  TokenOptions options_;
  std::vector<TokenModel> models_;
  std::size_t begun_ = 0;
};

int tokens_command(const TokenFlags& flags) {
  const std::optional<GaussianFlag> gaussian = flags.gaussian();
  if (flags.files().empty() && !gaussian)
    throw InputError("token files are needed, or --gaussian n=,d=,rho=,seed= (see --help)");
  if (!flags.files().empty() && gaussian) throw InputError("give either token files or --gaussian, not both");
  const RunOptions run = flags.run_options();
  const TimeGuard guard(Ranks::is_first() ? run.time_limit : std::nullopt);
  TokenWork work(flags, run);
  const bool keeps_tokens = gaussian && !flags.output().empty();
  if (keeps_tokens && !flags.output().ends_with(".npy"))
    throw InputError(
        fmt::format("-o: with --gaussian the tokens are written, to a .npy file; found {}", flags.output()));
  std::optional<Output> output;
  if (Ranks::is_first()) output.emplace(flags.output(), flags.force());
  std::optional<tbb::global_control> threads;
  if (run.threads > 0) threads.emplace(tbb::global_control::max_allowed_parallelism, run.threads);

  // Every file is read before any work is done on one.
  if (gaussian) {
    TokenSet tokens = gaussian_tokens(gaussian->n, gaussian->d, gaussian->rho, gaussian->seed);
    if (keeps_tokens) {
      if (output) output->write(npy_bytes(tokens));
      if (!work.has_layers()) return done;
    }
    work.add(std::move(tokens), {"gaussian", gaussian->text});
  }
  for (const std::string& file : flags.files()) work.add(read_tokens(file), {"tokens", file});
  const std::string stopped = work.run();
  if (!output) return done;
  const std::string text = render_tokens(work.sets, work.results, run.digits, flags.format());
  if (keeps_tokens)
    write_stdout(text);
  else
    output->write(text);
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
