// Reading table files row by row. Uses csv.hpp, checksum.hpp and number/errors.hpp.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "critscale/io/detail/checksum.hpp"

namespace critscale {

/// A CSV file read once from front to end.
class TableReader {
 public:
  /// Reads the `#` lines and the column names. With `checked` the file must end in its checksum
  /// line; a file without one (another program's CSV) is read with `checked` false. Throws
  /// InputError that names the file.
  explicit TableReader(std::string path, bool checked = true);

  /// The lines before the column names, without "# ".
  const std::vector<std::string>& about() const { return about_; }
  /// The text after "key: " of the line that starts so.
  std::optional<std::string> about(std::string_view key) const;
  const std::vector<std::string>& columns() const { return columns_; }
  std::optional<std::size_t> column(std::string_view name) const;

  /// The next row into `line` (without newline) or false after the last. At the end a checked
  /// table's checksum and number of rows are compared; throws InputError when they do not fit.
  bool next_line(std::string& line);
  /// The next row's cells; throws InputError when there are not as many as columns.
  bool next(std::vector<std::string>& cells);
  /// Rows read so far.
  std::size_t rows() const { return rows_; }

 private:
  /// The next line of at most 64 MiB of valid UTF-8.
  bool take_line(std::string& line);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  bool checked_, endless_ = false;
  std::uint64_t bytes_ = 0;
  std::ifstream in_;
  std::vector<std::string> about_, columns_;
  std::unordered_map<std::string_view, std::size_t> positions_;  ///< of the column names
  std::size_t rows_ = 0, line_number_ = 0;
  Checksum checksum_;
};

}  // namespace critscale
