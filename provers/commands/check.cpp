// `critscale check`: another implementation against a table [questions].
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.hpp"
#include "critscale/text/parse.hpp"
#include "inputs/candidate.hpp"
#include "output/check_report.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

struct CheckFlags {
  std::string table, candidate, run, preset, arithmetic, tolerance = "rounding", format = "text", output,
                                                         time_limit;
  std::size_t worst = 10;
  bool force = false, questions = false;
};

double seconds_of(const std::string& text) {
  const Rational v = parse_rational(text);
  if (v <= 0)
    throw InputError(fmt::format("--time-limit: expected a positive number of seconds, found {}", text));
  return static_cast<double>(v);
}

/// The questions that a client would be asked, of the rows that are meant for the format.
int write_questions(const CheckFlags& flags) {
  if (!flags.candidate.empty() || !flags.run.empty())
    throw InputError("--questions compares nothing: give neither a candidate nor --run");
  const std::string& stated = flags.arithmetic.empty() ? flags.preset : flags.arithmetic;
  Output output(flags.output, flags.force);
  std::string lines;
  for (const ReferenceRow& row : read_reference(flags.table))
    if (stated.empty() || row.is_meant_for(*Arithmetic::parse(stated).format)) lines += question_line(row);
  output.write(lines);
  return done;
}

int check(const CheckFlags& flags) {
  if (flags.questions) return write_questions(flags);
  if (flags.candidate.empty() == flags.run.empty())
    throw InputError("check needs a candidate file or --run 'COMMAND', and not both");
  Output output(flags.output, flags.force);
  if (!flags.preset.empty() && !flags.arithmetic.empty())
    throw InputError("give either --preset or --arithmetic, not both");
  std::string stated = flags.arithmetic.empty() ? flags.preset : flags.arithmetic;
  if (!stated.empty()) make_tolerance(flags.tolerance, Arithmetic::parse(stated));
  ClientLimits limits;
  if (!flags.time_limit.empty()) limits.seconds = seconds_of(flags.time_limit);
  const std::vector<ReferenceRow> rows = read_reference(flags.table);
  std::string preset = stated.substr(0, stated.find(','));
  const Candidate candidate =
      flags.run.empty() ? read_candidate(flags.candidate, rows, preset) : run_client(flags.run, rows, limits);
  if (stated.empty()) stated = preset.empty() ? "fp64" : preset;
  const CheckSubject subject{flags.table, flags.run.empty() ? flags.candidate : flags.run,
                             make_tolerance(flags.tolerance, Arithmetic::parse(stated))};
  const Comparison c = compare(rows, candidate, subject.tolerance);
  const std::string report = flags.format == "json"    ? report_json(c, subject)
                             : flags.format == "junit" ? report_junit(c, subject)
                                                       : report_text(c, subject, flags.worst);
  output.write(report);
  return c.conforms() ? done : c.is_undecided() ? undecided : refuted;
}

}  // namespace

void add_check(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("check", "Another implementation's values against a table");
  const auto flags = std::make_shared<CheckFlags>();
  command->add_option("table", flags->table, "Table written by critscale table (.csv)")->required();
  command->add_option("candidate", flags->candidate, "The values to check: .csv, .json or .npy");
  command->add_option("--run", flags->run, "Ask this command, in JSON lines, instead of reading a file");
  command->add_flag(
      "--questions", flags->questions,
      "Compare nothing: write the questions of the table, a JSON line each (with --arithmetic only "
      "those whose inputs it holds)");
  command->add_option(
      "--preset", flags->preset,
      "The arithmetic's short name: fp64, fp32, bf16 or fp16 (default: the candidate's, else fp64)");
  command->add_option(
      "--arithmetic", flags->arithmetic,
      "What the implementation computes in: fp32|bf16|fp16|fp64, then of accumulate=, weights=, "
      "elementwise= a format each, order=any|sequential|pairwise|blocked:SIZE, with commas");
  command->add_option(
      "--tolerance", flags->tolerance,
      "rounding (default: what correct code may err in this arithmetic), torch (PyTorch's rtol "
      "and atol), exact (correctly rounded) or ulp=K");
  command->add_option("--time-limit", flags->time_limit, "Seconds the command may take (default 600)");
  command->add_option("--worst", flags->worst, "How many values to list (default 10)")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--format", flags->format, "text, json or junit")
      ->check(CLI::IsMember({"text", "json", "junit"}));
  command->add_option("-o,--output", flags->output, "Write the report to this file");
  command->add_flag("--force", flags->force, "Replace an existing report");
  command->footer(
      "Exit code 0: conforms; 1: does not; 3: nothing compared, not decided by the table's precision, or a "
      "limit was reached.\n"
      "The command reads {\"id\", \"op\", \"inputs\"} lines and writes {\"id\", \"value\"} lines, in any "
      "order.\n"
      "Operations: softmax, logsumexp, entropy (logits); attention_row (scores, values, d);\n"
      "attention (quantity, q, k, v, d_out, mask, ...); layer, jacobian_norm (tokens, beta, alpha, or a "
      "grid's parameters); schedule (its constants). Numbers in\n"
      "inputs are exact texts such as \"1/3\"; answers are numbers, texts, NaN or Infinity, lists for "
      "several.\n"
      "Candidates: .csv with a column id and one a value, named as in the table (softmax[0], self_weight, "
      "also\n"
      "with .value or .binary32 after it); .json with [{\"id\", \"value\"}] or [{\"id\", NAME: ...}], also "
      "under\n"
      "\"results\"; .npy with the numbers in the table's order.\n\n"
      "Example: critscale check softmax.csv --run 'python3 cases/clients/scipy_client.py float32' "
      "--arithmetic "
      "fp32");
  command->callback([flags, &exit_code] { exit_code = check(*flags); });
}

}  // namespace critscale::cli
