// Files written whole: what is replaced, what is written through, what is refused.
#include "critscale/io/detail/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <future>
#include <thread>

#include "critscale/number/errors.hpp"
#include "scratch.hpp"

namespace critscale::test {

namespace fs = std::filesystem;
using Catch::Matchers::EndsWith;

TEST_CASE("a file appears whole and leaves nothing beside it") {
  const std::string folder = scratch("output-whole"), path = folder + "/a";
  {
    OutputFile file(path, false);
    CHECK(fs::exists(path + ".partial"));
    CHECK_FALSE(fs::exists(path));
    file.write("text");
  }
  CHECK(read_file(path) == "text");
  CHECK_FALSE(fs::exists(path + ".partial"));
  CHECK_THROWS_WITH(OutputFile(path, false), EndsWith("exists already (--force replaces it)"));
  { const OutputFile unused(folder + "/b", false); }
  CHECK(fs::is_empty(folder) == false);
  CHECK_FALSE(fs::exists(folder + "/b.partial"));
}

TEST_CASE("what is replaced keeps its permissions") {
  const std::string path = scratch("output-mode") + "/a";
  write_file(path, "old");
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  OutputFile(path, true).write("new");
  struct stat s {};
  REQUIRE(stat(path.c_str(), &s) == 0);
  CHECK((s.st_mode & 07777) == 0640);
  CHECK(read_file(path) == "new");
}

TEST_CASE("links are followed and stay links") {
  const std::string folder = scratch("output-links");
  write_file(folder + "/target", "old");
  fs::create_symlink("target", folder + "/link");
  fs::create_symlink("link", folder + "/chain");
  OutputFile file(folder + "/chain", true);
  CHECK(fs::path(file.place()).filename() == "target");
  file.write("new");
  CHECK(fs::is_symlink(folder + "/chain"));
  CHECK(fs::is_symlink(folder + "/link"));
  CHECK(read_file(folder + "/target") == "new");
  fs::create_symlink("absent", folder + "/dangling");
  OutputFile(folder + "/dangling", false).write("made");
  CHECK(fs::is_symlink(folder + "/dangling"));
  CHECK(read_file(folder + "/absent") == "made");
  fs::create_symlink("loop", folder + "/loop");
  CHECK_THROWS_AS(OutputFile(folder + "/loop", true), InputError);
}

TEST_CASE("devices and FIFOs are written through") {
  OutputFile null("/dev/null", true);
  null.write("gone");
  CHECK(fs::is_character_file("/dev/null"));
  const std::string folder = scratch("output-fifo"), fifo = folder + "/fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  auto reader = std::async(std::launch::async, [&] { return read_file(fifo); });
  OutputFile(fifo, false).write("through");
  CHECK(reader.get() == "through");
  CHECK(fs::is_fifo(fifo));
  // Rows that are collected first are copied at the end.
  write_file(folder + "/rows", "rows");
  auto again = std::async(std::launch::async, [&] { return read_file(fifo); });
  publish(folder + "/rows", fifo, false);
  CHECK(again.get() == "rows");
  CHECK(fs::is_fifo(fifo));
  CHECK_FALSE(fs::exists(folder + "/rows"));
}

TEST_CASE("a second writer is refused, and one after the first is not") {
  const std::string path = scratch("output-lock") + "/a";
  {
    const OutputFile first(path, false);
    CHECK_THROWS_WITH(OutputFile(path, true), EndsWith("another program is writing it"));
    CHECK(fs::exists(path + ".partial"));
  }
  OutputFile(path, false).write("b");
  CHECK(read_file(path) == "b");
}

TEST_CASE("a file that has come into being meanwhile is not replaced") {
  const std::string path = scratch("output-race") + "/a";
  OutputFile file(path, false);
  write_file(path, "theirs");
  CHECK_THROWS_WITH(file.write("ours"), EndsWith("has come into being meanwhile"));
  CHECK(read_file(path) == "theirs");
}

TEST_CASE("what is in the way is named") {
  const std::string folder = scratch("output-way");
  CHECK_THROWS_WITH(OutputFile(folder, true), EndsWith("output-way: is a directory"));
  CHECK_THROWS_WITH(OutputFile(folder + "/no/a", true), EndsWith("/no: no such directory"));
  fs::create_directory(folder + "/a.partial");
  CHECK_THROWS_WITH(OutputFile(folder + "/a", true), EndsWith("/a.partial: is a directory"));
  // A link that somebody has put there is not followed.
  write_file(folder + "/precious", "kept");
  fs::create_symlink("precious", folder + "/b.partial");
  CHECK_THROWS_AS(OutputFile(folder + "/b", true), InputError);
  CHECK(read_file(folder + "/precious") == "kept");
  REQUIRE(mkfifo((folder + "/c.partial").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(OutputFile(folder + "/c", true), EndsWith("is in the way and is not a regular file"));
}

TEST_CASE("of many writers at once one writes") {
  const std::string path = scratch("output-many") + "/a";
  std::vector<std::future<bool>> writers;
  for (int i = 0; i < 16; ++i)
    writers.push_back(std::async(std::launch::async, [&, i] {
      try {
        OutputFile file(path, false);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        file.write(std::string(100000, static_cast<char>('a' + i)));
        return true;
      } catch (const InputError&) {
        return false;
      }
    }));
  int written = 0;
  for (auto& w : writers) written += w.get() ? 1 : 0;
  CHECK(written == 1);
  const std::string text = read_file(path);
  CHECK(text == std::string(100000, text.at(0)));
  CHECK_FALSE(fs::exists(path + ".partial"));
}

}  // namespace critscale::test
