// NumPy's array files.
#include "critscale/tables/detail/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "critscale/io/detail/input_file.hpp"
#include "critscale/io/detail/npy_format.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/rounding.hpp"

namespace critscale {

NumberArray read_npy(const std::string& path) {
  const auto fail = [&](const std::string& what) { return InputError(fmt::format("{}: {}", path, what)); };
  constexpr std::uint64_t largest = std::uint64_t{256} << 20;
  const std::string bytes = read_whole(path, largest);
  NpyHeader header;
  try {
    header = parse_npy_header(bytes);
  } catch (const InputError& error) {
    throw fail(error.what());
  }
  NumberArray r;
  r.preset = header.descr == "<f8"   ? "fp64"
             : header.descr == "<f4" ? "fp32"
             : header.descr == "<f2" ? "fp16"
                                     : "";
  if (r.preset.empty())
    throw fail(fmt::format("expected numbers of type <f8, <f4 or <f2, found '{}'", header.descr));
  if (header.fortran_order && header.shape.size() > 1)
    throw fail("an array in Fortran order; save it in C order");
  const std::size_t width = header.descr == "<f8" ? 8 : header.descr == "<f4" ? 4 : 2;
  const std::size_t start = header.data_start, found = bytes.size() - start;
  std::uint64_t count = 0;
  if (!header.count(count) || count > found) throw fail("the file is too short");
  if (found != count * width)
    throw fail(fmt::format("{} bytes of numbers expected, {} found", count * width, found));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t pattern = 0;
    std::memcpy(&pattern, bytes.data() + start + i * width, width);
    const BinaryFormat& format = width == 8 ? binary64 : width == 4 ? binary32 : binary16;
    r.values.push_back(as_double(round_to(binary64, from_bits(format, pattern))));
  }
  return r;
}

std::string npy_header(std::string_view descr, std::size_t count) {
  return npy_header(descr, std::array<std::uint64_t, 1>{count});
}

}  // namespace critscale
