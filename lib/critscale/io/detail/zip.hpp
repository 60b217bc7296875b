// Reading members of a zip archive, as NumPy's .npz files are. Uses libzip (in the .cpp only).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace critscale {

/// A file inside an archive.
struct ZipMember {
  std::string name;
  std::uint64_t size = 0, compressed_size = 0;
  std::uint64_t index = 0;  ///< its place in the directory
};

/// The members that the archive's directory lists. Throws InputError for anything but a whole zip archive.
std::vector<ZipMember> zip_members(const std::string& path);

/// A member's bytes, checked against its size and checksum. Throws InputError for encryption, a way of
/// compressing that is not read, damage, and a size above `limit` or above what its compressed bytes can
/// hold (before any memory is taken for it).
std::string read_zip_member(const std::string& path, const ZipMember& member, std::uint64_t limit);

/// The first `count` bytes of a member, or all where it has fewer; their checksum is not known, and no memory
/// is taken for the rest.
std::string read_zip_start(const std::string& path, const ZipMember& member, std::uint64_t count);

}  // namespace critscale
