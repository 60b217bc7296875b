// Uses name_list.hpp.
#include "inputs/name_list.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace critscale::cli {

void add_name_list(CLI::App& command, const std::string& option, std::vector<std::string>& names,
                   const std::string& description) {
  command
      .add_option_function<std::string>(
          option,
          [&names](const std::string& text) {
            for (std::size_t at = 0; at <= text.size();) {
              const std::size_t end = std::min(text.find(',', at), text.size());
              names.push_back(text.substr(at, end - at));
              at = end + 1;
            }
          },
          description)
      ->expected(1)
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace critscale::cli
