// Another implementation's values, from a file or from a running program. Uses lib/critscale/tables
// and nlohmann/json (in the .cpp only).
#pragma once

#include <string>
#include <vector>

#include "critscale/tables/compare.hpp"

namespace critscale::cli {

/// Reads a candidate from CSV (a column `id` and one a label, or LABEL.value or LABEL.binary32 and the
/// like), JSON (rows {"id", "value"} or {"id", LABEL: ...}, also under "results") or .npy (numbers in
/// the table's order). A .npy sets `preset` by its type where that is empty. Throws InputError.
Candidate read_candidate(const std::string& path, const std::vector<ReferenceRow>& rows, std::string& preset);

/// The JSON line that asks for a row: {"id", "op", "inputs"}.
std::string question_line(const ReferenceRow& row);

struct ClientLimits {
  double seconds = 600;
  std::size_t bytes_per_row = 65536, bytes_per_value = 64;
};

/// Runs `command` in a shell, asks for every row on its stdin and reads {"id", "value"} lines from
/// its stdout. Throws LimitError at a limit (the program is ended), InputError for a line that is
/// not an answer.
Candidate run_client(const std::string& command, const std::vector<ReferenceRow>& rows,
                     const ClientLimits& limits);

}  // namespace critscale::cli
