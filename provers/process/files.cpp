// Writing results and messages.
#include "process/files.hpp"

#include <cstdio>

#include "critscale/number/errors.hpp"
#include "process/interrupt.hpp"

namespace critscale::cli {

OutputFile opened(const std::string& path, bool force, OutputFile::Kind kind) {
  OutputFile file(path, force, kind);
  if (!file.partial().empty()) remove_empty_when_interrupted(file.partial());
  return file;
}

void Output::write(std::string_view text) {
  if (file_)
    file_->write(text);
  else
    write_stdout(text);
}

void write_whole(const std::string& path, std::string_view text) { OutputFile(path, true).write(text); }

void write_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw InputError("standard output cannot be written");
}

namespace {
bool quiet = false;
}  // namespace

void be_quiet() { quiet = true; }

bool is_quiet() { return quiet; }

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace critscale::cli
