// Uses coq_files.hpp, process/client.hpp and files.hpp.
#include "output/coq_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "critscale/io/detail/checksum.hpp"
#include "critscale/io/detail/input_file.hpp"
#include "critscale/io/detail/json.hpp"
#include "critscale/number/errors.hpp"
#include "process/client.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t output_bytes = 1 << 20;
/// The limit is one of processor time; on a busy machine the clock may show this many times as much.
constexpr double busy_factor = 20;
/// Of so many files Coq says at once what they rest on: it looks through all of Coq's libraries for that,
/// which takes three times as long as compiling one file.
constexpr std::size_t group_size = 24;
constexpr std::uint64_t largest_file = std::uint64_t{64} << 20;

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

const std::set<std::string> axioms_of_the_reals = {
    "ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep", "Classical_Prop.classic"};
const std::array<std::string, 6> machine_numbers = {"PrimInt63.", "PrimFloat.",  "FloatAxioms.",
                                                    "Uint63.",    "FloatClass.", "Sint63."};

/// What the theorems rest on, from what Print Assumptions wrote: "reals", "reals, machine numbers". An axiom
/// that is neither is the result itself, after "!".
std::string assumptions_in(const std::string& output) {
  bool machine = false;
  const std::size_t start = output.find("Axioms:");
  if (start == std::string::npos)
    return output.find("Closed under the global context") != std::string::npos ? "none" : "!nothing printed";
  std::size_t at = output.find('\n', start);
  while (at != std::string::npos && at + 1 < output.size()) {
    const std::size_t line = at + 1;
    at = output.find('\n', line);
    const char first = output[line];
    if (first == ' ' || first == '\n') continue;  // the type of the axiom above
    const std::string name = output.substr(line, output.find_first_of(" \n", line) - line);
    if (name == "Axioms:" || name == "Closed" || axioms_of_the_reals.contains(name)) continue;
    const bool of_machine = std::any_of(machine_numbers.begin(), machine_numbers.end(),
                                        [&](const std::string& prefix) { return name.starts_with(prefix); });
    if (!of_machine) return "!" + name;
    machine = true;
  }
  return machine ? "reals, machine numbers" : "reals";
}

/// The theorems of a file, with its name before each.
std::string theorems_in(const std::string& text, const std::string& file) {
  constexpr std::string_view start = "\nTheorem ";
  std::string result;
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::size_t name = at + start.size();
    result += fmt::format("{}{}.{}", result.empty() ? "" : ", ", file,
                          text.substr(name, text.find_first_of(" :\n", name) - name));
  }
  return result;
}

void remove_compiled(const std::string& stem, bool with_source) {
  std::error_code ignored;
  for (const char* end : {".vo", ".vok", ".vos", ".glob"}) fs::remove(stem + end, ignored);
  if (with_source) fs::remove(stem + ".v", ignored);
}

/// The modules of the library that a text imports.
std::vector<std::string> imported(const std::string& text) {
  constexpr std::string_view start = "From Critscale Require Import ";
  const std::size_t at = text.find(start);
  if (at == std::string::npos) return {};
  const std::size_t first = at + start.size();
  std::istringstream names(text.substr(first, text.find('.', first) - first));
  return {std::istream_iterator<std::string>(names), {}};
}

/// The processor time that `times` of the shell wrote last: user and system of its children. Its two lines
/// are taken away.
double take_processor_seconds(std::string& output) {
  const std::size_t end = output.find_last_not_of('\n');
  if (end == std::string::npos) return 0;
  const std::size_t start = output.rfind('\n', end);
  std::istringstream line(output.substr(start == std::string::npos ? 0 : start + 1));
  double sum = 0, minutes = 0, seconds = 0;
  char m = 0, s = 0;
  while (line >> minutes >> m >> seconds >> s)
    if (m == 'm' && s == 's') sum += 60 * minutes + seconds;
  const std::size_t before = start == std::string::npos || start == 0 ? start : output.rfind('\n', start - 1);
  output.resize(before == std::string::npos ? 0 : before + 1);
  return sum;
}

}  // namespace

