// The streaming writer.
#include "critscale/tables/detail/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "critscale/io/detail/checksum.hpp"
#include "critscale/io/detail/csv.hpp"
#include "critscale/io/detail/output_file.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/tables/detail/reader.hpp"

namespace critscale {

namespace fs = std::filesystem;

namespace {

/// An output file that reports every failure.
class Output {
 public:
  Output(const std::string& path, bool append)
      : path_(path), file_(std::fopen(path.c_str(), append ? "ab" : "wb")) {
    if (!file_) fail();
  }
  ~Output() {
    if (file_) std::fclose(file_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  void flush() {
    if (std::fflush(file_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const { throw InputError(fmt::format("{}: cannot be written", path_)); }
  std::string path_;
  std::FILE* file_;
};

/// Where the records about FILE.partial are.
std::string record_of(const std::string& partial_path) { return partial_path + ".sum"; }

/// What an interrupted run has left.
struct Progress {
  enum class State { none, ours, foreign } state = State::none;
  std::uintmax_t bytes = 0;  ///< up to the end of the last recorded row
  std::size_t rows = 0;
  Checksum checksum;  ///< of those bytes
};

/// What FILE.partial holds for certain: FILE.partial.sum has a line "bytes rows crc64" for every block
/// written.
struct Recorded {
  std::uintmax_t bytes = 0;
  std::size_t rows = 0;
  std::string checksum;
};

/// The last record about bytes that are there; the first that is not whole ends the file.
Recorded last_record(const std::string& path, std::uintmax_t size) {
  Recorded r;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line) && !in.eof();) {
    Recorded next;
    std::istringstream words(line);
    if (!(words >> next.bytes >> next.rows >> next.checksum) || next.bytes > size) break;
    r = std::move(next);
  }
  return r;
}

/// Throws InputError where the rows are not those that were written.
Progress read_partial(const std::string& path, const std::string& head, std::size_t most_rows) {
  Progress r;
  std::ifstream in(path, std::ios::binary);
  if (!in) return r;
  std::string text(head.size(), '\0');
  in.read(text.data(), static_cast<std::streamsize>(head.size()));
  const auto size = static_cast<std::size_t>(in.gcount());
  r.state = head.compare(0, size, text, 0, size) == 0 ? Progress::State::ours : Progress::State::foreign;
  if (r.state == Progress::State::foreign || most_rows == 0) return r;
  const Recorded record = last_record(record_of(path), fs::file_size(path));
  if (record.bytes < head.size()) return r;
  r.checksum.add(head);
  text.resize(std::size_t{1} << 16);
  for (std::uintmax_t rest = record.bytes - head.size(); rest > 0;) {
    in.read(text.data(), static_cast<std::streamsize>(std::min<std::uintmax_t>(rest, text.size())));
    if (in.gcount() == 0) break;
    r.checksum.add(std::string_view(text).substr(0, static_cast<std::size_t>(in.gcount())));
    rest -= static_cast<std::uintmax_t>(in.gcount());
  }
  if (r.checksum.text() != record.checksum || record.rows > most_rows)
    throw InputError(fmt::format("{}: was changed since it was written (--force discards it)", path));
  r.bytes = record.bytes;
  r.rows = record.rows;
  return r;
}

std::string partial(const std::string& path) { return path + ".partial"; }

std::string closing_line(const Checksum& checksum) { return fmt::format("# crc64 {}\n", checksum.text()); }

}  // namespace

void run_in_order(std::size_t blocks, const std::function<std::string(std::size_t)>& make,
                  const std::function<bool(std::string_view)>& take) {
  for (std::size_t i = 0; i < blocks; ++i)
    if (!take(make(i))) return;
}

std::string TableHeader::text() const {
  std::string r;
  for (const std::string& line : about) r += fmt::format("# {}\n", line);
  r += fmt::format("# rows: {}\n", rows);
  if (shard.count > 1) r += fmt::format("# shard: {}/{}\n", shard.index, shard.count);
  std::string names;
  for (const std::string& c : columns) {
    if (!names.empty()) names += ',';
    append_csv_cell(names, c);
  }
  return r + names + "\n";
}

void require_table_writable(const std::string& path, const TableHeader& header, bool force) {
  for (const std::string& p : {path, partial(path), record_of(partial(path))}) require_no_directory(p);
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty() && !fs::is_directory(parent))
    throw InputError(fmt::format("{}: no such directory", parent.string()));
  if (force) return;
  if (fs::is_regular_file(path))
    throw InputError(fmt::format("{}: exists already (--force recomputes it)", path));
  if (read_partial(partial(path), header.text(), 0).state == Progress::State::foreign)
    throw InputError(fmt::format(
        "{}: was begun by another command, case file or version (--force discards it)", partial(path)));
}

std::size_t write_rows(const std::string& path, const TableHeader& header, const BlockWriter& rows,
                       const WriteOptions& options) {
  require_table_writable(path, header, options.force);
  const std::string head = header.text();
  const std::size_t first = header.shard.first(header.rows), end = header.shard.end(header.rows);
  Progress done;
  if (!options.force) done = read_partial(partial(path), head, end - first);
  if (done.bytes > 0) fs::resize_file(partial(path), done.bytes);
  Output out(partial(path), done.bytes > 0);
  Output records(record_of(partial(path)), done.bytes > 0);
  if (done.bytes == 0) {
    out.write(head);
    done.checksum = Checksum().add(head);
    done.bytes = head.size();
  }
  const std::size_t block_rows = std::max<std::size_t>(1, options.block_rows);
  std::size_t complete = done.rows;
  const std::size_t start = first + complete;
  const auto block_end = [&](std::size_t block) { return std::min(end, start + (block + 1) * block_rows); };
  bool stopped = options.progress && !options.progress(complete, end - first);
  if (!stopped && options.begin) options.begin(start);
  if (!stopped)
    options.run((end - start + block_rows - 1) / block_rows,
                [&](std::size_t block) { return rows(start + block * block_rows, block_end(block)); },
                [&](std::string_view text) {
                  out.write(text);
                  out.flush();
                  done.checksum.add(text);
                  done.bytes += text.size();
                  complete = std::min(end - first, complete + block_rows);
                  records.write(fmt::format("{} {} {}\n", done.bytes, complete, done.checksum.text()));
                  records.flush();
                  stopped = options.progress && !options.progress(complete, end - first);
                  return !stopped;
                });
  if (complete == end - first) {
    out.write(closing_line(done.checksum));
    out.flush();
  }
  return complete;
}

void finish(const std::string& path, bool force) {
  publish(partial(path), path, force);
  std::error_code error;
  fs::remove(record_of(partial(path)), error);
}

namespace {

struct Part {
  std::string path;
  std::vector<std::string> about;  ///< without the shard line
  std::vector<std::string> columns;
  std::size_t rows = 0;
  Shard shard;
};

std::size_t count_after(std::string_view text, const std::string& path) {
  std::size_t v = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || v > (std::size_t{1} << 40))
      throw InputError(fmt::format("{}: '{}' is not a count", path, text));
    v = 10 * v + static_cast<std::size_t>(c - '0');
  }
  return v;
}

Part read_part(const std::string& path) {
  const TableReader reader(path);
  Part r{path, {}, reader.columns(), 0, {}};
  const auto shard = reader.about("shard"), rows = reader.about("rows");
  if (!shard || !rows || shard->find('/') == std::string::npos)
    throw InputError(fmt::format("{}: not a shard of a table (no '# shard: i/k' line)", path));
  r.rows = count_after(*rows, path);
  const std::size_t slash = shard->find('/');
  r.shard = {count_after(shard->substr(0, slash), path), count_after(shard->substr(slash + 1), path)};
  if (r.shard.index < 1 || r.shard.index > r.shard.count)
    throw InputError(fmt::format("{}: '{}' is not a shard", path, *shard));
  for (const std::string& line : reader.about())
    if (!line.starts_with("shard: ") && !line.starts_with("rows: ")) r.about.push_back(line);
  return r;
}

/// The parts in order of their number; every number once.
std::vector<Part> ordered_parts(const std::vector<std::string>& paths) {
  if (paths.empty()) throw InputError("no shard to merge");
  std::vector<Part> read;
  for (const std::string& path : paths) read.push_back(read_part(path));
  const std::size_t count = read[0].shard.count;
  std::vector<Part> r(std::min(count, paths.size()));
  for (Part& p : read) {
    if (p.about != read[0].about || p.columns != read[0].columns || p.rows != read[0].rows ||
        p.shard.count != count)
      throw InputError(fmt::format("{}: is a shard of another table than {}", p.path, paths[0]));
    if (p.shard.index <= r.size() && !r[p.shard.index - 1].path.empty())
      throw InputError(fmt::format("{}: shard {}/{} is given twice", p.path, p.shard.index, count));
    if (p.shard.index <= r.size()) r[p.shard.index - 1] = p;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (i >= r.size() || r[i].path.empty())
      throw InputError(fmt::format("shard {}/{} is missing", i + 1, count));
  return r;
}

}  // namespace

void merge_shards(const std::vector<std::string>& paths, const std::string& path) {
  const std::vector<Part> parts = ordered_parts(paths);
  const std::string head = TableHeader{parts[0].about, parts[0].columns, parts[0].rows, {}}.text();
  Checksum checksum;
  checksum.add(head);
  Output out(partial(path), false);
  out.write(head);
  for (const Part& p : parts) {
    TableReader reader(p.path);
    std::string line;
    while (reader.next_line(line)) {
      line += '\n';
      out.write(line);
      checksum.add(line);
    }
    const std::size_t expected = p.shard.end(p.rows) - p.shard.first(p.rows);
    if (reader.rows() != expected)
      throw InputError(fmt::format("{}: {} rows expected, {} found", p.path, expected, reader.rows()));
  }
  out.write(closing_line(checksum));
  out.flush();
}

}  // namespace critscale
