// Writing result files whole: beside the target first, then renamed; the cells of CSV results. Uses
// number/errors.hpp and io/csv.hpp.
#pragma once

#include <string>
#include <string_view>

#include "critscale/io/csv.hpp"

namespace critscale::cli {

/// Throws InputError when the file exists and `force` is not set; to be called before any work.
void require_writable(const std::string& path, bool force);
/// Writes the text to `path`.partial and renames it. Throws InputError when that fails.
void write_whole(const std::string& path, std::string_view text);
/// Writes the text to stdout. Throws InputError when that fails (a full disk, a closed pipe).
void write_stdout(std::string_view text);
/// Writes a result to the file asked for, or to stdout where there is none.
void write_result(const std::string& path, std::string_view text);

}  // namespace critscale::cli
