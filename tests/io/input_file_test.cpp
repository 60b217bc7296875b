// Reading up to a size; lines; UTF-8.
#include "critscale/io/detail/input_file.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

#include "critscale/io/detail/json.hpp"
#include "critscale/number/errors.hpp"
#include "scratch.hpp"

namespace critscale::test {

using Catch::Matchers::EndsWith;

TEST_CASE("files are read up to a stated size, also those without end") {
  const std::string path = scratch("read-whole") + "/a";
  write_file(path, std::string("a\0b\n", 4));
  CHECK(read_whole(path, 4) == std::string("a\0b\n", 4));
  CHECK_THROWS_WITH(read_whole(path, 3), EndsWith("a: more than 3 bytes are not read"));
  CHECK_THROWS_WITH(read_whole("/dev/zero", 1 << 20), "/dev/zero: more than 1 MiB are not read");
  CHECK(read_whole("/dev/null", 0).empty());
  CHECK_THROWS_WITH(read_whole(path + "/b", 4), EndsWith("no such file"));
  CHECK_THROWS_WITH(read_whole("/", 4), "/: is a directory");
}

TEST_CASE("lines are those of std::getline, up to a stated length") {
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("a"), std::string("a\n"), std::string("\n\nb"),
        std::string(4095, 'x') + "\n", std::string(4095, 'x') + "\ny", std::string(4096, 'x') + "\ny\n",
        std::string(8190, 'x'), std::string(8191, 'x') + "\n", std::string("a\0b\nc", 5)}) {
    INFO("text of " << text.size());
    std::istringstream ours(text), theirs(text);
    std::string line, expected;
    while (std::getline(theirs, expected)) {
      REQUIRE(read_line(ours, line, 10000));
      CHECK(line == expected);
      CHECK(ours.eof() == theirs.eof());
    }
    CHECK_FALSE(read_line(ours, line, 10000));
  }
  std::istringstream long_line(std::string(10001, 'x') + "\n");
  std::string line;
  CHECK_THROWS_WITH(read_line(long_line, line, 10000), "a line of more than 10000 bytes");
}

TEST_CASE("every text that is not UTF-8 is found, and no other") {
  // Decoded anew, by the definition: the shortest form of a scalar value.
  const auto is_valid = [](const std::string& s) {
    std::size_t i = 0;
    while (i < s.size()) {
      bool found = false;
      for (std::size_t length = 1; length <= 4 && i + length <= s.size() && !found; ++length) {
        const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[i + k]); };
        std::uint32_t v = byte(0);
        if (length == 1 && v >= 0x80) continue;
        if (length > 1 && (v >> (7 - length)) != (0xffu >> (7 - length) & ~1u)) continue;
        if (length > 1) v &= 0x7fu >> length;
        bool whole = true;
        for (std::size_t k = 1; k < length; ++k) {
          whole = whole && (byte(k) & 0xc0) == 0x80;
          v = v << 6 | (byte(k) & 0x3fu);
        }
        const std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (!whole || v < least[length] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000)) continue;
        i += length;
        found = true;
      }
      if (!found) return false;
    }
    return true;
  };
  // All pairs of bytes, and all starts of longer forms with ends at their borders.
  std::size_t valid = 0;
  const int borders[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b)
      for (const int c : borders)
        for (const int d : borders)
          for (std::size_t size = 1; size <= 4; ++size) {
            const std::string all{static_cast<char>(a), static_cast<char>(b), static_cast<char>(c),
                                  static_cast<char>(d)};
            const std::string s = all.substr(0, size);
            const bool ours = invalid_utf8(s) == std::string::npos;
            valid += ours ? 1 : 0;
            if (ours != is_valid(s)) {
              CAPTURE(a, b, c, d, size);
              REQUIRE(ours == is_valid(s));
            }
          }
  CHECK(valid > 1000000);
  CHECK_THROWS_WITH(require_utf8("ab\nc\xff", "F"), "F:2: not valid UTF-8 at byte 2 of the line");
  CHECK_NOTHROW(require_utf8("\xf0\x9f\x99\x82", "F"));
}

TEST_CASE("JSON with many values is refused before it is read") {
  CHECK_NOTHROW(require_shallow_json("[1,2,3]", 5));
  CHECK_THROWS_WITH(require_shallow_json("[1,2,3,4,5]", 5), "JSON of more than 5 values");
  CHECK_THROWS_WITH(require_shallow_json("[[],[],[]]", 5), "JSON of more than 5 values");
  CHECK_NOTHROW(require_shallow_json("[\",,,,,,,,,,[[[[[\"]", 5));
}

}  // namespace critscale::test
