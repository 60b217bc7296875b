// Reading files that others wrote, up to a stated size, also where they have no end. Uses number/errors.hpp.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

namespace critscale {

/// The bytes of a file, a FIFO or a device. Throws InputError "PATH: ..." for what is not there, a directory,
/// what cannot be read and more than `most_bytes`, without taking memory for more.
std::string read_whole(const std::string& path, std::uint64_t most_bytes);

/// "1 GiB", "64 MiB", "100 bytes".
std::string bytes_text(std::uint64_t bytes);

/// std::getline that stops at `most_bytes`: throws InputError("a line of more than ...").
bool read_line(std::istream& in, std::string& line, std::size_t most_bytes);

/// The first byte that does not belong to valid UTF-8, counted from 0; npos where all is valid.
std::size_t invalid_utf8(std::string_view text);

/// Throws InputError("PATH:LINE: not valid UTF-8 at byte B of the line").
void require_utf8(std::string_view text, const std::string& path);

}  // namespace critscale
