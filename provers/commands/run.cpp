// The program: its subcommands, and exceptions as one line and an exit code.
#include <fmt/format.h>
#include <mpfi.h>
#include <mpfr.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/version.hpp>
#include <cstdio>

#include "commands/commands.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/flint.hpp"
#include "critscale/number/quote.hpp"

namespace critscale::cli {

namespace {

int fail(int code, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "critscale: {}\n", message);
  return code;
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

int run(int argc, const char* const* argv) {
  int exit_code = done;
  CLI::App program(
      "Attention at long context with guaranteed error bounds.\n"
      "Exit codes: 0 done, 1 refuted or rejected, 2 bad input, 3 undecided at a limit.");
  program.name("critscale");
  program.set_version_flag("--version", versions());
  program.require_subcommand(1);
  add_eval(program, exit_code);
  add_limit(program, exit_code);
  add_boundary(program, exit_code);
  add_schedule(program, exit_code);
  add_layers(program, exit_code);
  add_tokens(program, exit_code);
  add_check(program, exit_code);
  add_table(program, exit_code);
  add_plot(program, exit_code);
  add_random(program, exit_code);
  add_prove(program, exit_code);
  add_verify(program, exit_code);
  try {
    if (argc > 1 && argv[1][0] != '-' &&
        program.get_subcommands([&](const CLI::App* a) { return a->get_name() == argv[1]; }).empty())
      throw InputError(fmt::format("{} is no subcommand (see --help)", in_quotes(argv[1])));
    program.parse(argc, argv);
    return exit_code;
  } catch (const CLI::Success& e) {
    return program.exit(e);
  } catch (const CLI::ParseError& e) {
    return fail(bad_input, e.what());
  } catch (const InputError& e) {
    return fail(bad_input, e.what());
  } catch (const UndefinedError& e) {
    return fail(bad_input, e.what());
  } catch (const LimitError& e) {
    return fail(undecided, e.what());
  } catch (const std::bad_alloc&) {
    return fail(undecided, "out of memory");
  } catch (const std::exception& e) {
    return fail(undecided, fmt::format("internal error: {}", e.what()));
  }
}

}  // namespace critscale::cli