void KernelVerdict::write_to(nlohmann::ordered_json& row) const {
  for (const char* member : {"kernel_detail", "kernel_assumptions", "kernel_seconds"}) row.erase(member);
  row["kernel"] = status;
  if (!detail.empty()) row["kernel_detail"] = detail;
  if (!assumptions.empty()) row["kernel_assumptions"] = assumptions;
  if (seconds > 0) row["kernel_seconds"] = fmt::format("{:.1f}", seconds);
}

std::string KernelVerdict::text(const std::string& id) const {
  std::string r = fmt::format("{:<9}  {:<44} kernel: {}", "", id, status);
  if (!assumptions.empty()) r += fmt::format("; assumed: {}", assumptions);
  if (!detail.empty()) r += fmt::format(" ({})", detail);
  return r + (seconds > 0 ? fmt::format(", {:.1f} s\n", seconds) : "\n");
}

CoqFiles::CoqFiles(std::string directory, std::string library, coq::Options options, CoqLimits limits)
    : directory_(std::move(directory)),
      library_(std::move(library)),
      options_(std::move(options)),
      limits_(limits) {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", directory_, error.message()));
  if (!fs::exists(library_ + "/Layer.v"))
    throw InputError(
        fmt::format("{}: no Layer.v here; --coq-library names the folder provers/formal", library_));
  library_ = fs::absolute(library_).lexically_normal().string();
  if (run_program("command -v coqc", "", 10, output_bytes).status != 0)
    why_not_ = "coqc is not installed";
  else if (!fs::exists(library_ + "/Assumptions.vo"))
    why_not_ = fmt::format("the library in {} is not compiled", library_);
  runs_ = why_not_.empty();
  if (!runs_) return;
  read_known();
}

std::string CoqFiles::sum_of(const std::string& text) {
  Checksum sum;
  for (const std::string& module : imported(text)) {
    std::string& known = module_sums_[module];
    const std::string path = fmt::format("{}/{}.vo", library_, module);
    if (known.empty() && fs::exists(path)) known = Checksum().add(read_whole(path, largest_file)).text();
    sum.add(module).add(known);
  }
  return sum.add(text).text();
}

KernelVerdict CoqFiles::add(const coq::Source& source) {
  const coq::File file = coq::export_claim(source, options_);
  const std::string stem = fmt::format("{}/{}", directory_, file.name);
  if (file.text.empty()) {
    remove_compiled(stem, true);
    return {"not exported", file.missing, {}, 0};
  }
  const std::string& text = file.text;
  const Waiting waiting{source.id, file.name, sum_of(text), theorems_in(text, file.name)};
  if (known(waiting) == nullptr) {
    remove_compiled(stem, false);
    write_whole(stem + ".v", text);
  }
  if (!runs_) {
    names_.push_back(file.name);
    return {"not run", why_not_, {}, 0};
  }
  waiting_.push_back(waiting);
  return {"not run", "not reached", {}, 0};
}

const KernelVerdict* CoqFiles::known(const Waiting& file) const {
  const auto it = known_.find(file.name);
  const bool same = it != known_.end() && it->second.first == file.sum &&
                    fs::exists(fmt::format("{}/{}.vo", directory_, file.name)) &&
                    fs::exists(fmt::format("{}/{}.v", directory_, file.name));
  return same ? &it->second.second : nullptr;
}

std::pair<KernelVerdict, std::string> CoqFiles::coqc(const std::string& stem) const {
  const std::string command = fmt::format(
      "ulimit -v {}; ulimit -t {}; coqc -q -Q {} Critscale -Q {} Certificates {} 2>&1; s=$?; times; "
      "exit $s",
      limits_.memory_kib, static_cast<long>(limits_.seconds) + 1, shell_quoted(library_),
      shell_quoted(directory_), shell_quoted(stem + ".v"));
  KernelVerdict verdict{"accepted", {}, {}, 0};
  ProgramOutput ran;
  double seconds = 0;
  try {
    ran = run_program(command, "", busy_factor * limits_.seconds, output_bytes);
    seconds = take_processor_seconds(ran.text);
    if (ran.status < 0 || ran.status > 128) {  // how a shell says that a signal ended coqc
      verdict = {
          "not accepted",
          fmt::format("coqc was ended by a signal; its limit is {} s of processor time", limits_.seconds),
          {},
          0};
    } else if (ran.status != 0) {
      verdict = {"not accepted", last_error(ran.text), {}, 0};
    }
  } catch (const LimitError&) {
    verdict = {"not accepted",
               fmt::format("coqc has not finished after {} s", busy_factor * limits_.seconds),
               {},
               0};
  }
  verdict.seconds = seconds;
  return {verdict, ran.text};
}

