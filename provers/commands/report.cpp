// `critscale report`: one HTML page of a folder of proofs, a table, a result, or a check.
#include "report/report.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "critscale/io/detail/input_file.hpp"
#include "critscale/io/detail/json.hpp"
#include "critscale/number/errors.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::uint64_t largest_result = std::uint64_t{256} << 20;

struct ReportFlags {
  std::vector<std::string> sources;
  std::string output = "report.html";
  bool force = false;
};

ordered_json read_json_file(const std::string& path) {
  const std::string text = read_whole(path, largest_result);
  try {
    return parse_json<ordered_json>(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

/// What a file holds is told by its members. Members that are not what they should be are named.
html::Report report_of_file(const std::string& path, const std::string& suffix) {
  if (!path.ends_with(".json")) return html::results_report(path, suffix);
  const ordered_json root = read_json_file(path);
  try {
    if (root.is_object() && root.contains("verdicts")) return html::verdicts_report(path, root, suffix);
    if (root.is_object() && root.contains("ulp_histogram")) return html::check_report(path, root, suffix);
  } catch (const ordered_json::exception& error) {
    throw InputError(fmt::format("{}: no result of this program ({})", path, error.what()));
  }
  return html::results_report(path, suffix);
}

/// The verdicts of a folder, then its tables and results that can be shown.
std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> r;
  for (const fs::directory_entry& e : fs::directory_iterator(folder))
    if (e.is_regular_file() && (e.path().extension() == ".csv" || e.path().extension() == ".json"))
      r.push_back(e.path().string());
  std::sort(r.begin(), r.end());
  std::stable_partition(r.begin(), r.end(),
                        [](const std::string& p) { return p.ends_with("/verdicts.json"); });
  if (r.empty())
    throw InputError(fmt::format("{}: no verdicts.json, table (.csv) or result (.json) in it", folder));
  return r;
}

/// One page of several reports: the first gives the title.
html::Report joined(std::vector<html::Report> reports) {
  html::Report r = std::move(reports.at(0));
  for (std::size_t i = 1; i < reports.size(); ++i)
    for (html::Section& s : reports[i].sections) {
      const bool first = &s == &reports[i].sections.front();
      r.sections.push_back({s.id, fmt::format("{}: {}", reports[i].title, s.title),
                            first ? reports[i].introduction + s.body : s.body});
    }
  return r;
}

int report(const ReportFlags& flags) {
  std::vector<std::string> files;
  for (const std::string& source : flags.sources)
    if (fs::is_directory(source))
      for (std::string& f : files_of(source)) files.push_back(std::move(f));
    else
      files.push_back(source);
  Output output(flags.output, flags.force);
  std::vector<html::Report> reports;
  for (const std::string& f : files) {
    try {
      reports.push_back(report_of_file(f, reports.empty() ? "" : fmt::format("-{}", reports.size() + 1)));
    } catch (const InputError&) {
      // In a folder other files may stand beside results.
      if (std::find(flags.sources.begin(), flags.sources.end(), f) != flags.sources.end()) throw;
    }
  }
  if (reports.empty()) throw InputError(fmt::format("{}: nothing that can be shown", flags.sources.at(0)));
  const html::Report page = joined(std::move(reports));
  output.write(html::page(page.title, page.introduction, page.sections));
  return done;
}

}  // namespace

void add_report(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("report", "One HTML page of proofs, tables, results or a check");
  const auto flags = std::make_shared<ReportFlags>();
  command
      ->add_option(
          "sources", flags->sources,
          "A folder that prove wrote, tables (.csv), JSON of eval, tokens, boundary, schedule or check")
      ->required();
  command->add_option("-o,--output", flags->output, "The page (default report.html)");
  command->add_flag("--force", flags->force, "Replace an existing page");
  command->footer(
      "The page needs no other file and no network: claims as formulas with their verdicts, figures with the "
      "numbers\n"
      "under the pointer, tables that sort and filter.\n\n"
      "Example: critscale report results -o results/report.html");
  command->callback([flags, &exit_code] { exit_code = report(*flags); });
}

}  // namespace critscale::cli
