// Reading table files.
#include "critscale/tables/detail/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "critscale/io/detail/csv.hpp"
#include "critscale/io/detail/input_file.hpp"
#include "critscale/number/errors.hpp"

namespace critscale {

namespace {

/// A FIFO or a device may have no end.
constexpr std::uint64_t most_of_a_stream = std::uint64_t{1} << 30;

}  // namespace

TableReader::TableReader(std::string path, bool checked)
    : path_(std::move(path)), checked_(checked), in_(path_, std::ios::binary) {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) fail("is a directory");
  endless_ = !std::filesystem::is_regular_file(path_, error);
  if (!in_) fail("cannot be read");
  std::string line;
  while (take_line(line)) {
    checksum_.add(line).add("\n");
    if (!line.empty() && line.back() == '\r' && !checked_) line.pop_back();
    if (line.starts_with("#")) {
      about_.push_back(line.substr(std::min<std::size_t>(2, line.size())));
      continue;
    }
    try {
      columns_ = split_csv(line);
    } catch (const InputError& error) {
      fail(error.what());
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) positions_.try_emplace(columns_[i], i);
    return;
  }
  fail("the file ends before its column names");
}

std::optional<std::string> TableReader::about(std::string_view key) const {
  const std::string start = fmt::format("{}: ", key);
  for (const std::string& line : about_)
    if (line.starts_with(start)) return line.substr(start.size());
  return std::nullopt;
}

std::optional<std::size_t> TableReader::column(std::string_view name) const {
  const auto it = positions_.find(name);
  if (it == positions_.end()) return std::nullopt;
  return it->second;
}

bool TableReader::next_line(std::string& line) {
  if (!take_line(line)) {
    if (checked_) fail("the file ends before its checksum line: it is not complete");
    return false;
  }
  if (line.starts_with("# crc64 ")) {
    const std::string found = line.substr(8);
    if (found != checksum_.text())
      fail(fmt::format("the checksum does not fit: the file is damaged (found {}, computed {})", found,
                       checksum_.text()));
    if (take_line(line)) fail("text stands after the checksum line");
    if (const auto rows = about("rows");
        checked_ && rows && !about("shard") && *rows != fmt::to_string(rows_))
      fail(fmt::format("{} rows are announced, {} found", *rows, rows_));
    return false;
  }
  // The last line of a complete file is the checksum line; a row without its newline was cut.
  if (checked_ && in_.eof()) fail("the file ends within a row: it is not complete");
  checksum_.add(line).add("\n");
  if (!checked_ && !line.empty() && line.back() == '\r') line.pop_back();
  if (!checked_ && line.empty()) return next_line(line);
  ++rows_;
  return true;
}

bool TableReader::next(std::vector<std::string>& cells) {
  std::string line;
  if (!next_line(line)) return false;
  try {
    cells = split_csv(line);
  } catch (const InputError& error) {
    fail(error.what());
  }
  if (cells.size() != columns_.size())
    fail(fmt::format("expected {} cells, found {}", columns_.size(), cells.size()));
  return true;
}

bool TableReader::take_line(std::string& line) {
  constexpr std::size_t longest = std::size_t{64} << 20;
  try {
    if (!read_line(in_, line, longest)) return false;
  } catch (const InputError& error) {
    ++line_number_;
    fail(error.what());
  }
  ++line_number_;
  bytes_ += line.size() + 1;
  if (endless_ && bytes_ > most_of_a_stream)
    fail(fmt::format("more than {} are not read from what is no regular file", bytes_text(most_of_a_stream)));
  if (const std::size_t at = invalid_utf8(line); at != std::string::npos)
    fail(fmt::format("not valid UTF-8 at byte {} of the line", at + 1));
  return true;
}

void TableReader::fail(const std::string& what) const {
  throw InputError(line_number_ == 0 ? fmt::format("{}: {}", path_, what)
                                     : fmt::format("{}:{}: {}", path_, line_number_, what));
}

}  // namespace critscale
