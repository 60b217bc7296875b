// `critscale table`: reference tables of certified values [tables].
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "commands/commands.hpp"
#include "critscale/io/detail/checksum.hpp"
#include "critscale/io/detail/output_file.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/tables/detail/convert.hpp"
#include "inputs/flags.hpp"
#include "jobs/pipeline.hpp"
#include "jobs/ranks.hpp"
#include "output/coverage_report.hpp"
#include "output/table_rows.hpp"
#include "process/files.hpp"
#include "process/interrupt.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

struct TableFlags {
  std::string shard, coverage;
  std::vector<std::string> merge;
};

/// "i/k".
Shard read_shard(const std::string& text) {
  const auto malformed = [&] {
    return InputError(fmt::format("--shard: expected i/k with 1 <= i <= k, found {}", in_quotes(text)));
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw malformed();
  const auto count = [&](std::string_view part) {
    std::size_t v = 0;
    const auto [p, error] = std::from_chars(part.data(), part.data() + part.size(), v);
    if (error != std::errc{} || p != part.data() + part.size() || v < 1 || v > 1000000) throw malformed();
    return v;
  };
  const Shard r{count(std::string_view(text).substr(0, slash)),
                count(std::string_view(text).substr(slash + 1))};
  if (r.index > r.count) throw malformed();
  return r;
}

/// One word of a shell's command; a newline, which a line of the table cannot hold, becomes a blank.
std::string in_shell(std::string word) {
  std::replace_if(
      word.begin(), word.end(), [](unsigned char c) { return c < ' '; }, ' ');
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.,:=_-+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string r = "'";
  for (const char c : word) r += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return r + "'";
}

/// A key with its values as the flags that give them.
std::string as_flags(const Entry& e) {
  std::string flag = "--" + e.key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  if (e.key == "analytic") return " " + flag;
  std::string r;
  for (const Text& t : e.values) r += fmt::format(" {} {}", flag, in_shell(t.text));
  return r;
}

/// What identifies the values of a table: everything asked for, and nothing of how it is run.
std::vector<std::string> about(const SharedFlags& flags) {
  Checksum inputs;
  std::string command = "critscale table";
  std::vector<std::string> precision;
  for (const Specification& s : flags.specifications()) {
    inputs.add(s.id).add("\n").add(s.why).add("\n");
    for (const BandText& b : s.bands) inputs.add(b.r.text).add("@").add(b.size.text).add("\n");
    for (const Entry& e : s.entries) {
      if (e.key == "threads" || e.key == "time_limit") continue;
      inputs.add(e.key);
      for (const Text& t : e.values) inputs.add("=").add(t.text);
      inputs.add("\n");
      if (flags.case_file().empty()) command += as_flags(e);
    }
    if (flags.case_file().empty())
      for (const BandText& b : s.bands)
        command += fmt::format(" --band {}", in_shell(fmt::format("r={},size={}", b.r.text, b.size.text)));
    const RunOptions o = flags.run_options(s);
    std::string p = fmt::format("{} digits", o.digits);
    if (o.max_bits > 0) p += fmt::format(" with at most {} bits", o.max_bits);
    if (flags.case_file().empty()) command += fmt::format(" --digits {}", o.digits);
    if (flags.case_file().empty() && o.max_bits > 0) command += fmt::format(" --max-bits {}", o.max_bits);
    if (std::find(precision.begin(), precision.end(), p) == precision.end()) precision.push_back(p);
  }
  if (!flags.case_file().empty())
    command += fmt::format(" {}", in_shell(std::filesystem::path(flags.case_file()).filename().string()));
  command += " -o table.csv";
  std::string versions_line = versions();
  std::replace(versions_line.begin(), versions_line.end(), '\n', ';');
  return {
      versions_line, fmt::format("command: {}", command), fmt::format("inputs: crc64 {}", inputs.text()),
      fmt::format("precision: {}", fmt::join(precision, ", ")),
      "columns: value is within one unit of its last digit of the true value, which lies in [lo, hi]; binary "
      "formats are correctly rounded"};
}

int merge(const TableFlags& table, const SharedFlags& flags) {
  if (!Ranks::is_first()) return done;
  const OutputFile output = opened(flags.output(), flags.force(), OutputFile::Kind::collected);
  merge_shards(table.merge, output.place());
  convert_finished(output.place(), flags.output(), flags.force());
  return done;
}

/// In the other processes of an mpirun: rows for the one that writes, from the row it says.
int help_to_write(const TableRows& rows, const TableHeader& header, const RunOptions& options) {
  rows.check_all(options);
  const std::size_t start = std::stoul(Ranks::text_of_first("")), end = header.shard.end(header.rows),
                    height = rows.rows_at_once();
  Ranks::ordered_run(options.threads)((end - start + height - 1) / height,
                                      [&](std::size_t block) {
                                        const std::size_t first = start + block * height;
                                        return rows.block(first, std::min(end, first + height));
                                      },
                                      {});
  return done;
}

int write(const TableFlags& table, const SharedFlags& flags) {
  const TableRows rows(flags);
  TableHeader header{about(flags), rows.columns(), rows.size(), {}};
  if (!table.shard.empty()) {
    header.shard = read_shard(table.shard);
    if (!flags.output().ends_with(".csv"))
      throw InputError("--shard writes .csv; --merge makes any format of the shards");
  }
  const RunOptions options = flags.run_options(flags.specifications().front());
  if (!Ranks::is_first()) return help_to_write(rows, header, options);
  const OutputFile output = opened(flags.output(), flags.force(), OutputFile::Kind::collected);
  require_table_writable(output.place(), header, flags.force());
  const TimeGuard guard(options.time_limit);
  rows.check_all(options);
  const WriteOptions write{flags.force(), Ranks::ordered_run(options.threads),
                           [](std::size_t first) { Ranks::text_of_first(fmt::format("{}", first)); },
                           report_progress(options.time_limit), rows.rows_at_once()};
  say_when_interrupted(fmt::format(
      "critscale: interrupted; the rows so far are in {}: the same command continues", output.partial()));
  const std::size_t complete = write_rows(
      output.place(), header, [&](std::size_t first, std::size_t end) { return rows.block(first, end); },
      write);
  const std::size_t all = header.shard.end(header.rows) - header.shard.first(header.rows);
  if (complete < all)
    throw LimitError(
        fmt::format("time limit reached: {} of {} rows are in {}.partial; the same command continues",
                    complete, all, output.place()));
  convert_finished(output.place(), flags.output(), flags.force());
  return done;
}

/// The questions alone: their right values are those of their formulas.
int report_coverage(const TableFlags& table, const SharedFlags& flags) {
  if (!Ranks::is_first()) return done;
  const Tolerance tolerance = make_tolerance("rounding", Arithmetic::parse(table.coverage));
  const std::vector<ReferenceRow> rows = TableRows(flags).questions();
  if (rows.empty()) throw InputError("--coverage needs cases with an operation");
  fmt::print("{}", coverage_text(coverage(rows, tolerance), tolerance));
  return done;
}

int table(const TableFlags& table, const SharedFlags& flags) {
  if (!table.coverage.empty()) return report_coverage(table, flags);
  if (flags.output().empty()) throw InputError("table needs an output file (-o FILE)");
  require_table_format(flags.output());
  if (table.merge.empty()) return write(table, flags);
  if (!table.shard.empty()) throw InputError("give either --shard or --merge, not both");
  return merge(table, flags);
}

}  // namespace

void add_table(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("table", "Reference tables of certified values");
  const auto flags = std::make_shared<SharedFlags>(*command);
  const auto own = std::make_shared<TableFlags>();
  flags->add_tokens(*command);
  command->add_option("--shard", own->shard, "Compute part i of k only: i/k (to a .csv of its own)");
  command->add_option("--merge", own->merge, "Join the shards of one table, given in any order");
  command->add_option(
      "--coverage", own->coverage,
      "Write no table: list which slips the questions tell apart in this arithmetic (such as fp32)");
  command->footer(
      "One row a grid point; the key written last varies fastest. The extension of -o chooses the format:\n"
      ".csv .json .npy .npz .h .tex. An interrupted table is FILE.partial; the same command continues it.\n"
      "With geometry gaussian the rows are on the paper's Gaussian tokens (keys n, d, rho, seed), with "
      "--tokens on "
      "those of files.\n\n"
      "Examples: critscale table cases/paper.toml -o paper.csv\n"
      "          critscale table --tokens keys.npy --gamma 1:3:9 --digits 8 -o keys.csv");
  command->callback([flags, own, &exit_code] { exit_code = table(*own, *flags); });
}

}  // namespace critscale::cli
