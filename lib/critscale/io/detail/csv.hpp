// Cells and lines of CSV text (RFC 4180, one line a record). Uses nothing of ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace critscale {

/// One cell, quoted where it must be.
std::string csv_cell(std::string_view text);
/// The same, written at the end of `out`.
void append_csv_cell(std::string& out, std::string_view text);

/// The cells of one line. Throws InputError for a quote that is not closed or stands inside a cell.
std::vector<std::string> split_csv(std::string_view line);

}  // namespace critscale
