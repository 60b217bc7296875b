// `critscale attention`: queries, keys and values, forward and backward.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <CLI/CLI.hpp>

#include "commands/attention_job.hpp"
#include "commands/commands.hpp"
#include "inputs/attention_arrays.hpp"
#include "inputs/attention_flags.hpp"
#include "jobs/ranks.hpp"
#include "output/attention_result.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

std::function<void()> time_guard(std::optional<double> seconds) {
  if (!seconds) return {};
  return [limit = *seconds] {
    if (seconds_running() > limit) throw LimitError(fmt::format("time limit of {} s reached", limit));
  };
}

int attention_command(const AttentionFlags& f) {
  const RunOptions run = f.run_options();
  std::optional<Output> output;
  if (Ranks::is_first()) output.emplace(f.output, f.force);
  const std::vector<Gradient> gradients = f.gradients();
  const AttentionArrays a = read_arrays(f);
  AttentionOptions options = f.options(a.q.rows);
  options.digits = run.digits;
  options.max_bits = run.max_bits;
  options.checkpoint = time_guard(run.time_limit);
  std::optional<tbb::global_control> threads;
  if (run.threads > 0) threads.emplace(tbb::global_control::max_allowed_parallelism, run.threads);

  const AttentionValues values = compute_attention(a, options, !gradients.empty(), run.threads);
  if (output)
    output->write(render_attention(
        {f.inputs(), options.quantities, values.heads, a.v.width, a.q.width, values.gradients, gradients},
        run.digits, f.format()));
  return done;
}

}  // namespace

void add_attention(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "attention", "Queries, keys and values: outputs, log-sum-exp, weights, gradients");
  const auto flags = std::make_shared<AttentionFlags>(*command);
  command->footer(
      "Every entry of a file is the exact number stored. Query head a uses key head floor(a/g), g query "
      "heads to a key head. mpirun divides rows among processes.\n\n"
      "Examples: critscale attention --q q.npy --k k.npy --v v.npy --causal top-left --digits 20\n"
      "          critscale attention --q q.npy --k k.npy --v v.npy --d-out g.npy --format json -o r.json\n"
      "          critscale attention --gaussian n=1000000,d=128,m=100 --digits 6 --quantities lse");
  command->callback([flags, &exit_code] { exit_code = attention_command(*flags); });
}

}  // namespace critscale::cli
