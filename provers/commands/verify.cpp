// `critscale verify`: certificates re-checked by the independent checker.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "critscale/checker/verify.hpp"
#include "critscale/io/detail/input_file.hpp"
#include "critscale/io/detail/json.hpp"
#include "critscale/number/errors.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

constexpr std::uint64_t largest_certificate = 64u << 20;
/// Numbers, texts, lists and objects in one certificate, which take some 100 bytes each.
constexpr std::size_t most_values = 1u << 20;

/// Of all certificates of one run.
constexpr std::uint64_t largest_together = std::uint64_t{1} << 30;

std::string read_file(const std::string& path) {
  std::string text = read_whole(path, largest_certificate);
  try {
    require_shallow_json(text, most_values);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", path, e.what()));
  }
  return text;
}

int verify(const std::vector<std::string>& paths, const std::string& format) {
  std::vector<std::string> texts;
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    bytes += texts.emplace_back(read_file(path)).size();
    if (bytes > largest_together)
      throw InputError(fmt::format("{}: with the certificates before it more than {}", path,
                                   bytes_text(largest_together)));
  }
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  bool all = true;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const checker::Verdict v = checker::verify(texts[i]);
    all = all && v.accepted;
    if (format == "json")
      rows.push_back({{"file", paths[i]},
                      {"verdict", v.accepted ? "accepted" : "rejected"},
                      {v.accepted ? "statement" : "reason", v.accepted ? v.statement : v.reason}});
    else
      write_stdout(fmt::format("{} {}: {}\n", v.accepted ? "accepted" : "rejected", paths[i],
                               v.accepted ? v.statement : v.reason));
  }
  if (format == "json") write_stdout(nlohmann::ordered_json{{"schema", 1}, {"results", rows}}.dump(1) + "\n");
  return all ? done : refuted;
}

}  // namespace

void add_verify(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("verify", "Re-check certificates with other arithmetic and formulas");
  command->footer(
      "Example:\n  critscale verify results/certificates/*.json\n"
      "Exit codes: 0 all accepted, 1 a certificate rejected, 2 a file unreadable.");
  auto paths = std::make_shared<std::vector<std::string>>();
  auto format = std::make_shared<std::string>("text");
  command->add_option("certificate", *paths, "certificates written by prove")->required();
  command->add_option("--format", *format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->callback([paths, format, &exit_code] { exit_code = verify(*paths, *format); });
}

}  // namespace critscale::cli
