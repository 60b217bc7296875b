// Token files.
#include "critscale/tokens/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "critscale/io/npy_format.hpp"
#include "critscale/io/zip.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

struct ArrayLayout {
  std::size_t n, d, width;
  bool fortran_order, swapped;
};

/// Checks a header against the number of bytes that follow it.
ArrayLayout layout_of(const NpyHeader& h, std::uint64_t bytes) {
  const bool known = h.descr.size() == 3 &&
                     std::string_view("<>=").find(h.descr[0]) != std::string_view::npos &&
                     h.descr[1] == 'f' && (h.descr[2] == '4' || h.descr[2] == '8');
  if (!known)
    throw InputError(
        fmt::format("expected numbers of type float32 or float64, found {}", npy_type_name(h.descr)));
  std::string shape;
  for (const std::uint64_t size : h.shape) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size);
  if (h.shape.size() != 2)
    throw InputError(
        fmt::format("expected an array of two dimensions, tokens and coordinates, found ({})", shape));
  const std::size_t width = h.descr[2] == '8' ? 8 : 4;
  std::uint64_t count = 0;
  const bool countable = h.count(count);
  if (!countable || count > max_token_entries)
    throw InputError(
        fmt::format("an array of ({}) numbers is too large: at most {} are read", shape, max_token_entries));
  if (count * width != bytes)
    throw InputError(fmt::format("the header says ({}) numbers, {} bytes; the file has {} bytes of numbers",
                                 shape, count * width, bytes));
  const bool big = h.descr[0] == '>';
  return {h.shape[0], h.shape[1], width, h.fortran_order,
          h.descr[0] != '=' && big != (std::endian::native == std::endian::big)};
}

template <class Word, class Float>
double read_number(const char* bytes, bool swapped) {
  std::array<char, sizeof(Word)> word{};
  std::copy_n(bytes, sizeof(Word), word.begin());
  if (swapped) std::reverse(word.begin(), word.end());
  return static_cast<double>(std::bit_cast<Float>(word));
}

TokenSet tokens_of(const ArrayLayout& a, const char* bytes) {
  std::vector<double> entries(a.n * a.d);
  for (std::size_t i = 0; i < a.n; ++i)
    for (std::size_t k = 0; k < a.d; ++k) {
      const char* at = bytes + a.width * (a.fortran_order ? k * a.n + i : i * a.d + k);
      entries[i * a.d + k] = a.width == 8 ? read_number<std::uint64_t, double>(at, a.swapped)
                                          : read_number<std::uint32_t, float>(at, a.swapped);
    }
  return TokenSet(a.n, a.d, std::move(entries));
}

std::string first_bytes(std::ifstream& in, std::size_t count) {
  std::string r(count, '\0');
  in.read(r.data(), static_cast<std::streamsize>(count));
  r.resize(static_cast<std::size_t>(in.gcount()));
  return r;
}

TokenSet read_npy_tokens(const std::string& path) {
  const std::uint64_t size = std::filesystem::file_size(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("cannot be read");
  const std::string head = first_bytes(in, std::min<std::uint64_t>(size, npy_header_limit + 12));
  const NpyHeader h = parse_npy_header(head);
  const ArrayLayout a = layout_of(h, size - h.data_start);
  std::string data(a.n * a.d * a.width, '\0');
  in.clear();
  in.seekg(static_cast<std::streamoff>(h.data_start));
  in.read(data.data(), static_cast<std::streamsize>(data.size()));
  if (!in) throw InputError("cannot be read to its end");
  return tokens_of(a, data.data());
}

TokenSet read_npz_tokens(const std::string& path, const std::string& wanted) {
  const std::vector<ZipMember> members = zip_members(path);
  std::string names;
  const ZipMember* found = nullptr;
  for (const ZipMember& m : members) {
    const std::string name = m.name.ends_with(".npy") ? m.name.substr(0, m.name.size() - 4) : m.name;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", in_quotes(name));
    if (name == wanted || m.name == wanted) found = &m;
  }
  if (members.empty()) throw InputError("the archive has no arrays");
  if (wanted.empty() && members.size() == 1) found = &members[0];
  if (!found && wanted.empty())
    throw InputError(fmt::format("several arrays: {}; choose one with FILE.npz:NAME", names));
  if (!found) throw InputError(fmt::format("no array {}; it has {}", in_quotes(wanted), names));
  const std::string bytes = read_zip_member(path, *found, 8 * max_token_entries + npy_header_limit);
  const NpyHeader h = parse_npy_header(std::string_view(bytes).substr(0, npy_header_limit + 12));
  return tokens_of(layout_of(h, bytes.size() - h.data_start), bytes.data() + h.data_start);
}

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = s.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view{}
                                         : s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> r;
  const bool commas = line.find(',') != std::string_view::npos;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t end = line.find_first_of(commas ? "," : " \t", at);
    if (end == std::string_view::npos) end = line.size();
    if (commas || end > at) r.push_back(trimmed(line.substr(at, end - at)));
    at = end + 1;
  }
  return r;
}

