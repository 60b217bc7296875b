// Foreign rows as a table whose checksum fits, so that what lies behind it is reached.
#pragma once

#include <string>
#include <string_view>

#include "critscale/io/detail/checksum.hpp"

namespace fuzz {

inline std::string with_checksum(std::string_view rows) {
  std::string table(rows);
  if (table.empty() || table.back() != '\n') table += '\n';
  return table + "# crc64 " + critscale::Checksum().add(table).text() + "\n";
}

}  // namespace fuzz
