// Reading one member of a zip archive, as NumPy's .npz files are. Uses zlib (in the .cpp only).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace critscale {

/// A file inside an archive.
struct ZipMember {
  std::string name;
  std::uint64_t size = 0, compressed_size = 0, offset = 0;
  std::uint32_t crc = 0;
  int method = 0;  ///< 0 stored, 8 deflated
  bool encrypted = false;
};

/// The members that the archive's directory lists. Throws InputError for anything but a whole zip archive.
std::vector<ZipMember> zip_members(const std::string& path);

/// A member's bytes, checked against its size and checksum. Throws InputError for a method that is neither
/// stored nor deflated, encryption, damage, and a size above `limit` or above what its compressed bytes can
/// hold (before any memory is taken for it).
std::string read_zip_member(const std::string& path, const ZipMember& member, std::uint64_t limit);

/// The first `count` bytes of a member, or all where it has fewer; their checksum is not known, and no memory
/// is taken for the rest.
std::string read_zip_start(const std::string& path, const ZipMember& member, std::uint64_t count);

}  // namespace critscale
