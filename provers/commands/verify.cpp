// `critscale verify`: certificates re-checked by the independent checker.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands/commands.hpp"
#include "critscale/checker/verify.hpp"
#include "critscale/io/json.hpp"
#include "critscale/number/errors.hpp"
#include "output/files.hpp"

namespace critscale::cli {

namespace {

constexpr std::uintmax_t largest_certificate = 256u << 20;

std::string read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError(fmt::format("{}: no such file", path));
  if (std::filesystem::is_directory(path, error)) throw InputError(fmt::format("{}: is a directory", path));
  if (std::filesystem::is_regular_file(path, error) &&
      std::filesystem::file_size(path, error) > largest_certificate)
    throw InputError(fmt::format("{}: larger than {} bytes", path, largest_certificate));
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) throw InputError(fmt::format("{}: cannot be read", path));
  try {
    require_shallow_json(text.view());
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", path, e.what()));
  }
  return text.str();
}

int verify(const std::vector<std::string>& paths, const std::string& format) {
  std::vector<std::string> texts;
  for (const std::string& path : paths) texts.push_back(read_file(path));
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
