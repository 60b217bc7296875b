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
#include <span>
#include <string_view>

#include "critscale/io/detail/input_file.hpp"
#include "critscale/io/detail/npy_format.hpp"
#include "critscale/io/detail/zip.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

struct ArrayLayout {
  std::size_t n, d, width;
  char kind;  ///< f, i or u
  bool fortran_order, swapped;
};

/// Checks a header against the number of bytes that follow it.
ArrayLayout layout_of(const NpyHeader& h, std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 11> types{"f2", "f4", "f8", "i1", "i2", "i4",
                                                          "i8", "u1", "u2", "u4", "u8"};
  const bool known = h.descr.size() == 3 &&
                     std::string_view("<>=|").find(h.descr[0]) != std::string_view::npos &&
                     std::find(types.begin(), types.end(), h.descr.substr(1)) != types.end();
  if (!known)
    throw InputError(fmt::format(
        "expected numbers of type float16, float32, float64 or integers of 8 to 64 bits, found {}",
        npy_type_name(h.descr)));
  std::string shape;
  for (const std::uint64_t size : h.shape) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size);
  if (h.shape.size() != 2)
    throw InputError(
        fmt::format("expected an array of two dimensions, tokens and coordinates, found ({})", shape));
  const auto width = static_cast<std::size_t>(h.descr[2] - '0');
  std::uint64_t count = 0;
  const bool countable = h.count(count);
  if (!countable || count > max_token_entries)
    throw InputError(
        fmt::format("an array of ({}) numbers is too large: at most {} are read", shape, max_token_entries));
  if (count * width != bytes)
    throw InputError(fmt::format("the header says ({}) numbers, {} bytes; the file has {} bytes of numbers",
                                 shape, count * width, bytes));
  const bool big = h.descr[0] == '>';
  const bool native = h.descr[0] == '=' || h.descr[0] == '|';
  return {h.shape[0], h.shape[1],      width,
          h.descr[1], h.fortran_order, !native && big != (std::endian::native == std::endian::big)};
}

/// The bits of a number, in its lowest bytes.
std::uint64_t read_bits(const char* bytes, std::size_t width, bool swapped) {
  std::uint64_t r = 0;
  const bool big = swapped != (std::endian::native == std::endian::big);
  for (std::size_t k = 0; k < width; ++k)
    r |= std::uint64_t{static_cast<unsigned char>(bytes[k])} << (8 * (big ? width - 1 - k : k));
  return r;
}

/// The value of a float16, which every double holds.
double half(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  double v = exponent == 0    ? std::ldexp(fraction, -24)
             : exponent == 31 ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                              : std::ldexp(1024 + fraction, exponent - 25);
  return (bits >> 15 & 1) != 0 ? -v : v;
}

