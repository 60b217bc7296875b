// The subcommands. Each file in commands/ adds one to the program.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace critscale::cli {

/// Exit codes [exit-codes].
inline constexpr int done = 0;
inline constexpr int refuted = 1;
inline constexpr int bad_input = 2;
inline constexpr int undecided = 3;

/// The program's version and, on a second line, those of the libraries that compute.
std::string versions();

/// Adds a subcommand; its callback stores the exit code.
void add_describe(CLI::App& program, int& exit_code);
void add_eval(CLI::App& program, int& exit_code);
void add_limit(CLI::App& program, int& exit_code);
void add_boundary(CLI::App& program, int& exit_code);
void add_layers(CLI::App& program, int& exit_code);
void add_schedule(CLI::App& program, int& exit_code);
void add_attention(CLI::App& program, int& exit_code);
void add_tokens(CLI::App& program, int& exit_code);
void add_check(CLI::App& program, int& exit_code);
void add_table(CLI::App& program, int& exit_code);
void add_plot(CLI::App& program, int& exit_code);
void add_random(CLI::App& program, int& exit_code);
void add_report(CLI::App& program, int& exit_code);
void add_prove(CLI::App& program, int& exit_code);
void add_verify(CLI::App& program, int& exit_code);

/// Runs the program. Results go to stdout, messages to stderr.
int run(int argc, const char* const* argv);

}  // namespace critscale::cli
