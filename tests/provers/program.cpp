// Running the program as a user does.
#include "provers/program.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace critscale::test {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string scratch(const std::string& name) {
  // ctest runs tests of one executable side by side: the process id keeps them apart.
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("critscale-{}-{}", ::getpid(), name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path.string();
}

Run program(const std::string& arguments) {
  const std::string folder = scratch("run");
  const std::string command =
      fmt::format("'{}' {} >{}/out 2>{}/err </dev/null", CRITSCALE_PROGRAM, arguments, folder, folder);
  const int status = std::system(command.c_str());
  if (!WIFEXITED(status)) throw std::runtime_error("the program did not exit by itself");
  Run r{WEXITSTATUS(status), read_file(fmt::format("{}/out", folder)), read_file(fmt::format("{}/err", folder))};
  std::filesystem::remove_all(folder);
  return r;
}

}  // namespace critscale::test
