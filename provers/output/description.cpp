// Uses description.hpp.
#include "output/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace critscale::cli {

namespace {

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// Text for roff: no control lines, no escapes of its own.
std::string roff(std::string text) {
  text = replaced(replaced(std::move(text), "\\", "\\e"), "-", "\\-");
  text = replaced(std::move(text), "\n.", "\n\\&.");
  text = replaced(std::move(text), "\n'", "\n\\&'");
  if (text.starts_with('.') || text.starts_with('\'')) text.insert(0, "\\&");
  return text;
}

/// One line.
std::string flat(std::string text) { return replaced(std::move(text), "\n", " "); }

std::string heading(const DescribedOption& o) {
  if (o.names.empty()) return o.placeholder;
  return fmt::format("{}{}", fmt::join(o.names, ", "), o.takes_value ? " VALUE" : "");
}

std::string man_options(const std::vector<DescribedOption>& options) {
  std::string r;
  for (const DescribedOption& o : options)
    r += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(heading(o)), roff(flat(o.help)));
  return r;
}

/// A footer with its lines kept.
std::string man_footer(const std::string& footer) {
  if (footer.empty()) return {};
  return fmt::format(".PP\n.nf\n{}\n.fi\n", roff(footer));
}

std::vector<std::string> all_names(const std::vector<DescribedOption>& options) {
  std::vector<std::string> r;
  for (const DescribedOption& o : options) r.insert(r.end(), o.names.begin(), o.names.end());
  return r;
}

/// Between single quotes of a shell.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }
/// The same for fish, whose quotes know a backslash.
std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string zsh_option(const DescribedOption& o, const std::string& name) {
  // Brackets and colons have a meaning inside.
  std::string help = replaced(flat(o.help), "\\", "\\\\");
  help = replaced(replaced(replaced(help, "[", "\\["), "]", "\\]"), ":", "\\:");
  std::string value;
  if (o.takes_value)
    value = !o.choices.empty() ? fmt::format(":value:({})", fmt::join(o.choices, " "))
            : o.is_file        ? std::string(":file:_files")
                               : std::string(":value: ");
  return quoted(fmt::format("*{}[{}]{}", name, help, value));
}

std::string bash_choices(const std::vector<DescribedOption>& options) {
  std::string r;
  for (const DescribedOption& o : options)
    if (!o.choices.empty() && !o.names.empty())
      r += fmt::format("        {}) COMPREPLY=($(compgen -W {} -- \"$word\")); return ;;\n",
                       fmt::join(o.names, "|"), quoted(fmt::format("{}", fmt::join(o.choices, " "))));
  return r;
}

}  // namespace

std::string man_page(const DescribedProgram& p) {
  std::string r = fmt::format(
      ".TH CRITSCALE 1 \"\" \"critscale {}\" \"User Commands\"\n.SH NAME\ncritscale \\- {}\n"
      ".SH SYNOPSIS\n.B critscale\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{}\n",
      roff(p.version), roff("attention at long context with guaranteed error bounds"), roff(p.help));
  r += ".SH OPTIONS\n" + man_options(p.options) + ".SH COMMANDS\n";
  for (const DescribedCommand& c : p.commands)
    r += fmt::format(".SS critscale {}\n{}\n", roff(c.name), roff(c.help)) + man_options(c.options) +
         man_footer(c.footer);
  return r +
         ".SH EXIT STATUS\n0 done, proved, conforms; 1 refuted, rejected, does not conform; 2 bad input; "
         "3 undecided at a limit.\n";
}

std::string bash_completion(const DescribedProgram& p) {
  std::string names, cases;
  for (const DescribedCommand& c : p.commands) {
    names += (names.empty() ? "" : " ") + c.name;
    cases +=
        fmt::format("    {})\n      case $before in\n{}      esac\n      options={} ;;\n", c.name,
                    bash_choices(c.options), quoted(fmt::format("{}", fmt::join(all_names(c.options), " "))));
  }
  return fmt::format(
      "# Completion of critscale for bash; made from the program's description of its options.\n"
      "_critscale() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= options= w\n"
      "  COMPREPLY=()\n"
      "  for w in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case \" {} \" in *\" $w \"*) command=$w; break ;; esac\n"
      "  done\n"
      "  case $command in\n{}    '') options={} ;;\n  esac\n"
      "  if [[ $word == -* || -z $command ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
      "}}\n"
      "complete -F _critscale critscale\n",
      names, cases, quoted(fmt::format("{} {}", names, fmt::join(all_names(p.options), " "))));
}

std::string zsh_completion(const DescribedProgram& p) {
  std::string commands, cases;
  for (const DescribedCommand& c : p.commands) {
    commands += "    " + quoted(fmt::format("{}:{}", c.name, replaced(flat(c.help), ":", "\\:"))) + "\n";
    cases += fmt::format("    {}) _arguments", c.name);
    for (const DescribedOption& o : c.options)
      for (const std::string& name : o.names) cases += " \\\n      " + zsh_option(o, name);
    cases += " \\\n      '*:file:_files' ;;\n";
  }
  return fmt::format(
      "#compdef critscale\n# Completion of critscale for zsh; made from the program's description of its "
      "options.\n"
      "_critscale() {{\n  local -a commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then _describe 'command' commands; return; fi\n"
      "  local command=$words[2]\n  shift words; (( CURRENT-- ))\n  case $command in\n{}  esac\n}}\n"
      "_critscale \"$@\"\n",
      commands, cases);
}

std::string fish_completion(const DescribedProgram& p) {
  std::string r = "# Completion of critscale for fish; made from the program's description of its options.\n";
  const auto option = [&](const std::string& where, const DescribedOption& o) {
    if (o.names.empty()) return;
    r += fmt::format("complete -c critscale -n {}", fish_quoted(where));
    for (const std::string& name : o.names)
      r += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                  : fmt::format(" -s {}", name.substr(1));
    if (o.takes_value) r += o.is_file ? " -r -F" : " -x";
    if (!o.choices.empty())
      r += fmt::format(" -a {}", fish_quoted(fmt::format("{}", fmt::join(o.choices, " "))));
    r += fmt::format(" -d {}\n", fish_quoted(flat(o.help)));
  };
  for (const DescribedOption& o : p.options) option("__fish_use_subcommand", o);
  for (const DescribedCommand& c : p.commands) {
    r += fmt::format("complete -c critscale -n __fish_use_subcommand -f -a {} -d {}\n", c.name,
                     fish_quoted(flat(c.help)));
    for (const DescribedOption& o : c.options) option("__fish_seen_subcommand_from " + c.name, o);
  }
  return r;
}

std::string markdown_reference(const DescribedProgram& p) {
  const auto cell = [](const std::string& text) {
    return replaced(replaced(replaced(flat(text), "|", "\\|"), "<", "&lt;"), "*", "\\*");
  };
  std::string r;
  for (const DescribedCommand& c : p.commands) {
    r += fmt::format("## critscale {}\n\n{}.\n\n| option | meaning |\n|---|---|\n", c.name, cell(c.help));
    for (const DescribedOption& o : c.options)
      r += fmt::format("| `{}` | {} |\n", replaced(heading(o), "|", "\\|"), cell(o.help));
    if (!c.footer.empty()) r += fmt::format("\n```text\n{}\n```\n", c.footer);
    r += "\n";
  }
  return r;
}

}  // namespace critscale::cli
