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
#include "critscale/io/detail/checksum.hpp"
#include "inputs/case_file.hpp"
#include "output/coq_files.hpp"
#include "process/files.hpp"
#include "process/interrupt.hpp"
#include "process/limits.hpp"
#include "theorems/certificate.hpp"
#include "theorems/verdicts.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string case_file, directory, format = "text", time_limit;
  std::vector<std::string> only;
  int threads = 0;
  bool force = false, resume = false;
  std::string coq, coq_library = CRITSCALE_FORMAL, coq_constant = "1";
  CoqLimits coq_limits;
};

/// Shows how many leaves the running proof has, once a second, when stderr is a terminal.
class Progress {
 public:
  Progress(const std::string& id, const std::atomic<long>& leaves) {
    if (isatty(STDERR_FILENO) == 0 || is_quiet()) return;
    thread_ = std::jthread([&leaves, id](const std::stop_token& stop) {
      const auto start = Clock::now();
      while (!stop.stop_requested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        say(fmt::format("\r\x1b[K{}: {} leaves, {:.0f} s", id, leaves.load(), seconds));
      }
      say("\r\x1b[K");
    });
  }

 private:
  std::jthread thread_;
};

std::optional<CoqFiles> coq_files(const Options& options) {
  if (options.coq.empty()) return {};
  const Rational factor = parse_rational(options.coq_constant);
  if (factor < 1) throw InputError(fmt::format("--coq-constant {} is below 1", options.coq_constant));
  CoqLimits limits = options.coq_limits;
  if (limits.jobs <= 0) limits.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (!(limits.seconds > 0)) throw InputError("--coq-seconds is not positive");
  if (limits.memory_kib <= 0) throw InputError("--coq-memory is not positive");
  return CoqFiles(options.coq, options.coq_library, {factor}, limits);
}

/// What a claim asks for, by which version, as a checksum.
std::string request_of(const Specification& claim) {
  Checksum sum;
  sum.add(versions()).add("\n").add(claim.id).add("\n");
  for (const BandText& b : claim.bands) sum.add(b.r.text).add("@").add(b.size.text).add("\n");
  for (const Entry& e : claim.entries) {
    sum.add(e.key);
    for (const Text& t : e.values) sum.add("=").add(t.text);
    sum.add("\n");
  }
  return sum.text();
}

/// The claims of the file, in order; those without a meaning with their reason. Throws InputError where all
/// are without.
std::vector<PlannedClaim> read_claims(const Options& options) {
  const CaseFile file = read_case_file(options.case_file);
  if (file.claims.empty()) throw InputError(options.case_file + ": no [[claim]] table");
  std::vector<PlannedClaim> claims;
  std::set<std::string> seen;
  const auto add = [&](PlannedClaim c, const std::string& where) {
    if (!seen.insert(c.job.id).second)
      throw InputError(
          fmt::format("{}: two claims would be called {}; give them different ids", where, c.job.id));
    if (options.only.empty() || std::any_of(options.only.begin(), options.only.end(),
                                            [&](const auto& o) { return c.job.id.starts_with(o); }))
      claims.push_back(std::move(c));
  };
  std::size_t number = 0;
  for (const Specification& claim : file.claims) {
    ++number;
    const std::string request = request_of(claim);
    try {
      for (Job& job : jobs_of(claim)) add({std::move(job), request, ""}, claim.where);
    } catch (const InputError& error) {
      const std::string id = claim.id.empty() ? fmt::format("claim {}", number) : claim.id;
      if (seen.contains(id)) throw;
      add({{id, {}}, request, error.what()}, claim.where);
    }
  }
  if (claims.empty()) throw InputError("no claim has an id that starts with what --only asks for");
  if (std::none_of(claims.begin(), claims.end(), [](const PlannedClaim& c) { return c.refusal.empty(); }))
    throw InputError(claims.front().refusal);
  return claims;
}

void prepare(const Options& options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory + "/certificates", error);
  if (error) throw InputError(fmt::format("{}: cannot be created: {}", options.directory, error.message()));
}

int exit_code_of(const VerdictTable& table) {
  return table.has("refused")                                          ? bad_input
         : table.has("refuted")                                        ? refuted
         : table.has("undecided") || table.has("no more than trivial") ? undecided
                                                                       : done;
}

std::optional<double> seconds_of(const Options& options) {
  if (options.time_limit.empty()) return std::nullopt;
  const Rational seconds = parse_rational(options.time_limit);
  if (seconds <= 0) throw InputError(fmt::format("--time-limit {} is not positive", options.time_limit));
  return seconds.convert_to<double>();
}

/// Proves one claim and writes its certificate.
Verdict run(const PlannedClaim& claim, const Options& options, std::optional<Clock::time_point> deadline) {
  std::atomic<long> leaves{0};
  JobContext context;
  context.limits.deadline = deadline;
  context.leaves = &leaves;
  const Progress progress(claim.job.id, leaves);
  Verdict v = claim.job.run(context);
  if (v.outcome == ProofOutcome::proved)
    replace_whole(fmt::format("{}/certificates/{}.json", options.directory, claim.job.id),
                  certificate(v.kind, v.theorem, v.claim, v.evidence).dump(1) + "\n");
  return v;
}