void CoqFiles::judge(std::vector<Compiled>& group) const {
  std::string require, theorems;
  for (const Compiled& c : group) {
    require += fmt::format("From Certificates Require {}.\n", c.file->name);
    theorems += fmt::format("{}{}", theorems.empty() ? "" : ", ", c.file->theorems);
  }
  const std::string stem = directory_ + "/Group_" + group.front().file->name;
  write_whole(stem + ".v",
              fmt::format("{}Definition all := ({}).\nPrint Assumptions all.\n", require, theorems));
  const auto [verdict, text] = coqc(stem);
  remove_compiled(stem, true);
  const std::string assumed =
      verdict.status == "accepted" ? assumptions_in(text) : "!something unknown: " + verdict.detail;
  if (assumed.starts_with('!') && group.size() > 1) {  // which of them is it?
    for (Compiled& c : group) {
      std::vector<Compiled> one{c};
      judge(one);
      c = one.front();
    }
    return;
  }
  for (Compiled& c : group) {
    if (assumed.starts_with('!'))
      c.verdict = {"not accepted", "rests on " + assumed.substr(1), {}, c.verdict.seconds};
    else
      c.verdict.assumptions = assumed;
  }
}

void CoqFiles::check(const Report& report) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::set<std::string> accepted;
  std::vector<Compiled> compiled;
  const auto settle = [&](const Waiting& file, const KernelVerdict& verdict, bool fresh) {
    const std::lock_guard lock(mutex);
    if (verdict.status == "accepted") {
      accepted.insert(file.name);
      if (fresh) {
        known_[file.name] = {file.sum, verdict};
        write_known();
      }
    } else {
      remove_compiled(fmt::format("{}/{}", directory_, file.name), true);
    }
    report(file.id, verdict);
  };
  const auto judge_group = [&](std::size_t least) {
    std::vector<Compiled> group;
    {
      const std::lock_guard lock(mutex);
      if (compiled.size() >= least) group.swap(compiled);
    }
    if (group.empty()) return;
    judge(group);
    for (const Compiled& c : group) settle(*c.file, c.verdict, true);
  };
  const auto work = [&] {
    for (std::size_t k = next++; k < waiting_.size(); k = next++) {
      const Waiting& file = waiting_[k];
      std::optional<KernelVerdict> before;
      {
        const std::lock_guard lock(mutex);
        if (const KernelVerdict* found = known(file)) before = *found;
      }
      if (before) {
        settle(file, *before, false);
        continue;
      }
      const KernelVerdict verdict = coqc(fmt::format("{}/{}", directory_, file.name)).first;
      if (verdict.status != "accepted") {
        settle(file, verdict, true);
        continue;
      }
      {
        const std::lock_guard lock(mutex);
        compiled.push_back({&file, verdict});
      }
      judge_group(group_size);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 1; t < limits_.jobs; ++t) threads.emplace_back(work);
    work();
  }
  judge_group(1);
  for (const Waiting& file : waiting_)
    if (accepted.contains(file.name)) names_.push_back(file.name);
  waiting_.clear();
}

void CoqFiles::read_known() {
  const std::string path = directory_ + "/accepted.json";
  if (!fs::exists(path)) return;
  try {
    const nlohmann::json root = parse_json<nlohmann::json>(read_whole(path, largest_file));
    for (const auto& [name, entry] : root.items())
      known_[name] = {
          entry.at("sum").get<std::string>(),
          {"accepted", {}, entry.at("assumptions").get<std::string>(), entry.at("seconds").get<double>()}};
  } catch (const Error&) {  // then all is checked again
  } catch (const nlohmann::json::exception&) {
  }
}

void CoqFiles::write_known() const {
  nlohmann::json root = nlohmann::json::object();
  for (const auto& [name, entry] : known_)
    root[name] = {
        {"sum", entry.first}, {"assumptions", entry.second.assumptions}, {"seconds", entry.second.seconds}};
  write_whole(directory_ + "/accepted.json", root.dump(1) + "\n");
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
