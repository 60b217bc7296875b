// Reading arrays: formats to doubles, exactly.
#include "critscale/tokens/arrays.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "critscale/io/detail/npy_format.hpp"
#include "critscale/io/detail/zip.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/tokens/files.hpp"

namespace critscale {

namespace {

/// binary16: sign, five bits of exponent, ten of fraction.
double half_value(std::uint64_t bits) {
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<double>(bits & 1023);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

/// The upper half of a binary32.
double bfloat_value(std::uint64_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16)));
}

double value_of(std::string_view type, std::uint64_t bits) {
  if (type == "f8") return std::bit_cast<double>(bits);
  if (type == "f4") return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (type == "f2") return half_value(bits);
  if (type == "u2") return bfloat_value(bits);
  return bits == 0 ? 0 : 1;
}

/// The letter and width of a type that is read here.
std::string_view known_type(const NpyHeader& h, bool bfloat16) {
  const std::string_view d = h.descr;
  if (d == "|b1" || d == "?") return "b1";
  const std::string_view type =
      d.size() == 3 && std::string_view("<>=|").find(d[0]) != std::string_view::npos ? d.substr(1) : "";
  if (type == "u2" && !bfloat16)
    throw InputError("uint16 holds bfloat16 patterns only where --bfloat16 says so");
  for (const std::string_view known : {"f8", "f4", "f2", "u2"})
    if (type == known) return known;
  throw InputError(fmt::format("expected float64, float32, float16{}, found {}",
                               bfloat16 ? " or uint16 (bfloat16)" : "", npy_type_name(h.descr)));
}

/// The array whose header is `h` and whose numbers are `data`.
StoredArray array_of(const NpyHeader& h, std::string_view data, bool bfloat16) {
  const std::string_view type = known_type(h, bfloat16);
  const auto width = static_cast<std::size_t>(type[1] - '0');
  std::uint64_t count = 0;
  if (!h.count(count) || count > max_token_entries)
    throw InputError(fmt::format("an array of {} numbers is too large: at most {} are read",
                                 shape_text(h.shape), max_token_entries));
  if (count * width != data.size())
    throw InputError(fmt::format("the header says {} numbers, {} bytes; the file has {} bytes of numbers",
                                 shape_text(h.shape), count * width, data.size()));
  const bool swapped = h.descr[0] == '>';
  StoredArray r{h.shape, std::vector<double>(count), type == "b1"};
  for (std::size_t at = 0; at < count; ++at) {
    // Fortran order: the first index varies fastest.
    std::size_t from = at;
    if (h.fortran_order) {
      from = 0;
      std::size_t rest = at, stride = count;
      for (std::size_t axis = h.shape.size(); axis-- > 0;) {
        stride /= h.shape[axis];
        from += rest % h.shape[axis] * stride;
        rest /= h.shape[axis];
      }
    }
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < width; ++byte) {
      const std::size_t place = swapped ? byte : width - 1 - byte;
      bits = bits << 8 | static_cast<unsigned char>(data[from * width + place]);
    }
    r.entries[at] = value_of(type, bits);
  }
  return r;
}

std::string whole_file(const std::string& path) {
  if (!std::filesystem::exists(path)) throw InputError("no such file");
  if (!std::filesystem::is_regular_file(path)) throw InputError("is not a regular file");
  const std::uint64_t size = std::filesystem::file_size(path);
  if (size > 8 * max_token_entries + npy_header_limit)
    throw InputError(
        fmt::format("{} bytes are too many: at most {} numbers are read", size, max_token_entries));
  std::ifstream in(path, std::ios::binary);
  std::string r(size, '\0');
  in.read(r.data(), static_cast<std::streamsize>(size));
  if (!in) throw InputError("cannot be read to its end");
  return r;
}

std::string zipped(const std::string& path, const std::string& wanted) {
  std::string names;
  const std::vector<ZipMember> members = zip_members(path);
  const ZipMember* found = nullptr;
  for (const ZipMember& m : members) {
    const std::string name = m.name.ends_with(".npy") ? m.name.substr(0, m.name.size() - 4) : m.name;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", in_quotes(name));
    if (name == wanted || (wanted.empty() && members.size() == 1)) found = &m;
  }
  if (!found)
    throw InputError(wanted.empty() ? fmt::format("choose one array with FILE.npz:NAME; it has {}", names)
                                    : fmt::format("no array {}; it has {}", in_quotes(wanted), names));
  return read_zip_member(path, *found, 8 * max_token_entries + npy_header_limit);
}

}  // namespace

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string r;
  for (const std::uint64_t size : shape) r += fmt::format("{}{}", r.empty() ? "" : ", ", size);
  return fmt::format("({})", r);
}

StoredArray read_array(const std::string& path, bool bfloat16) {
  try {
    const std::size_t colon = path.rfind(".npz:");
    const bool named = colon != std::string::npos && !std::filesystem::exists(path);
    const std::string file = named ? path.substr(0, colon + 4) : path;
    if (!file.ends_with(".npy") && !file.ends_with(".npz")) throw InputError("expected a .npy or .npz file");
    const std::string bytes =
        file.ends_with(".npy") ? whole_file(file) : zipped(file, named ? path.substr(colon + 5) : "");
    const std::string_view all = bytes;
    const NpyHeader h = parse_npy_header(all.substr(0, npy_header_limit + 12));
    return array_of(h, all.substr(h.data_start), bfloat16);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace critscale
