// Running another program with text on its stdin, within limits. Uses POSIX.
#pragma once

#include <cstddef>
#include <string>

namespace critscale::cli {

struct ProgramOutput {
  std::string text;
  int status;  ///< the exit code; -1 when a signal ended it
};

/// Runs `command` through /bin/sh with `input` on its stdin and returns its stdout; its stderr is ours.
/// At `seconds` or `bytes` of output the program and its children are ended and LimitError is thrown.
/// Throws InputError when it cannot be started.
ProgramOutput run_program(const std::string& command, const std::string& input, double seconds,
                          std::size_t bytes);

/// The stdout of run_program. Throws InputError also when the program ends with an error before it has
/// answered at all.
std::string converse(const std::string& command, const std::string& input, double seconds, std::size_t bytes);

}  // namespace critscale::cli
