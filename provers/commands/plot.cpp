// `critscale plot`: phase diagrams and curves of result files, as SVG and PNG, through gnuplot.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands/commands.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "inputs/result_file.hpp"
#include "plots/gnuplot.hpp"
#include "plots/plan.hpp"
#include "plots/script.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

namespace fs = std::filesystem;

struct PlotFlags {
  std::vector<std::string> results, quantities, formats;
  std::string output, scale = "auto";
  bool script = false, force = false;
};

struct Picture {
  std::string path;
  ImageFormat format;
  std::string script;
};

/// What the names of one result's pictures begin with: PREFIX, or the result's own name in a folder.
std::string prefix(const PlotFlags& flags, const std::string& result) {
  const std::string own = fs::path(result).stem().string();
  if (flags.output.empty()) return (fs::path(result).parent_path() / own).string();
  if (flags.output.ends_with('/') || fs::is_directory(flags.output))
    return (fs::path(flags.output) / own).string();
  return flags.results.size() > 1 ? fmt::format("{}-{}", flags.output, own) : flags.output;
}

std::vector<Picture> pictures(const PlotFlags& flags) {
  PlotOptions options{flags.quantities, {}};
  if (flags.scale == "linear") options.scale = Scale::linear;
  if (flags.scale == "log") options.scale = Scale::log;
  std::vector<Picture> r;
  for (const std::string& result : flags.results)
    for (const Figure& f : plan(read_result(result), options))
      for (const auto& [name, format] :
           {std::pair{"svg", ImageFormat::svg}, std::pair{"png", ImageFormat::png}})
        if (std::find(flags.formats.begin(), flags.formats.end(), name) != flags.formats.end())
          r.push_back(
              {fmt::format("{}-{}.{}", prefix(flags, result), f.name, name), format, script(f, format)});
  return r;
}

int plot(PlotFlags flags) {
  if (flags.formats.empty()) flags.formats = {"svg", "png"};
  if (!flags.script) require_gnuplot();
  const std::vector<Picture> all = pictures(flags);
  if (flags.script) {
    std::string text;
    for (const Picture& p : all)
      text += fmt::format("# {}\n{}", in_quotes(fs::path(p.path).filename().string()), p.script);
    write_stdout(text);
    return done;
  }
  if (std::error_code error; flags.output.ends_with('/') && !fs::is_directory(flags.output)) {
    fs::create_directories(flags.output, error);
    if (error)
      throw InputError(fmt::format("{}: the folder cannot be made ({})", flags.output, error.message()));
  }
  std::vector<OutputFile> files;
  for (const Picture& p : all) files.push_back(opened(p.path, flags.force));
  for (std::size_t i = 0; i < all.size(); ++i) {
    files[i].write(run_gnuplot(all[i].script));
    write_stdout(all[i].path + "\n");
  }
  return done;
}

}  // namespace

void add_plot(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("plot", "Phase diagrams and curves of result files (SVG, PNG)");
  const auto flags = std::make_shared<PlotFlags>();
  command
      ->add_option("results", flags->results,
                   "Tables (.csv), or JSON of eval, tokens, boundary, schedule or random")
      ->required();
  command->add_option(
      "-o,--output", flags->output,
      "PREFIX of the pictures' names, or a folder (with a / at its end it is made); default: beside "
      "the result");
  command->add_option("--quantities", flags->quantities, "Only this quantity; repeat for more")
      ->expected(1)
      ->take_all();
  command->add_option("--format", flags->formats, "svg or png; repeat for both (default)")
      ->expected(1)
      ->take_all()
      ->check(CLI::IsMember({"svg", "png"}));
  command->add_option("--scale", flags->scale, "Values and colours: auto, linear or log")
      ->check(CLI::IsMember({"auto", "linear", "log"}));
  command->add_flag("--script", flags->script, "Print the gnuplot scripts instead of running them");
  command->add_flag("--force", flags->force, "Replace existing pictures");
  command->footer(
      "A grid in rho and gamma becomes a heat map with the boundary gamma = 1/(1-rho) over it, other "
      "results\n"
      "curves with their certified bands, random keys at several kappa their phase diagram. The names of the "
      "pictures are printed.\n\n"
      "Example: critscale plot results/figures.csv -o results/");
  command->callback([flags, &exit_code] { exit_code = plot(*flags); });
}

}  // namespace critscale::cli
