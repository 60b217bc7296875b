// Running the program as a user does.
#include "provers/program.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace critscale::test {

Run program(const std::string& arguments) {
  const std::string folder = scratch("run");
  const std::string command =
      fmt::format("'{}' {} >{}/out 2>{}/err </dev/null", CRITSCALE_PROGRAM, arguments, folder, folder);
  const int status = std::system(command.c_str());
  if (!WIFEXITED(status)) throw std::runtime_error("the program did not exit by itself");
  Run r{WEXITSTATUS(status), read_file(fmt::format("{}/out", folder)),
        read_file(fmt::format("{}/err", folder))};
  std::filesystem::remove_all(folder);
  return r;
}

nlohmann::json run_json(const std::string& arguments) {
  INFO("critscale " << arguments);
  const Run r = program(arguments + " --format json");
  INFO(r.err);
  REQUIRE(r.code == 0);
  REQUIRE(r.err.empty());
  return nlohmann::json::parse(r.out);
}

void check_refused(const std::string& arguments, const std::string& message) {
  INFO("critscale " << arguments);
  const Run r = program(arguments);
  CHECK(r.code == 2);
  CHECK(r.err == "critscale: " + message + "\n");
  CHECK(r.out.empty());
}

}  // namespace critscale::test
