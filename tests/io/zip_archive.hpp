// Zip archives written byte by byte, for tests of the reader.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// The lowest `width` bytes of v, the lowest first.
inline std::string little_endian(std::size_t v, int width) {
  std::string r;
  for (int i = 0; i < width; ++i) r += static_cast<char>(v >> (8 * i) & 255U);
  return r;
}

inline std::string deflated_bytes(const std::string& bytes) {
  std::string packed(bytes.size() + 1000, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// An archive of members (name, bytes), deflated or stored.
inline std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& members,
                               bool deflated) {
  std::string r, directory;
  for (const auto& [name, bytes] : members) {
    const std::string packed = deflated ? deflated_bytes(bytes) : bytes;
    const std::size_t crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const auto u16 = [](std::size_t v) { return little_endian(v, 2); };
    const auto u32 = [](std::size_t v) { return little_endian(v, 4); };
    const std::string common = u16(20) + u16(0) + u16(deflated ? 8 : 0) + u32(0) + u32(crc) +
                               u32(packed.size()) + u32(bytes.size()) + u16(name.size()) + u16(0);
    directory += "PK\x01\x02" + u16(20) + common + u16(0) + u16(0) + u16(0) + u32(0) + u32(r.size()) + name;
    r += "PK\x03\x04" + common + name + packed;
  }
  const std::size_t offset = r.size();
  return r + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(members.size(), 2) +
         little_endian(members.size(), 2) + little_endian(directory.size(), 4) + little_endian(offset, 4) +
         little_endian(0, 2);
}
