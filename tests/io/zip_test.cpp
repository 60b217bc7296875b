// Zip archives: members come back as they were, and what is damaged, hostile or unreadable is refused before
// it takes memory.
#include <catch2/catch.hpp>

#include "critscale/io/detail/zip.hpp"
#include "critscale/number/errors.hpp"
#include "io/zip_archive.hpp"
#include "scratch.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

constexpr std::uint64_t plenty = 1 << 24;

struct Stored {
  explicit Stored(const std::string& bytes) : path(scratch("zip") + "/a.zip") { write_file(path, bytes); }
  std::string path;
};

std::string refusal(const std::string& bytes, std::uint64_t limit = plenty) {
  const Stored file(bytes);
  try {
    for (const ZipMember& m : zip_members(file.path)) read_zip_member(file.path, m, limit);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the members of an archive come back, stored and deflated") {
  const std::string text = "some bytes, some bytes, some bytes", zeros(100000, '\0');
  for (const bool deflated : {false, true}) {
    const Stored file(zip_archive({{"a", text}, {"folder/b", zeros}, {"empty", ""}}, deflated));
    const std::vector<ZipMember> members = zip_members(file.path);
    REQUIRE(members.size() == 3);
    CHECK(members[1].name == "folder/b");
    CHECK(members[1].size == zeros.size());
    CHECK(read_zip_member(file.path, members[0], plenty) == text);
    CHECK(read_zip_member(file.path, members[1], plenty) == zeros);
    CHECK(read_zip_member(file.path, members[2], plenty).empty());
    CHECK(read_zip_start(file.path, members[0], 10) == text.substr(0, 10));
    CHECK(read_zip_start(file.path, members[0], 1000) == text);
    CHECK(read_zip_start(file.path, members[2], 10).empty());
  }
}

TEST_CASE("damage anywhere in an archive is refused or leaves its bytes as they were") {
  const std::string text = "0123456789, 0123456789, 0123456789, 0123456789";
  for (const bool deflated : {false, true}) {
    const std::string archive = zip_archive({{"a", text}}, deflated);
    for (std::size_t i = 0; i < archive.size(); ++i)
      for (const char flip : {'\x01', '\x80', '\xff'}) {
        std::string damaged = archive;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        const Stored file(damaged);
        try {
          for (const ZipMember& m : zip_members(file.path)) {
            INFO("byte " << i);
            const std::string bytes = read_zip_member(file.path, m, plenty);
            CHECK(bytes == text);
          }
        } catch (const InputError&) {
        }
      }
    for (std::size_t length = 0; length < archive.size(); ++length)
      CHECK(refusal(archive.substr(0, length)).starts_with("not a whole zip archive: "));
  }
}

TEST_CASE("sizes in a directory are not believed") {
  std::string archive = zip_archive({{"a", std::string(1000, 'a')}}, true);
  const std::size_t directory = archive.find("PK\x01\x02"), header = 0;
  CHECK(refusal(archive, 999) == "'a' has 1000 bytes; at most 999 are read");
  for (const std::size_t size : {999ul, 1001ul, 900000000ul})
    for (const bool both : {false, true}) {
      std::string lying = archive;
      lying.replace(directory + 24, 4, little_endian(size, 4));
      if (both) lying.replace(header + 22, 4, little_endian(size, 4));
      INFO(size << " " << both);
      CHECK(refusal(lying, std::uint64_t{1} << 40).starts_with("not a whole zip archive: "));
    }
  archive.replace(directory + 10, 2, little_endian(12, 2));
  archive.replace(header + 8, 2, little_endian(12, 2));
  CHECK(refusal(archive) == "'a' is compressed by method 12; stored and deflated members are read");
}
