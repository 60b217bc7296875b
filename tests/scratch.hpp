// Files of tests: a folder of their own, whole files in and out.
#pragma once

#include <string>

namespace critscale::test {

/// A folder of this process for one test's files, emptied first.
std::string scratch(const std::string& name);

void write_file(const std::string& path, const std::string& text);
std::string read_file(const std::string& path);

}  // namespace critscale::test
