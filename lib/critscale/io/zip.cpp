// Zip archives: the directory at the end, then one member (PKWARE's APPNOTE 6.3).
#include "critscale/io/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

namespace {

[[noreturn]] void damaged(const std::string& what) {
  throw InputError(fmt::format("not a whole zip archive: {}", what));
}

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  if (at > bytes.size() || bytes.size() - at < width) damaged("a record ends early");
  std::uint64_t r = 0;
  for (std::size_t i = width; i-- > 0;) r = 256 * r + static_cast<unsigned char>(bytes[at + i]);
  return r;
}

/// `count` bytes of the file from `offset` on.
std::string part(std::ifstream& file, std::uint64_t file_size, std::uint64_t offset, std::uint64_t count) {
  if (offset > file_size || file_size - offset < count) damaged("it ends early");
  std::string r(count, '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(r.data(), static_cast<std::streamsize>(count));
  if (!file) damaged("it cannot be read");
  return r;
}

/// Sizes and the offset of 2^32 - 1 are in the extra field with number 1, in this order.
void read_zip64(std::string_view extra, ZipMember& m) {
  constexpr std::uint64_t elsewhere = 0xFFFFFFFF;
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::size_t length = number(extra, at + 2, 2);
    if (number(extra, at, 2) == 1) {
      std::size_t field = at + 4;
      for (std::uint64_t* v : {&m.size, &m.compressed_size, &m.offset})
        if (*v == elsewhere) {
          *v = number(extra, field, 8);
          field += 8;
        }
      return;
    }
    at += 4 + length;
  }
}

/// What `packed` stands for, `size` bytes; with `start`, more may follow.
std::string inflated(const std::string& packed, std::uint64_t size, bool start = false) {
  std::string r(size, '\0');
  z_stream stream{};
  // Negative: no header of zlib's own.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) damaged("zlib does not start");
  std::uint64_t taken = 0, given = 0;
  int status = Z_OK;
  unsigned char spare = 0;
  while (status == Z_OK) {
    constexpr std::uint64_t step = 1U << 30;
    const auto in = static_cast<uInt>(std::min<std::uint64_t>(step, packed.size() - taken));
    const auto out = static_cast<uInt>(std::min<std::uint64_t>(step, size - given));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = in;
    stream.next_out = out > 0 ? reinterpret_cast<Bytef*>(r.data() + given) : &spare;
    stream.avail_out = out > 0 ? out : 1;
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    if (out == 0 && stream.avail_out == 0) status = Z_DATA_ERROR;
    if (out > 0) given += out - stream.avail_out;
    if (start && given == size) status = Z_STREAM_END;
    if (status == Z_OK && in == stream.avail_in && out == stream.avail_out) status = Z_DATA_ERROR;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || given != size) damaged("a member cannot be decompressed to its size");
  return r;
}

}  // namespace

std::vector<ZipMember> zip_members(const std::string& path) {
  std::error_code error;
  const std::uint64_t file_size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw InputError("cannot be read");
  constexpr std::uint64_t end_record = 22, longest_comment = 65535;
  if (file_size < end_record) damaged("it has no directory");
  const std::uint64_t tail_size = std::min(file_size, end_record + longest_comment);
  const std::string tail = part(file, file_size, file_size - tail_size, tail_size);
  const std::size_t end = tail.rfind("PK\x05\x06");
  if (end == std::string::npos) damaged("it has no directory");
  if (tail.size() - end < end_record || tail.size() - end - end_record != number(tail, end + 20, 2))
    damaged("its directory ends early");
  std::uint64_t count = number(tail, end + 10, 2), size = number(tail, end + 12, 4),
                offset = number(tail, end + 16, 4);
  const std::size_t locator = end >= 20 ? end - 20 : std::string::npos;
  if (locator != std::string::npos && tail.compare(locator, 4, "PK\x06\x07") == 0) {
    const std::string record = part(file, file_size, number(tail, locator + 8, 8), 56);
    if (record.compare(0, 4, "PK\x06\x06") != 0) damaged("its directory is not where it should be");
    count = number(record, 32, 8);
    size = number(record, 40, 8);
    offset = number(record, 48, 8);
  }
  const std::string directory = part(file, file_size, offset, size);
  std::vector<ZipMember> members;
  for (std::size_t at = 0; members.size() < count;) {
    if (directory.compare(std::min(at, directory.size()), 4, "PK\x01\x02") != 0)
      damaged("its directory is malformed");
    ZipMember m;
    m.encrypted = (number(directory, at + 8, 2) & 1) != 0;
    m.method = static_cast<int>(number(directory, at + 10, 2));
    m.crc = static_cast<std::uint32_t>(number(directory, at + 16, 4));
    m.compressed_size = number(directory, at + 20, 4);
    m.size = number(directory, at + 24, 4);
    const std::size_t name = number(directory, at + 28, 2), extra = number(directory, at + 30, 2),
                      comment = number(directory, at + 32, 2);
    m.offset = number(directory, at + 42, 4);
    if (directory.size() - at < 46 + name + extra + comment) damaged("its directory ends early");
    m.name = directory.substr(at + 46, name);
    read_zip64(std::string_view(directory).substr(at + 46 + name, extra), m);
    at += 46 + name + extra + comment;
    members.push_back(std::move(m));
  }
  return members;
}

namespace {

constexpr int stored = 0, deflated = 8;

/// `count` bytes from the member's beginning on, still compressed. Throws InputError for what is not read.
std::string packed_bytes(const std::string& path, const ZipMember& m, std::uint64_t count) {
  if (m.encrypted) throw InputError(fmt::format("{} is encrypted", in_quotes(m.name)));
  if (m.method != stored && m.method != deflated)
    throw InputError(fmt::format("{} is compressed by method {}; stored and deflated members are read",
                                 in_quotes(m.name), m.method));
  // Deflate's codes stand for at most 258 bytes in 2 bits.
  constexpr std::uint64_t most_by_deflate = 1032;
  const std::uint64_t file_size = std::filesystem::file_size(path);
  if (m.compressed_size > file_size || (m.method == stored && m.size != m.compressed_size) ||
      (m.method == deflated && m.size / most_by_deflate > m.compressed_size))
    damaged(fmt::format("{} is said to have {} bytes in {}", in_quotes(m.name), m.size, m.compressed_size));
  std::ifstream file(path, std::ios::binary);
  const std::string header = part(file, file_size, m.offset, 30);
  if (header.compare(0, 4, "PK\x03\x04") != 0) damaged("a member is not where it should be");
  const std::uint64_t start = m.offset + 30 + number(header, 26, 2) + number(header, 28, 2);
  return part(file, file_size, start, count);
}

}  // namespace

std::string read_zip_start(const std::string& path, const ZipMember& m, std::uint64_t count) {
  const std::uint64_t wanted = std::min(m.size, count);
  if (m.method != deflated) return packed_bytes(path, m, wanted);
  // Deflate needs at most a few bytes more than it stands for.
  return inflated(packed_bytes(path, m, std::min(m.compressed_size, wanted + wanted / 16 + 1024)), wanted,
                  true);
}

std::string read_zip_member(const std::string& path, const ZipMember& m, std::uint64_t limit) {
  if (m.size > limit)
    throw InputError(fmt::format("{} has {} bytes; at most {} are read", in_quotes(m.name), m.size, limit));
  std::string bytes = packed_bytes(path, m, m.compressed_size);
  if (m.method == deflated) bytes = inflated(bytes, m.size);
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (crc != m.crc) damaged(fmt::format("the checksum of {} is wrong", in_quotes(m.name)));
  return bytes;
}

}  // namespace critscale
