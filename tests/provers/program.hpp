// Running the program as a user does: its output, its messages, its exit code.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scratch.hpp"

namespace critscale::test {

struct Run {
  int code;
  std::string out, err;
};

/// Runs `critscale ARGUMENTS` through the shell (quote accordingly).
Run program(const std::string& arguments);

/// Its result with --format json; requires that it is done without a message.
nlohmann::json run_json(const std::string& arguments);

/// Checks that bad input gets exit code 2, nothing on stdout and this one line.
void check_refused(const std::string& arguments, const std::string& message);

}  // namespace critscale::test
