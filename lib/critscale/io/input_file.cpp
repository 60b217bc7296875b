// Uses input_file.hpp.
#include "critscale/io/detail/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "critscale/number/errors.hpp"

namespace critscale {

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20, gib = std::uint64_t{1} << 30;
  if (bytes >= gib && bytes % gib == 0) return fmt::format("{} GiB", bytes / gib);
  if (bytes >= mib && bytes % mib == 0) return fmt::format("{} MiB", bytes / mib);
  return fmt::format("{} bytes", bytes);
}

std::string read_whole(const std::string& path, std::uint64_t most_bytes) {
  const auto fail = [&](const std::string& what) { return InputError(fmt::format("{}: {}", path, what)); };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw fail("no such file");
  if (std::filesystem::is_directory(status)) throw fail("is a directory");
  const auto too_large = [&] {
    return fail(fmt::format("more than {} are not read", bytes_text(most_bytes)));
  };
  std::string text;
  if (std::filesystem::is_regular_file(status)) {
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (!error && size > most_bytes) throw too_large();
    if (!error) text.reserve(size);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail("cannot be read");
  std::array<char, 1 << 16> buffer;
  while (in) {
    in.read(buffer.data(), buffer.size());
    const auto count = static_cast<std::size_t>(in.gcount());
    if (count > most_bytes - text.size()) throw too_large();
    text.append(buffer.data(), count);
  }
  if (in.bad() || !in.eof()) throw fail("cannot be read to its end");
  return text;
}

bool read_line(std::istream& in, std::string& line, std::size_t most_bytes) {
  line.clear();
  std::array<char, 4096> buffer;
  for (;;) {
    in.getline(buffer.data(), buffer.size());
    const auto count = static_cast<std::size_t>(in.gcount());
    if (in.bad() || (count == 0 && in.eof() && line.empty())) return false;
    const bool cut = in.fail() && !in.eof();
    // gcount counts the newline that ended the line.
    line.append(buffer.data(), count - (in.eof() || cut ? 0 : 1));
    if (line.size() > most_bytes)
      throw InputError(fmt::format("a line of more than {}", bytes_text(most_bytes)));
    if (!cut) break;
    in.clear();
  }
  // As std::getline leaves it: eof where the last line has no newline, and no failure.
  if (in.eof()) in.clear(std::ios::eofbit);
  return true;
}

std::size_t invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char first = byte(i);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xc2 ? 0
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    if (length == 0 || text.size() - i < length) return i;
    for (std::size_t k = 1; k < length; ++k) {
      // The second byte's range excludes overlong forms, surrogates and what lies beyond U+10FFFF.
      const unsigned lo = k > 1 ? 0x80 : first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
      const unsigned hi = k > 1 ? 0xbf : first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
      if (byte(i + k) < lo || byte(i + k) > hi) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

void require_utf8(std::string_view text, const std::string& path) {
  const std::size_t at = invalid_utf8(text);
  if (at == std::string_view::npos) return;
  const std::string_view before = text.substr(0, at);
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  throw InputError(fmt::format("{}:{}: not valid UTF-8 at byte {} of the line", path,
                               1 + std::count(before.begin(), before.end(), '\n'), at - start + 1));
}

}  // namespace critscale