int prove(const Options& options) {
  const std::optional<double> seconds = seconds_of(options);
  std::optional<Clock::time_point> deadline;
  if (seconds)
    deadline = Clock::now() + std::chrono::milliseconds(static_cast<long>(1000 * std::min(*seconds, 1e9) -
                                                                          1000 * seconds_running()));
  if (options.threads < 0) throw InputError(fmt::format("--threads {} is negative", options.threads));
  std::optional<tbb::global_control> threads;
  if (options.threads > 0)
    threads.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(options.threads));
  const std::vector<PlannedClaim> claims = read_claims(options);
  prepare(options);
  std::optional<CoqFiles> coq = coq_files(options);
  VerdictTable table(options.directory, options.case_file, options.force || options.resume);
  const std::optional<EarlierVerdicts> earlier =
      options.resume ? std::optional<EarlierVerdicts>(std::in_place, options.directory) : std::nullopt;
  const TimeGuard guard(seconds, [&] {
    table.leave_undecided(claims, "time limit reached");
    const int code = exit_code_of(table);
    return code == done ? undecided : code;
  });
  say_when_interrupted(
      fmt::format("critscale: interrupted; what is proved is in {}: the same command with --resume continues",
                  options.directory));
  std::size_t known = 0;
  const bool text = options.format == "text";
  const auto show = [&](const std::string& id, ordered_json row, const Verdict& v) {
    std::string shown = row_text(id, v);
    if (coq && v.outcome == ProofOutcome::proved) {
      const KernelVerdict kernel =
          coq->add({id, v.kind, v.theorem, row.at("statement").get<std::string>(), row.at("claim")});
      kernel.write_to(row);
      if (kernel.detail != "not reached") shown += kernel.text("");
    }
    table.add(std::move(row));
    if (text) write_stdout(shown);
  };
  for (const PlannedClaim& claim : claims) {
    if (!claim.refusal.empty()) {
      table.add(refusal_json(claim));
      if (text) write_stdout(fmt::format("{:<9}  {:<44} {}\n", "refused", claim.job.id, claim.refusal));
    } else if (const ordered_json* row = earlier ? earlier->proved(claim) : nullptr) {
      ++known;
      show(claim.job.id, *row, verdict_of(*row));
    } else {
      const Verdict v = run(claim, options, deadline);
      show(claim.job.id, row_json(claim, v), v);
    }
  }
  if (known > 0)
    say(fmt::format("critscale: {} of {} claims were proved before; their certificates are verified\n", known,
                    claims.size()));
  if (coq) {
    coq->check([&](const std::string& id, const KernelVerdict& kernel) {
      table.change(id, [&](ordered_json& row) { kernel.write_to(row); });
      if (text) write_stdout(kernel.text(id));
    });
    coq->finish();
  }
  if (options.format == "json") write_stdout(table.text());
  for (const PlannedClaim& claim : claims)
    if (!claim.refusal.empty()) throw InputError(fmt::format("claim {}: {}", claim.job.id, claim.refusal));
  return exit_code_of(table);
}

}  // namespace

void add_prove(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("prove", "Prove the claims of a case file and write certificates");
  command->footer(
      "A claim:\n"
      "  [[claim]]\n"
      "  id = \"near\"\n"
      "  theorem = \"partition\"         # or 2.1, 2.3, 2.4, 2.5, C.2, boundary\n"
      "  quantity = \"self_weight\"      # left out: all that the theorem is about\n"
      "  rho = { box = [\"1/10\", \"9/10\"] }\n"
      "  gamma_ratio = \"1\"             # gamma (1 - rho): 1 is critical\n"
      "  N = \"10^6\"                    # for all n >= N\n"
      "A claim without a meaning is named; the others are proved all the same.\n\n"
      "Example:\n  critscale prove cases/paper.toml -o results\n"
      "Exit codes: 0 every claim proved, 1 a claim refuted, 3 a claim undecided or no more than trivial.");
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
  command->add_flag(
      "--resume", options->resume,
      "keep what an earlier run proved: certificates of the same claims are verified, not proved again");
  command->add_option("--coq", options->coq,
                      "directory for the same claims as files for Coq, checked where it is installed");
  command->add_option("--coq-library", options->coq_library, "folder of the Coq library, provers/formal");
  command->add_option("--coq-constant", options->coq_constant,
                      "multiply C by this in the files for Coq (default 1)");
  command->add_option("--coq-jobs", options->coq_limits.jobs, "how many coqc at once (default: one a core)");
  command->add_option("--coq-seconds", options->coq_limits.seconds,
                      "processor time for each file (default 300)");
  command->add_option("--coq-memory", options->coq_limits.memory_kib,
                      "KiB of address space for each coqc (default 3145728)");
  command->callback([options, &exit_code] { exit_code = prove(*options); });
}

}  // namespace critscale::cli
