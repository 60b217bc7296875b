// Files of tests.
#include "scratch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

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
  const auto path = std::filesystem::temp_directory_path() / fmt::format("critscale-{}-{}", ::getpid(), name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path.string();
}

}  // namespace critscale::test
