// Files for the tests of tables.
#pragma once

#include <string>

namespace critscale::test {

/// An empty folder of this process.
std::string scratch_folder(const std::string& name);
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);

}  // namespace critscale::test
