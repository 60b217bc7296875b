// Running the program as a user does: its output, its messages, its exit code.
#pragma once

#include <string>

namespace critscale::test {

struct Run {
  int code;
  std::string out, err;
};

/// Runs `critscale ARGUMENTS` through the shell (quote accordingly).
Run program(const std::string& arguments);

/// A folder of its own for one test's files, emptied first.
std::string scratch(const std::string& name);

void write_file(const std::string& path, const std::string& text);
std::string read_file(const std::string& path);

}  // namespace critscale::test
