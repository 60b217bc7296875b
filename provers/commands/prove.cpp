// `critscale prove`: certificates for the claims of a case file, and a table of verdicts.
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "commands/commands.hpp"
#include "critscale/checker/verify.hpp"
#include "inputs/case_file.hpp"
#include "output/coq_files.hpp"
#include "output/files.hpp"
#include "theorems/certificate.hpp"
#include "theorems/theorems.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string case_file, directory, format = "text", time_limit;
  std::vector<std::string> only;
  int threads = 0;
  bool force = false;
  std::string coq, coq_library = CRITSCALE_FORMAL, coq_constant = "1";
};

std::string_view outcome_name(Outcome o) {
  return o == Outcome::proved ? "proved" : o == Outcome::refuted ? "refuted" : "undecided";
}

/// Shows how many leaves the running proof has, once a second, when stderr is a terminal.
class Progress {
 public:
  Progress(const std::string& id, const std::atomic<long>& leaves) {
    if (isatty(STDERR_FILENO) == 0) return;
    thread_ = std::jthread([&leaves, id](const std::stop_token& stop) {
      const auto start = Clock::now();
      while (!stop.stop_requested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        fmt::print(stderr, "\r\x1b[K{}: {} leaves, {:.0f} s", id, leaves.load(), seconds);
        std::fflush(stderr);
      }
      fmt::print(stderr, "\r\x1b[K");
    });
  }

 private:
  std::jthread thread_;
};

ordered_json row_json(const std::string& id, const Verdict& v, const std::optional<KernelVerdict>& kernel) {
  ordered_json row{{"id", id},
                   {"theorem", v.theorem},
                   {"kind", v.kind},
                   {"quantity", v.quantity},
                   {"verdict", outcome_name(v.outcome)},
                   {"paper", v.paper}};
  if (v.outcome == Outcome::proved) {
    row["statement"] = checker::statement(v.kind, v.theorem, v.claim);
    row["constants"] = v.constants;
    row["certificate"] = "certificates/" + id + ".json";
  }
  if (kernel) {
    row["kernel"] = kernel->status;
    if (!kernel->detail.empty()) row["kernel_detail"] = kernel->detail;
    if (kernel->seconds > 0) row["kernel_seconds"] = fmt::format("{:.1f}", kernel->seconds);
  }
  row["claim"] = v.claim;
  if (!v.sampled.empty()) row["largest_sampled"] = v.sampled;
  if (v.ratio > 0) row["constant_over_sampled"] = fmt::format("{:.3f}", v.ratio);
  if (!v.detail.empty()) row["detail"] = v.detail;
  return row;
}

std::string row_text(const std::string& id, const Verdict& v, const std::optional<KernelVerdict>& kernel) {
  std::string text = fmt::format("{:<9}  {:<44} {}", outcome_name(v.outcome), id, v.constants);
  if (v.ratio > 0) text += fmt::format("; largest sampled {} (C is {:.2f} times that)", v.sampled, v.ratio);
  if (!v.detail.empty()) text += (v.constants.empty() ? "" : "; ") + v.detail;
  text += fmt::format("\n{:<9}  {:<44} paper: {}\n", "", "", v.paper);
  if (!kernel) return text;
  text += fmt::format("{:<9}  {:<44} kernel: {}", "", "", kernel->status);
  if (!kernel->detail.empty()) text += fmt::format(" ({})", kernel->detail);
  return text + (kernel->seconds > 0 ? fmt::format(", {:.1f} s\n", kernel->seconds) : "\n");
}

std::optional<CoqFiles> coq_files(const Options& options) {
  if (options.coq.empty()) return {};
  const Rational factor = parse_rational(options.coq_constant);
  if (factor < 1) throw InputError(fmt::format("--coq-constant {} is below 1", options.coq_constant));
  return CoqFiles(options.coq, options.coq_library, {factor});
}

