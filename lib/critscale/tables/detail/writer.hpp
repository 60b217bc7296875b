// The streaming writer of tables: rows in order, computed in parallel, in memory that does not
// grow with their number, resumable after a kill. Uses csv.hpp, checksum.hpp and number/errors.hpp.
//
// A table is CSV: lines that start with `#`, the line of column names, one line a row, and a last
// line `# crc64 ...` over everything before it. While it is written it is FILE.partial.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace critscale {

/// Runs make(0), make(1), ... make(blocks - 1), in any order and on any number of threads, and
/// hands the results to take in order of the index; stops early when take returns false. Keeps
/// only a bounded number of results.
using OrderedRun = std::function<void(std::size_t blocks, const std::function<std::string(std::size_t)>& make,
                                      const std::function<bool(std::string_view)>& take)>;

/// One after the other in the calling thread.
void run_in_order(std::size_t blocks, const std::function<std::string(std::size_t)>& make,
                  const std::function<bool(std::string_view)>& take);

/// Part `index` of `count` of a table, 1-based: a contiguous run of rows.
struct Shard {
  std::size_t index = 1, count = 1;
  std::size_t first(std::size_t rows) const { return part(rows, index - 1); }
  std::size_t end(std::size_t rows) const { return part(rows, index); }

 private:
  std::size_t part(std::size_t rows, std::size_t i) const {
    return rows / count * i + rows % count * i / count;
  }
};

/// What a table says about itself.
struct TableHeader {
  /// Lines without "# ": what was computed, by which versions. No newlines.
  std::vector<std::string> about;
  std::vector<std::string> columns;
  /// Rows of the whole table.
  std::size_t rows = 0;
  Shard shard;

  /// The head of the file, up to and with the column names.
  std::string text() const;
};

struct WriteOptions {
  /// Discard what exists.
  bool force = false;
  OrderedRun run = run_in_order;
  /// Called before `run` with the row its first block begins at.
  std::function<void(std::size_t first)> begin;
  /// Called after each block with the rows that are complete; writing stops when it returns false.
  std::function<bool(std::size_t complete, std::size_t rows)> progress;
  /// Rows of one block, which is what an interruption loses: by default enough that handing it over costs
  /// nothing, few enough to stay in a cache.
  std::size_t block_rows = 256;
};

/// Refuses by InputError: an existing complete file, a directory, a missing parent folder, and a
/// FILE.partial that another command has begun. To be called before any work.
void require_table_writable(const std::string& path, const TableHeader& header, bool force);

/// How a block of rows [first, end) is written as CSV lines, each with its newline. Called from
/// several threads at once.
using BlockWriter = std::function<std::string(std::size_t first, std::size_t end)>;

/// Writes the table's rows to `path`.partial, from where an interrupted run of the same command stopped,
/// and closes it with its checksum. `path`.partial.sum records the checksum after every block: what is not
/// recorded is computed again. The bytes depend on header and rows alone. Returns how many of the shard's
/// rows are complete: all of them, unless `progress` stopped it. Throws InputError when a file cannot be
/// written, and when recorded rows have been changed.
std::size_t write_rows(const std::string& path, const TableHeader& header, const BlockWriter& rows,
                       const WriteOptions& options);

/// Joins the complete shards of one table, in any order, to the file that an undivided run writes.
/// Throws InputError that names what does not fit: a damaged file, other headers, a shard that is
/// missing or given twice.
void merge_shards(const std::vector<std::string>& parts, const std::string& path);

/// Publishes `path`.partial as `path` (see io/output_file.hpp) and removes its records. Throws InputError.
void finish(const std::string& path, bool force = true);

}  // namespace critscale
