// Uses coq_files.hpp, process/client.hpp and files.hpp.
#include "output/coq_files.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "critscale/number/errors.hpp"
#include "output/files.hpp"
#include "process/client.hpp"

namespace critscale::cli {

namespace {

namespace fs = std::filesystem;

constexpr double compile_seconds = 600;
constexpr std::size_t output_bytes = 1 << 20;

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The last line that Coq wrote about an error.
std::string last_error(const std::string& output) {
  const std::size_t at = output.rfind("Error:");
  std::string text = at == std::string::npos ? "coqc ended without a message" : output.substr(at);
  for (char& c : text)
    if (c == '\n') c = ' ';
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text.size() > 200 ? text.substr(0, 200) + " ..." : text;
}

}  // namespace

CoqFiles::CoqFiles(std::string directory, std::string library, coq::Options options)
    : directory_(std::move(directory)), library_(std::move(library)), options_(std::move(options)) {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", directory_, error.message()));
  if (!fs::exists(library_ + "/Layer.v"))
    throw InputError(
        fmt::format("{}: no Layer.v here; --coq-library names the folder provers/formal", library_));
  library_ = fs::absolute(library_).lexically_normal().string();
  if (run_program("command -v coqc", "", 10, output_bytes).status != 0)
    why_not_ = "coqc is not installed";
  else if (!fs::exists(library_ + "/Certificate.vo"))
    why_not_ = fmt::format("the library in {} is not compiled", library_);
  runs_ = why_not_.empty();
}

KernelVerdict CoqFiles::add(const coq::Source& source) {
  const coq::File file = coq::export_claim(source, options_);
  if (file.text.empty()) return {"not exported", file.missing, 0};
  const std::string path = fmt::format("{}/{}.v", directory_, file.name);
  write_whole(path, file.text);
  if (!runs_) {
    names_.push_back(file.name);
    return {"not run", why_not_, 0};
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string command =
      fmt::format("coqc -q -Q {} Critscale -Q {} Certificates {} 2>&1", shell_quoted(library_),
                  shell_quoted(directory_), shell_quoted(path));
  KernelVerdict verdict{"accepted", {}, 0};
  try {
    const ProgramOutput ran = run_program(command, "", compile_seconds, output_bytes);
    if (ran.status != 0) verdict = {"not accepted", last_error(ran.text), 0};
  } catch (const LimitError& e) {
    verdict = {"not accepted", e.what(), 0};
  }
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (verdict.status == "accepted") {
    names_.push_back(file.name);
  } else {
    for (const char* end : {".v", ".vo", ".vok", ".vos", ".glob"}) {
      std::error_code ignored;
      fs::remove(fmt::format("{}/{}{}", directory_, file.name, end), ignored);
    }
  }
  return verdict;
}

void CoqFiles::finish() const {
  std::string project = fmt::format("-Q {} Critscale\n-Q . Certificates\n", library_);
  std::string require, checks, assumptions;
  for (const std::string& name : names_) {
    project += name + ".v\n";
    require += fmt::format("From Certificates Require {}.\n", name);
    checks += fmt::format("Check {0}.{0}.\n", name);
    assumptions += fmt::format("Print Assumptions {0}.{0}.\n", name);
  }
  write_whole(directory_ + "/_CoqProject", project);
  write_whole(directory_ + "/Statements.v",
              "(* Prints the statement of every certificate. *)\nFrom Coq Require Import Reals.\n"
              "From Critscale Require Import Sums Layer.\n" +
                  require + "Open Scope R_scope.\n" + checks);
  write_whole(directory_ + "/Assumptions.v",
              "(* Prints what every certificate rests on. *)\n" + require + assumptions);
}

}  // namespace critscale::cli
