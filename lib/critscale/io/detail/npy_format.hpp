// The header of NumPy's array files, versions 1.0, 2.0 and 3.0. Uses errors.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace critscale {

/// What the header says of the array that follows it.
struct NpyHeader {
  /// The type as NumPy writes it: "<f8"; for a structured type its description, "[('x', '<f8')]".
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  /// Where the numbers begin, counted from the beginning of the file.
  std::size_t data_start = 0;

  /// The number of items, or nothing where it passes 2^64.
  bool count(std::uint64_t& items) const;
};

/// The most bytes a header may have; headers of arrays without a huge structured type have far fewer.
inline constexpr std::size_t npy_header_limit = std::size_t{1} << 20;

/// Reads a header from the first bytes of a file (all of them, or npy_header_limit). Throws InputError that
/// says what is wrong: not a .npy file, an unknown version, a file that ends within its header, a malformed
/// header.
NpyHeader parse_npy_header(std::string_view bytes);

/// The header, version 1.0, of an array in C order; the numbers start at a multiple of 64. `descr` is a
/// quoted text or a list. Version 2.0 where the header is too long for version 1.0.
std::string npy_header(std::string_view descr, std::span<const std::uint64_t> shape);

/// "float64", "int32", "complex128", "object", ... for a type such as "<f8"; the type itself where it has no
/// such name.
std::string npy_type_name(std::string_view descr);

}  // namespace critscale
