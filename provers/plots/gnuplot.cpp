// gnuplot as a child process that reads the script on its stdin.
#include "plots/gnuplot.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "process/client.hpp"

namespace critscale::cli {

namespace {

constexpr double seconds = 300;
constexpr std::size_t bytes = std::size_t{1} << 30;

}  // namespace

void require_gnuplot() {
  if (run_program("command -v gnuplot >/dev/null 2>&1", "", seconds, bytes).status != 0)
    throw InputError("plot needs the program gnuplot (Debian: gnuplot-nox), which is not installed");
}

std::string run_gnuplot(const std::string& script) {
  // -d: without the user's own settings.
  const ProgramOutput r = run_program("exec gnuplot -d 2>/dev/null", script, seconds, bytes);
  if (r.status == 0 && !r.text.empty()) return r.text;
  const ProgramOutput said = run_program("exec gnuplot -d 2>&1 >/dev/null", script, seconds, bytes);
  throw InputError(fmt::format("gnuplot failed: {}", in_quotes(said.text)));
}

}  // namespace critscale::cli
