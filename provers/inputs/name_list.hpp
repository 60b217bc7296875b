// Options that take names. Uses CLI11 (in the .cpp only).
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace critscale::cli {

/// Names with commas between them, the option given several times, or both: one entry a name.
void add_name_list(CLI::App& command, const std::string& option, std::vector<std::string>& names,
                   const std::string& description);

}  // namespace critscale::cli
