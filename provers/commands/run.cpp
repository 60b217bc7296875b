// The program: its subcommands, and exceptions as one line and an exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <mpfi.h>
#include <mpfr.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/version.hpp>
#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "commands/commands.hpp"
#include "critscale/io/detail/input_file.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/flint.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/detail/nearest.hpp"
#include "jobs/ranks.hpp"
#include "jobs/transport.hpp"
#include "output/csv_table.hpp"
#include "process/files.hpp"
#include "process/interrupt.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

int fail(int code, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  if (Ranks::is_first())
    say(fmt::format("critscale: {}\n", message));
  else
    Ranks::report(code, message);
  return code;
}

/// Whether the processes of one mpirun divide the command's work; others are the first one's alone.
bool is_divided(int argc, const char* const* argv) {
  return std::any_of(argv + 1, argv + argc, [](const std::string_view a) {
    return a == "attention" || a == "table" || a == "tokens";
  });
}

/// Standard streams that are closed are opened so that a file opened later does not take their place: writing
/// to them fails.
void prepare_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) != fd) std::_Exit(bad_input);
  signal(SIGPIPE, SIG_IGN);
}

std::vector<std::string> subcommand_names(const CLI::App& program) {
  std::vector<std::string> r;
  for (const CLI::App* a : program.get_subcommands([](const CLI::App*) { return true; }))
    r.push_back(a->get_name());
  return r;
}

/// The arguments, last first as CLI11 wants them, with --a_b, which keys of case files look like, as --a-b.
std::vector<std::string> with_dashes(int argc, const char* const* argv) {
  std::vector<std::string> r;
  for (int i = argc - 1; i > 0; --i) {
    std::string a = argv[i];
    if (a.starts_with("--"))
      std::replace(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.find('='), a.size())), '_',
                   '-');
    r.push_back(std::move(a));
  }
  return r;
}

/// What a flag that the subcommand does not have may have meant.
std::string flag_meant(const CLI::App& program, int argc, const char* const* argv) {
  if (argc < 2) return "";
  std::vector<std::string> names;
  for (const CLI::App* a :
       program.get_subcommands([&](const CLI::App* s) { return s->get_name() == argv[1]; }))
    for (const CLI::Option* o : a->get_options())
      for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  for (int i = 2; i < argc; ++i) {
    const std::string flag = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (!flag.starts_with("--") || std::find(names.begin(), names.end(), flag) != names.end()) continue;
    if (const std::string meant = did_you_mean(flag, names); !meant.empty()) return meant;
  }
  return "";
}

}  // namespace

std::string versions() {
#if __FLINT_RELEASE >= 30000
  const std::string arb = fmt::format("FLINT {} (with Arb)", flint_version);
#else
  const std::string arb = fmt::format("FLINT {}, Arb {}", flint_version, arb_version);
#endif
  return fmt::format("critscale {}\n{}, MPFI {}, MPFR {}, GMP {}, Boost {}.{}.{}", CRITSCALE_VERSION, arb,
                     mpfi_get_version(), mpfr_get_version(), gmp_version, BOOST_VERSION / 100000,
                     BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100);
}

namespace {

int run_program(int argc, const char* const* argv) {
  int exit_code = done;
  CLI::App program(
      "Attention at long context with guaranteed error bounds.\n"
      "Exit codes: 0 done, 1 refuted or rejected, 2 bad input, 3 undecided at a limit.");
  program.name("critscale");
  program.set_version_flag("--version", versions());
  program.require_subcommand(1);
  program.add_option_function<std::string>(
      "--max-memory", [](const std::string& text) { limit_memory(parse_memory(text)); },
      "Memory that may be taken: 8G, 500M (default: half of the machine's)");
  program.add_flag_callback("--quiet", be_quiet, "No progress on stderr");
  program.add_flag_callback("--decimal", write_decimals,
                            "In CSV, decimals for fractions such as 1/2 (which spreadsheets take for dates)");
  add_eval(program, exit_code);
  add_limit(program, exit_code);
  add_boundary(program, exit_code);
  add_schedule(program, exit_code);
  add_layers(program, exit_code);
  add_tokens(program, exit_code);
  add_attention(program, exit_code);
  add_check(program, exit_code);
  add_table(program, exit_code);
  add_plot(program, exit_code);
  add_random(program, exit_code);
  add_report(program, exit_code);
  add_prove(program, exit_code);
  add_verify(program, exit_code);
  add_describe(program, exit_code);
  // These flags may follow the subcommand too.
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) {
    command->fallthrough();
    command->footer(command->get_footer() +
                    "\nEverywhere: --max-memory 8G (default: half of the machine's), --quiet, --decimal.");
  }
  try {
    // Texts of the command line come back in messages and results.
    for (int i = 1; i < argc; ++i)
      if (const std::size_t at = invalid_utf8(argv[i]); at != std::string::npos)
        throw InputError(
            fmt::format("argument {}, {}: not valid UTF-8 at byte {}", i, in_quotes(argv[i]), at + 1));
    if (argc > 1 && argv[1][0] != '-' &&
        program.get_subcommands([&](const CLI::App* a) { return a->get_name() == argv[1]; }).empty())
      throw InputError(fmt::format("{} is no subcommand{} (see --help)", in_quotes(argv[1]),
                                   did_you_mean(argv[1], subcommand_names(program))));
    program.parse(with_dashes(argc, argv));
    return exit_code;
  } catch (const CLI::Success& e) {
    std::ostringstream text;
    program.exit(e, text, text);
    if (!Ranks::is_first()) return done;
    try {
      write_stdout(text.str());
    } catch (const InputError& error) {
      return fail(bad_input, error.what());
    }
    return done;
  } catch (const CLI::ExtrasError& e) {
    return fail(bad_input, e.what() + flag_meant(program, argc, argv));
  } catch (const CLI::ParseError& e) {
    return fail(bad_input, e.what());
  } catch (const InputError& e) {
    return fail(bad_input, e.what());
  } catch (const UndefinedError& e) {
    return fail(bad_input, e.what());
  } catch (const LimitError& e) {
    return fail(undecided, e.what());
  } catch (const std::bad_alloc&) {
    return fail(undecided,
                fmt::format("out of memory: more than the {} of --max-memory", bytes_text(memory_limit())));
  } catch (const std::exception& e) {
    return fail(undecided, fmt::format("internal error: {}", e.what()));
  }
}

}  // namespace

int run(int argc, const char* const* argv) {
  prepare_streams();
  watch_for_interrupts();
  Ranks::begin(mpi_transport());
  limit_memory(default_memory_limit() / Ranks::neighbours());
  int exit_code = done;
  try {
    if (Ranks::is_first() || is_divided(argc, argv)) exit_code = run_program(argc, argv);
  } catch (const Released&) {
    // The first process has said why.
  }
  const bool speaks = Ranks::is_first();
  Ranks::end();
  return speaks ? exit_code : done;
}

}  // namespace critscale::cli