std::vector<Job> read_jobs(const Options& options) {
  const CaseFile file = read_case_file(options.case_file);
  if (file.claims.empty()) throw InputError(options.case_file + ": no [[claim]] table");
  std::vector<Job> jobs;
  std::set<std::string> seen;
  for (const Specification& claim : file.claims) {
    for (Job& job : jobs_of(claim)) {
      if (!seen.insert(job.id).second)
        throw InputError(
            fmt::format("{}: two claims would be called {}; give them different ids", claim.where, job.id));
      const bool wanted =
          options.only.empty() || std::any_of(options.only.begin(), options.only.end(),
                                              [&](const auto& o) { return job.id.starts_with(o); });
      if (wanted) jobs.push_back(std::move(job));
    }
  }
  if (jobs.empty()) throw InputError("no claim has an id that starts with what --only asks for");
  return jobs;
}

void prepare(const Options& options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory + "/certificates", error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", options.directory, error.message()));
  require_writable(options.directory + "/verdicts.json", options.force);
}

int prove(const Options& options) {
  std::optional<Clock::time_point> deadline;
  if (!options.time_limit.empty()) {
    const Rational seconds = parse_rational(options.time_limit);
    if (seconds <= 0) throw InputError(fmt::format("--time-limit {} is not positive", options.time_limit));
    deadline =
        Clock::now() + std::chrono::milliseconds(static_cast<long>(1000 * seconds.convert_to<double>()));
  }
  if (options.threads < 0) throw InputError(fmt::format("--threads {} is negative", options.threads));
  std::optional<tbb::global_control> threads;
  if (options.threads > 0)
    threads.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(options.threads));
  const std::vector<Job> jobs = read_jobs(options);
  prepare(options);
  std::optional<CoqFiles> coq = coq_files(options);

  ordered_json rows = ordered_json::array();
  bool any_refuted = false, any_undecided = false;
  for (const Job& job : jobs) {
    std::atomic<long> leaves{0};
    JobContext context;
    context.limits.deadline = deadline;
    context.leaves = &leaves;
    Verdict v;
    {
      const Progress progress(job.id, leaves);
      v = job.run(context);
    }
    any_refuted |= v.outcome == Outcome::refuted;
    any_undecided |= v.outcome == Outcome::undecided;
    if (v.outcome == Outcome::proved)
      write_whole(fmt::format("{}/certificates/{}.json", options.directory, job.id),
                  certificate(v.kind, v.theorem, v.claim, v.evidence).dump(1) + "\n");
    std::optional<KernelVerdict> kernel;
    if (coq && v.outcome == Outcome::proved)
      kernel = coq->add({job.id, v.kind, v.theorem, checker::statement(v.kind, v.theorem, v.claim), v.claim});
    rows.push_back(row_json(job.id, v, kernel));
    if (options.format == "text") write_stdout(row_text(job.id, v, kernel));
  }
  if (coq) coq->finish();
  const ordered_json table{{"schema", 1}, {"case_file", options.case_file}, {"verdicts", rows}};
  write_whole(options.directory + "/verdicts.json", table.dump(1) + "\n");
  if (options.format == "json") write_stdout(table.dump(1) + "\n");
  return any_refuted ? refuted : any_undecided ? undecided : done;
}

}  // namespace

void add_prove(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("prove", "Prove the claims of a case file and write certificates");
  command->footer(
      "Example:\n  critscale prove cases/paper.toml -o results\n"
      "Exit codes: 0 every claim proved, 1 a claim refuted, 3 a claim undecided.");
  auto options = std::make_shared<Options>();
  command->add_option("case-file", options->case_file, "TOML file with [[claim]] tables")->required();
  command->add_option("-o,--output", options->directory, "directory for certificates/ and verdicts.json")
      ->required();
  command->add_option("--only", options->only, "only claims whose id starts with this");
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->add_option("--threads", options->threads, "threads (default: all cores)");
  command->add_option("--time-limit", options->time_limit,
                      "seconds; what is not decided by then is undecided");
  command->add_flag("--force", options->force, "replace an existing verdicts.json");
  command->add_option("--coq", options->coq,
                      "directory for the same claims as files for Coq, checked where it is installed");
  command->add_option("--coq-library", options->coq_library, "folder of the Coq library, provers/formal");
  command->add_option("--coq-constant", options->coq_constant,
                      "multiply C by this in the files for Coq (default 1)");
  command->callback([options, &exit_code] { exit_code = prove(*options); });
}

}  // namespace critscale::cli