/// The double that is exactly x.
std::optional<double> exact_double(const Rational& x) {
  const double v = static_cast<double>(x);
  if (std::isfinite(v) && Dyadic::exactly(v).to_rational() == x) return v;
  return std::nullopt;
}

/// The number of a cell; a sign + is allowed in front.
Rational read_cell(std::string_view cell) {
  const Rational x =
      parse_rational(cell.starts_with('+') && cell.size() > 1 && cell[1] != '-' ? cell.substr(1) : cell);
  // 1e1000000 is short to write and long to keep.
  constexpr unsigned most_bits = 20000;
  if (x != 0 && (msb(Integer(abs(numerator(x)))) > most_bits || msb(denominator(x)) > most_bits))
    throw InputError(fmt::format("{} needs more than {} bits", in_quotes(cell), most_bits));
  return x;
}

TokenSet read_text_tokens(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw InputError("cannot be read");
  std::vector<Rational> entries;
  std::size_t n = 0, d = 0, line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) continue;
    const std::vector<std::string_view> cells = cells_of(text);
    if (n == 0) d = cells.size();
    if (cells.size() != d)
      throw InputError(
          fmt::format("line {}: {} numbers, but {} in the first row", line_number, cells.size(), d));
    if (entries.size() + d > max_token_entries)
      throw InputError(fmt::format("more than {} numbers", max_token_entries));
    for (std::size_t k = 0; k < d; ++k) try {
        entries.push_back(read_cell(cells[k]));
      } catch (const InputError& error) {
        throw InputError(fmt::format("line {}, column {}: {}", line_number, k + 1, error.what()));
      }
    ++n;
  }
  if (n == 0) throw InputError("no numbers");
  std::vector<double> doubles;
  for (const Rational& x : entries) {
    const std::optional<double> v = exact_double(x);
    if (!v) return TokenSet(n, d, std::move(entries));
    doubles.push_back(*v);
  }
  return TokenSet(n, d, std::move(doubles));
}

/// "a.npz:x" is array x of a.npz, unless a file has that name.
std::pair<std::string, std::string> split_name(const std::string& path) {
  const std::size_t colon = path.rfind(".npz:");
  if (colon == std::string::npos || std::filesystem::exists(path)) return {path, ""};
  return {path.substr(0, colon + 4), path.substr(colon + 5)};
}

}  // namespace

TokenSet read_tokens(const std::string& path) {
  const auto [file, array] = split_name(path);
  try {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) throw InputError("no such file");
    if (std::filesystem::is_directory(status)) throw InputError("is a directory");
    if (!std::filesystem::is_regular_file(status)) throw InputError("is not a regular file");
    if (file.ends_with(".npy")) return read_npy_tokens(file);
    if (file.ends_with(".npz")) return read_npz_tokens(file, array);
    return read_text_tokens(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

std::string npy_bytes(const TokenSet& tokens) {
  const std::array<std::uint64_t, 2> shape{tokens.n(), tokens.d()};
  std::string r = npy_header("'<f8'", shape);
  r.reserve(r.size() + 8 * tokens.doubles().size());
  for (const double x : tokens.doubles()) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (int byte = 0; byte < 8; ++byte) r += static_cast<char>(bits >> (8 * byte) & 255);
  }
  return r;
}

}  // namespace critscale
