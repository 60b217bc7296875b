// What the program's options are, and that as a man page, as completions of shells and as Markdown. Uses fmt
// (in the .cpp only).
#pragma once

#include <string>
#include <vector>

namespace critscale::cli {

struct DescribedOption {
  std::vector<std::string> names;  ///< "-o", "--output"; empty for a positional argument
  std::string placeholder;         ///< of a positional argument
  std::string help;
  std::vector<std::string> choices;  ///< all values it may have, where they are few
  bool takes_value = false, is_file = false, required = false;
};

struct DescribedCommand {
  std::string name, help, footer;
  std::vector<DescribedOption> options;
};

struct DescribedProgram {
  std::string version, help;
  std::vector<DescribedOption> options;
  std::vector<DescribedCommand> commands;
};

std::string man_page(const DescribedProgram& program);
std::string bash_completion(const DescribedProgram& program);
std::string zsh_completion(const DescribedProgram& program);
std::string fish_completion(const DescribedProgram& program);
/// A section a command, with its options as a table.
std::string markdown_reference(const DescribedProgram& program);

}  // namespace critscale::cli
