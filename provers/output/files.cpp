// Writing result files whole.
#include "output/files.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "critscale/number/errors.hpp"

namespace critscale::cli {

void require_writable(const std::string& path, bool force) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw InputError(fmt::format("{}: is a directory", path));
  if (std::filesystem::exists(status) && !force)
    throw InputError(fmt::format("{}: exists already (--force replaces it)", path));
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty() && !std::filesystem::is_directory(parent))
    throw InputError(fmt::format("{}: no such directory", parent.string()));
}

void write_whole(const std::string& path, std::string_view text) {
  const std::string partial = path + ".partial";
  {
    std::ofstream out(partial, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.flush();
    if (!out) throw InputError(fmt::format("{}: cannot be written", partial));
  }
  std::error_code error;
  std::filesystem::rename(partial, path, error);
  if (error) throw InputError(fmt::format("{}: {}", path, error.message()));
}

void write_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw InputError("standard output cannot be written");
}

void write_result(const std::string& path, std::string_view text) {
  if (path.empty())
    write_stdout(text);
  else
    write_whole(path, text);
}

}  // namespace critscale::cli
