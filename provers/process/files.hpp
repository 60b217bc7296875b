// Where results go: a file written whole, or stdout; messages to stderr. Uses io/output_file.hpp and
// io/csv.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "critscale/io/detail/csv.hpp"
#include "critscale/io/detail/output_file.hpp"

namespace critscale::cli {

/// The file, whose .partial an interruption removes where it is empty.
OutputFile opened(const std::string& path, bool force, OutputFile::Kind kind = OutputFile::Kind::whole);

/// The file that -o names, or stdout where it names none. Made before any work: throws InputError as
/// OutputFile does.
class Output {
 public:
  Output(const std::string& path, bool force) {
    if (!path.empty()) file_.emplace(opened(path, force));
  }
  /// Writes the whole result. Throws InputError when that fails.
  void write(std::string_view text);

 private:
  std::optional<OutputFile> file_;
};

/// Writes a file whole, in the place of what is there. Throws InputError when that fails.
void write_whole(const std::string& path, std::string_view text);
/// Writes the text to stdout. Throws InputError when that fails (a full disk, a closed pipe).
void write_stdout(std::string_view text);
/// Writes to stderr; where that is closed or full nothing can be said.
void say(std::string_view text);
/// --quiet: no progress is shown.
void be_quiet();
bool is_quiet();

}  // namespace critscale::cli
