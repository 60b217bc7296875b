// Files of tests.
#include "scratch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

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

namespace {

/// The folders of this process, removed when it ends; not by processes that it forks.
struct Folders {
  std::vector<std::filesystem::path> paths;
  pid_t owner = ::getpid();
  ~Folders() {
    std::error_code ignored;
    if (::getpid() == owner)
      for (const auto& path : paths) std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

std::string scratch(const std::string& name) {
  // ctest runs tests of one executable side by side: the process id keeps them apart.
  const auto path = std::filesystem::temp_directory_path() / fmt::format("critscale-{}-{}", ::getpid(), name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  static Folders folders;
  folders.paths.push_back(path);
  return path.string();
}

}  // namespace critscale::test
