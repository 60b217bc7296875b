// The checksum of tables and certificates, against damage. Uses nothing of ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace critscale {

/// CRC-64/XZ over text given piece by piece: it changes with any damage of up to 64 bits in a row.
class Checksum {
 public:
  Checksum& add(std::string_view bytes);
  std::uint64_t value() const { return state_ ^ ~std::uint64_t{0}; }
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t state_ = ~std::uint64_t{0};
};

}  // namespace critscale
