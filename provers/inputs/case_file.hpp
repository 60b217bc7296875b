// Reading case files (TOML): defaults at the top, then [[case]] and [[claim]] tables. Uses toml++
// (in the .cpp only).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grids/specification.hpp"

namespace critscale::cli {

struct CaseFile {
  std::vector<Specification> cases;
  std::vector<Specification> claims;
};

/// Reads a case file; the defaults are already filled in. Exact numbers are strings (or TOML
/// integers); lists, ranges { from, to, steps } and boxes { box = [lo, hi] } as in [case-files].
/// Throws InputError that names the file, the line, the key, what was found and what is allowed.
CaseFile read_case_file(const std::string& path);

}  // namespace critscale::cli