/// The integer of `width` bytes in two's complement.
std::int64_t sign_extended(std::uint64_t bits, std::size_t width) {
  const auto shift = static_cast<unsigned>(64 - 8 * width);
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

TokenSet tokens_of(const ArrayLayout& a, const char* bytes) {
  std::vector<double> entries(a.n * a.d);
  const auto bits_at = [&](std::size_t i, std::size_t k) {
    return read_bits(bytes + a.width * (a.fortran_order ? k * a.n + i : i * a.d + k), a.width, a.swapped);
  };
  bool exact = true;
  for (std::size_t i = 0; i < a.n; ++i)
    for (std::size_t k = 0; k < a.d; ++k) {
      const std::uint64_t bits = bits_at(i, k);
      double& v = entries[i * a.d + k];
      if (a.kind == 'f') {
        v = a.width == 8   ? std::bit_cast<double>(bits)
            : a.width == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                           : half(bits);
        continue;
      }
      const std::int64_t x = sign_extended(bits, a.width);
      constexpr std::int64_t all_held = std::int64_t{1} << 53;
      v = a.kind == 'u' ? static_cast<double>(bits) : static_cast<double>(x);
      exact = exact && (a.kind == 'u' ? bits <= static_cast<std::uint64_t>(all_held)
                                      : x >= -all_held && x <= all_held);
    }
  if (exact) return TokenSet(a.n, a.d, std::move(entries));
  std::vector<Rational> integers;
  integers.reserve(a.n * a.d);
  for (std::size_t i = 0; i < a.n; ++i)
    for (std::size_t k = 0; k < a.d; ++k) {
      const std::uint64_t bits = bits_at(i, k);
      integers.emplace_back(a.kind == 'u' ? Integer(bits) : Integer(sign_extended(bits, a.width)));
    }
  return TokenSet(a.n, a.d, std::move(integers));
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
  // The header first: a member that is not the array it says is never unpacked.
  const NpyHeader start = parse_npy_header(read_zip_start(path, *found, npy_header_limit + 12));
  layout_of(start, found->size - start.data_start);
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

/// The cells between commas, or between blanks.
std::vector<std::string_view> cells_of(std::string_view line, bool commas) {
  std::vector<std::string_view> r;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t end = line.find_first_of(commas ? "," : " \t", at);
    if (end == std::string_view::npos) end = line.size();
    if (commas || end > at) r.push_back(trimmed(line.substr(at, end - at)));
    at = end + 1;
  }
  return r;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  return cells_of(line, line.find(',') != std::string_view::npos);
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

/// Lines of a text file, with the first few looked at in advance.
class Lines {
 public:
  explicit Lines(const std::string& path) : in_(path) {
    if (!in_) throw InputError("cannot be read");
  }
  /// The next line, without blanks around it; false after the last.
  bool next(std::string& line) {
    ++number_;
    if (!ahead_.empty()) {
      line = std::move(ahead_.front());
      ahead_.erase(ahead_.begin());
      return true;
    }
    return take(line);
  }
  /// The line after `count` others, empty after the last.
  std::string peek(std::size_t count) {
    for (std::string line; ahead_.size() <= count && take(line);) ahead_.push_back(line);
    return count < ahead_.size() ? ahead_[count] : "";
  }
  std::size_t number() const { return number_; }

 private:
  bool take(std::string& line) {
    constexpr std::size_t longest = std::size_t{64} << 20;
    if (!read_line(in_, line, longest)) return false;
    line = std::string(trimmed(line));
    return true;
  }
  std::ifstream in_;
  std::vector<std::string> ahead_;
  std::size_t number_ = 0;
};

bool is_count(std::string_view cell) {
  constexpr std::size_t longest = 10;
  return !cell.empty() && cell.size() <= longest && cell.find_first_not_of("0123456789") == cell.npos;
}

/// Whether a cell is a word beyond doubt: a number that is misspelt must not be taken for one.
bool is_word(std::string_view cell) {
  if (cell.empty()) return false;
  std::string lower(cell);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const std::string_view special : {"nan", "inf", "infinity"})
    if (lower == special) return false;
  return (lower[0] >= 'a' && lower[0] <= 'z') || lower[0] == '<' ||
         static_cast<unsigned char>(lower[0]) >= 128;
}

/// How a file of word vectors is laid out: a line "n d" or none, then lines of a word and d numbers.
struct WordLayout {
  bool has_header;
  std::size_t n, d;
};

/// Nothing where the lines hold numbers alone. `words` says that the file's name means words.
std::optional<WordLayout> word_layout(Lines& lines, bool words) {
  const std::string first = lines.peek(0), second = lines.peek(1);
  const std::vector<std::string_view> a = cells_of(first, false), b = cells_of(second, false);
  if (a.size() == 2 && is_count(a[0]) && is_count(a[1])) {
    const std::size_t n = std::stoull(std::string(a[0])), d = std::stoull(std::string(a[1]));
    if (b.size() >= d + 1 && d > 0 && (words || is_word(b[0]))) return WordLayout{true, n, d};
  }
  if (a.size() >= 2 && (words || (first.find(',') == std::string::npos && is_word(a[0]))))
    return WordLayout{false, 0, a.size() - 1};
  return std::nullopt;
}

/// Collects rows of numbers.
class Rows {
 public:
  void add(std::span<const std::string_view> cells, std::size_t line) {
    if (n_ == 0) d_ = cells.size();
    if (cells.size() != d_)
      throw InputError(fmt::format("line {}: {} numbers, but {} in the first row", line, cells.size(), d_));
    if (entries_.size() + d_ > max_token_entries)
      throw InputError(fmt::format("more than {} numbers", max_token_entries));
    for (std::size_t k = 0; k < d_; ++k) try {
        entries_.push_back(read_cell(cells[k]));
      } catch (const InputError& error) {
        throw InputError(fmt::format("line {}, column {}: {}", line, k + 1, error.what()));
      }
    ++n_;
  }
  std::size_t n() const { return n_; }
  TokenSet tokens() {
    if (n_ == 0) throw InputError("no numbers");
    std::vector<double> doubles;
    for (const Rational& x : entries_) {
      const std::optional<double> v = exact_double(x);
      if (!v) return TokenSet(n_, d_, std::move(entries_));
      doubles.push_back(*v);
    }
    return TokenSet(n_, d_, std::move(doubles));
  }

 private:
  std::vector<Rational> entries_;
  std::size_t n_ = 0, d_ = 0;
};

/// The words may be anything, also with blanks in them: the last d cells are the numbers.
TokenSet read_word_vectors(Lines& lines, const WordLayout& layout) {
  Rows rows;
  std::string line;
  if (layout.has_header) lines.next(line);
  while (lines.next(line)) {
    if (line.empty()) continue;
    const std::vector<std::string_view> cells = cells_of(line, false);
    if (cells.size() < layout.d + 1)
      throw InputError(fmt::format("line {}: expected a word and {} numbers, found {} cells", lines.number(),
                                   layout.d, cells.size()));
    rows.add(std::span(cells).last(layout.d), lines.number());
  }
  if (layout.has_header && rows.n() != layout.n)
    throw InputError(fmt::format("the first line says {} vectors, the file has {}", layout.n, rows.n()));
  return rows.tokens();
}

TokenSet read_text_tokens(const std::string& path) {
  Lines lines(path);
  const bool vec = path.ends_with(".vec");
  if (vec || path.ends_with(".txt"))
    if (const auto layout = word_layout(lines, vec)) return read_word_vectors(lines, *layout);
  Rows rows;
  for (std::string line; lines.next(line);) {
    if (line.empty() || line.starts_with('#')) continue;
    rows.add(cells_of(line), lines.number());
  }
  return rows.tokens();
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
