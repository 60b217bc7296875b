// NumPy's array files.
#include "critscale/tables/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>

#include "critscale/number/errors.hpp"
#include "critscale/number/rounding.hpp"

namespace critscale {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// The text after 'key': up to the comma that ends it (a tuple's commas are inside parentheses).
std::string field(const std::string& header, const std::string& key) {
  const std::size_t start = header.find(fmt::format("'{}':", key));
  if (start == std::string::npos) return {};
  std::string r;
  int depth = 0;
  for (std::size_t i = start + key.size() + 3; i < header.size(); ++i) {
    depth += header[i] == '(' ? 1 : header[i] == ')' ? -1 : 0;
    if ((header[i] == ',' && depth == 0) || header[i] == '}') break;
    if (header[i] != ' ') r += header[i];
  }
  return r;
}

}  // namespace

NumberArray read_npy(const std::string& path) {
  const auto fail = [&](const std::string& what) { return InputError(fmt::format("{}: {}", path, what)); };
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail("cannot be read");
  std::ostringstream stream;
  stream << in.rdbuf();
  const std::string bytes = stream.str();
  if (bytes.size() < 12 || bytes.compare(0, 6, magic) != 0) throw fail("not a .npy file");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const bool version1 = byte(6) == 1;
  const std::size_t length =
      version1 ? byte(8) + 256 * byte(9) : byte(8) + 256 * byte(9) + 65536 * byte(10) + 16777216 * byte(11);
  const std::size_t start = (version1 ? 10 : 12) + length;
  if (bytes.size() < start) throw fail("the file ends within its header");
  const std::string header = bytes.substr(version1 ? 10 : 12, length);
  const std::string type = field(header, "descr");
  NumberArray r;
  r.preset = type == "'<f8'" ? "fp64" : type == "'<f4'" ? "fp32" : type == "'<f2'" ? "fp16" : "";
  if (r.preset.empty()) throw fail(fmt::format("expected numbers of type <f8, <f4 or <f2, found {}", type));
  const std::string shape = field(header, "shape");
  if (field(header, "fortran_order") != "False" && shape.find(',') != shape.rfind(','))
    throw fail("an array in Fortran order; save it in C order");
  const std::size_t width = type == "'<f8'" ? 8 : type == "'<f4'" ? 4 : 2;
  std::size_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] >= '0' && shape[i] <= '9') {
      std::size_t v = 0;
      for (; i < shape.size() && shape[i] >= '0' && shape[i] <= '9'; ++i)
        if ((v = 10 * v + static_cast<std::size_t>(shape[i] - '0')) > bytes.size())
          throw fail("the file is too short");
      if (v > 0 && count > bytes.size()) throw fail("the file is too short");
      count *= v;
    }
  if (bytes.size() - start != count * width)
    throw fail(fmt::format("{} bytes of numbers expected, {} found", count * width, bytes.size() - start));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t pattern = 0;
    std::memcpy(&pattern, bytes.data() + start + i * width, width);
    const BinaryFormat& format = width == 8 ? binary64 : width == 4 ? binary32 : binary16;
    r.values.push_back(as_double(round_to(binary64, from_bits(format, pattern))));
  }
  return r;
}

std::string npy_header(std::string_view descr, std::size_t count) {
  std::string dict = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({},), }}", descr, count);
  // The header's length counts the newline; the numbers start at a multiple of 64. Version 2 has 4 bytes for
  // it.
  const std::size_t unpadded = 12 + dict.size() + 1;
  dict.append((64 - unpadded % 64) % 64, ' ');
  dict += '\n';
  std::string r(magic);
  r += std::string_view("\x02\x00", 2);
  for (int shift = 0; shift < 32; shift += 8) r += static_cast<char>(dict.size() >> shift & 255);
  return r + dict;
}

}  // namespace critscale
