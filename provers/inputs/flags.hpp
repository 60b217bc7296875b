// The flags that several commands share [results], bound to a Specification. Uses CLI11 (in the
// .cpp only).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grids/specification.hpp"
#include "jobs/parallel.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace critscale::cli {

/// Adds an option whose every occurrence takes exactly one text, which is kept as it is (boxes such
/// as [1/3,1/2] included); repeated it makes a list.
CLI::Option* add_text_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& description);

/// Adds an option of names: repeated or with commas between them it makes a list.
CLI::Option* add_name_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& description);

/// An integer in a range. Throws InputError that names the place.
long read_count(const Text& text, long lowest, long highest);

enum class Format { text, json, csv, latex };

/// --digits, --max-bits, --threads and --time-limit.
class RunFlags {
 public:
  void add(CLI::App& command, const std::string& digits_description, const std::string& limit_description);
  /// `otherwise` gives the texts of flags that were not given, by their keys (max_bits). Throws InputError.
  RunOptions read(const std::function<std::optional<Text>(const char* key)>& otherwise = {}) const;

 private:
  std::string digits_, max_bits_, threads_, time_limit_;
};

/// text for a name that is none of the others.
Format format_by_name(std::string_view name);

/// The shared flags of the commands that evaluate configurations: a case file or parameters, and
/// how to run. Lives as long as the command's callback.
class SharedFlags {
 public:
  /// Adds the flags to a command.
  explicit SharedFlags(CLI::App& command, bool with_latex = false);
  /// Adds --tokens, whose files become the key `tokens`.
  void add_tokens(CLI::App& command);

  /// The specifications asked for: the case file's tables, or one made of the flags. Throws
  /// InputError when both are given, or neither where that is not allowed.
  std::vector<Specification> specifications(bool may_be_empty = false) const;
  /// Options for one specification: its keys, overridden by flags that were given.
  RunOptions run_options(const Specification& s) const;
  Format format() const;
  const std::string& output() const { return output_; }
  bool force() const { return force_; }
  /// Whether results are to be a list, also a single one.
  bool list() const { return list_; }
  /// The case file's path; empty where parameters are given.
  const std::string& case_file() const { return case_file_; }

 private:
  CLI::App& command_;
  std::string case_file_, output_, format_ = "text", geometry_, seed_;
  std::vector<std::string> rho_, n_, tokens_, gamma_, gamma_ratio_, beta_, alpha_, q_, d_, bands_,
      quantities_;
  RunFlags run_;
  bool analytic_ = false, force_ = false, list_ = false;
};

}  // namespace critscale::cli
