// Files for the tests of tables.
#include "tables/support.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace critscale::test {

std::string scratch_folder(const std::string& name) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("critscale-tables-{}-{}", ::getpid(), name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path.string();
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace critscale::test
