// `critscale describe`: the program's options as a man page, completions or Markdown, from CLI11's own
// description.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "commands/commands.hpp"
#include "output/description.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

/// "{a,b,c}" in the description that CLI::IsMember adds.
std::vector<std::string> choices_of(const CLI::Option& o) {
  const std::string type = o.get_option_text().empty() ? o.get_type_name() : o.get_option_text();
  const std::size_t open = type.find('{'), close = type.find('}', open);
  std::vector<std::string> r;
  if (open == std::string::npos || close == std::string::npos) return r;
  std::string word;
  for (const char c : type.substr(open + 1, close - open - 1))
    if (c == ',')
      r.push_back(std::exchange(word, ""));
    else
      word += c;
  r.push_back(word);
  return r;
}

DescribedOption described(const CLI::Option& o) {
  DescribedOption r;
  for (const std::string& s : o.get_snames()) r.names.push_back("-" + s);
  for (const std::string& l : o.get_lnames()) r.names.push_back("--" + l);
  r.placeholder = o.get_name();
  r.help = o.get_description();
  r.takes_value = o.get_items_expected_max() > 0;
  r.required = o.get_required();
  r.choices = choices_of(o);
  // Descriptions name what is a file.
  for (const char* word : {" file", "File", ".npy", ".csv", "config.json", "folder", "page"})
    r.is_file = r.is_file || r.help.find(word) != std::string::npos;
  return r;
}

std::vector<DescribedOption> options_of(const CLI::App& app) {
  std::vector<DescribedOption> r;
  for (const CLI::Option* o : app.get_options()) r.push_back(described(*o));
  return r;
}

DescribedProgram described(const CLI::App& program) {
  DescribedProgram r;
  r.version = versions().substr(0, versions().find('\n'));
  r.version = r.version.substr(r.version.find(' ') + 1);
  r.help = program.get_description();
  r.options = options_of(program);
  for (const CLI::App* c : program.get_subcommands([](const CLI::App*) { return true; }))
    r.commands.push_back({c->get_name(), c->get_description(), c->get_footer(), options_of(*c)});
  return r;
}

std::string text_of(const DescribedProgram& p, const std::string& form) {
  return form == "man"    ? man_page(p)
         : form == "bash" ? bash_completion(p)
         : form == "zsh"  ? zsh_completion(p)
         : form == "fish" ? fish_completion(p)
                          : markdown_reference(p);
}

}  // namespace

void add_describe(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("describe", "The options as a man page, shell completions or Markdown");
  const auto form = std::make_shared<std::string>();
  const auto output = std::make_shared<std::string>();
  const auto force = std::make_shared<bool>(false);
  command->add_option("form", *form, "man, bash, zsh, fish or markdown")
      ->required()
      ->check(CLI::IsMember({"man", "bash", "zsh", "fish", "markdown"}));
  command->add_option("-o,--output", *output, "Write to this file");
  command->add_flag("--force", *force, "Replace an existing file");
  command->footer("Example: critscale describe bash > ~/.local/share/bash-completion/completions/critscale");
  command->callback([&program, form, output, force, &exit_code] {
    Output place(*output, *force);
    place.write(text_of(described(program), *form));
    exit_code = done;
  });
}

}  // namespace critscale::cli
