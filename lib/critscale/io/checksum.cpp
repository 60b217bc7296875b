// CRC-64/XZ. The state is kept reflected and inverted, as the standard defines it.
#include "critscale/io/detail/checksum.hpp"

#include <fmt/format.h>

#include <array>

namespace critscale {

namespace {

/// The ECMA-182 polynomial, reflected.
constexpr std::uint64_t polynomial = 0xC96C5795D7870F42;

constexpr std::array<std::uint64_t, 256> remainders = [] {
  std::array<std::uint64_t, 256> r{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t v = byte;
    for (int bit = 0; bit < 8; ++bit) v = (v >> 1) ^ ((v & 1) != 0 ? polynomial : 0);
    r[byte] = v;
  }
  return r;
}();

}  // namespace

Checksum& Checksum::add(std::string_view bytes) {
  for (const char c : bytes)
    state_ = remainders[(state_ ^ static_cast<unsigned char>(c)) & 255] ^ (state_ >> 8);
  return *this;
}

std::string Checksum::text() const { return fmt::format("{:016x}", value()); }

}  // namespace critscale
