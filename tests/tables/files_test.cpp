// Table files: the checksum, CSV cells, the streaming writer, shards.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "critscale/io/detail/checksum.hpp"
#include "critscale/io/detail/csv.hpp"
#include "critscale/number/errors.hpp"
#include "critscale/tables/detail/reader.hpp"
#include "critscale/tables/detail/writer.hpp"
#include "scratch.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

TableHeader header(std::size_t rows, Shard shard = {}) {
  return {{"about", "why"}, {"id", "x"}, rows, shard};
}

std::string row(std::size_t i) { return "row" + std::to_string(i) + "," + std::to_string(i * i) + "\n"; }

std::string rows(std::size_t first, std::size_t end) {
  std::string r;
  for (std::size_t i = first; i < end; ++i) r += row(i);
  return r;
}

std::string written(const std::string& path, const TableHeader& h, const WriteOptions& options = {}) {
  write_rows(path, h, rows, options);
  finish(path);
  return read_file(path);
}

}  // namespace

TEST_CASE("CRC-64/XZ has its published check value and sees any damaged byte") {
  CHECK(Checksum().add("123456789").text() == "995dc9bbdf1939fa");
  CHECK(Checksum().add("12345").add("6789").text() == "995dc9bbdf1939fa");
  std::mt19937 random(1);
  const std::string text = rows(0, 100);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    REQUIRE(Checksum().add(damaged).value() != Checksum().add(text).value());
  }
}

TEST_CASE("CSV cells survive a round trip") {
  for (const std::string text : {"", "a", "a,b", "\"", "[1/3,1/2]", "a\"b\"", ",,"})
    CHECK(split_csv(csv_cell(text) + "," + csv_cell("z")) == std::vector<std::string>{text, "z"});
  CHECK_THROWS_AS(split_csv("\"a"), InputError);
  CHECK_THROWS_AS(split_csv("a\"b\""), InputError);
  CHECK_THROWS_AS(split_csv("\"a\"b"), InputError);
}

TEST_CASE("a table is closed by its checksum and read back") {
  const std::string path = scratch("table") + "/a.csv";
  const std::string text = written(path, header(1000));
  CHECK(text.find("# rows: 1000\nid,x\nrow0,0\n") != std::string::npos);
  TableReader reader(path);
  CHECK(reader.about("rows") == "1000");
  std::vector<std::string> cells;
  std::size_t count = 0;
  while (reader.next(cells)) REQUIRE(cells[0] == "row" + std::to_string(count++));
  CHECK(count == 1000);
}

TEST_CASE("damage and truncation of a table are detected") {
  const std::string path = scratch("damage") + "/a.csv";
  const std::string text = written(path, header(20));
  const auto read_all = [&] {
    TableReader reader(path);
    std::vector<std::string> cells;
    while (reader.next(cells)) {
    }
  };
  read_all();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] ^= 1;
    write_file(path, damaged);
    CAPTURE(i);
    REQUIRE_THROWS_AS(read_all(), InputError);
    if (i + 1 == text.size()) break;  // without its last newline a table is still whole
    write_file(path, text.substr(0, i));
    REQUIRE_THROWS_AS(read_all(), InputError);
  }
}

namespace {

/// A table of 600 rows that was stopped after 400, in blocks of 10 rows.
void write_interrupted(const std::string& path) {
  WriteOptions options;
  options.block_rows = 10;
  options.progress = [](std::size_t complete, std::size_t) { return complete < 400; };
  REQUIRE(write_rows(path, header(600), rows, options) == 400);
}

}  // namespace

TEST_CASE("an interrupted table is resumed to the same bytes, wherever it was cut") {
  const std::string folder = scratch("resume"), path = folder + "/cut.csv";
  const std::string whole = written(folder + "/whole.csv", header(600));
  write_interrupted(path);
  const std::string left = read_file(path + ".partial"), records = read_file(path + ".partial.sum");
  const auto resume = [&](const std::string& text, const std::string& sums) {
    std::filesystem::remove(path);
    write_file(path + ".partial", text);
    write_file(path + ".partial.sum", sums);
    REQUIRE(written(path, header(600)) == whole);
    REQUIRE_FALSE(std::filesystem::exists(path + ".partial.sum"));
  };
  for (std::size_t cut = 0; cut <= left.size(); cut += 97) resume(left.substr(0, cut), records);
  for (std::size_t cut = 0; cut <= records.size(); cut += 97) resume(left, records.substr(0, cut));
  resume(left + "row400,1", records);  // killed while it wrote
  // What is there is kept, not computed again.
  std::filesystem::remove(path);
  write_interrupted(path);
  std::size_t first = 0;
  write_rows(path, header(600),
             [&](std::size_t from, std::size_t end) {
               if (first == 0) first = from;
               return rows(from, end);
             },
             {});
  CHECK(first == 400);
}

TEST_CASE("an interrupted table that was changed is not resumed") {
  const std::string path = scratch("changed") + "/a.csv";
  write_interrupted(path);
  const std::string left = read_file(path + ".partial");
  const auto refused = [&](const std::string& text) {
    write_file(path + ".partial", text);
    CHECK_THROWS_WITH(write_rows(path, header(600), rows, {}),
                      Catch::Contains("was changed since it was written"));
    CHECK(read_file(path + ".partial") == text);
  };
  const std::size_t line = left.find("row77,"), next = left.find("row78,");
  std::string other = left;
  other[line + 6] = other[line + 6] == '1' ? '2' : '1';
  refused(other);
  refused(left.substr(0, line) + left.substr(line, next - line) + left.substr(line));  // a row twice
  refused(left.substr(0, line) + "garbage\n" + left.substr(line));
}

TEST_CASE("what another command has begun, or what is complete, is not touched without force") {
  const std::string path = scratch("foreign") + "/a.csv";
  write_file(path + ".partial", header(600).text() + rows(0, 7));
  CHECK_THROWS_AS(write_rows(path, header(601), rows, {}), InputError);
  WriteOptions force;
  force.force = true;
  const std::string text = written(path, header(601), force);
  CHECK(text.find("# rows: 601") != std::string::npos);
  CHECK_THROWS_AS(write_rows(path, header(601), rows, {}), InputError);
  CHECK(written(path, header(601), force) == text);
  CHECK_THROWS_AS(write_rows("/nowhere/a.csv", header(1), rows, {}), InputError);
}

TEST_CASE("writing stops when progress says so, and goes on later") {
  const std::string path = scratch("stop") + "/a.csv";
  WriteOptions stopping;
  stopping.progress = [](std::size_t complete, std::size_t) { return complete < 300; };
  const std::size_t complete = write_rows(path, header(2000), rows, stopping);
  CHECK(complete >= 300);
  CHECK(complete < 2000);
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(written(path, header(2000)) == written(scratch("stop2") + "/b.csv", header(2000)));
}

TEST_CASE("shards of any number merge to the undivided table") {
  const std::string folder = scratch("shards");
  const std::string whole = written(folder + "/whole.csv", header(101));
  for (std::size_t count : {2ul, 3ul, 7ul, 150ul}) {
    std::vector<std::string> parts;
    for (std::size_t i = count; i >= 1; --i) {
      parts.push_back(folder + "/" + std::to_string(i) + ".csv");
      WriteOptions force;
      force.force = true;
      written(parts.back(), header(101, {i, count}), force);
    }
    merge_shards(parts, folder + "/merged.csv");
    finish(folder + "/merged.csv");
    REQUIRE(read_file(folder + "/merged.csv") == whole);
  }
}

TEST_CASE("a merge names what is missing, given twice or damaged") {
  const std::string folder = scratch("merge");
  const auto part = [&](std::size_t i, std::size_t rows_of_table) {
    const std::string path = folder + "/" + std::to_string(i) + "-" + std::to_string(rows_of_table) + ".csv";
    written(path, header(rows_of_table, {i, 3}));
    return path;
  };
  const std::string a = part(1, 50), b = part(2, 50), c = part(3, 50), other = part(3, 51);
  const std::string merged = folder + "/m.csv";
  CHECK_THROWS_WITH(merge_shards({a, b}, merged), Catch::Contains("shard 3/3 is missing"));
  CHECK_THROWS_WITH(merge_shards({a, b, b, c}, merged), Catch::Contains("given twice"));
  CHECK_THROWS_WITH(merge_shards({a, b, other}, merged), Catch::Contains("another table"));
  std::string text = read_file(b);
  text[text.size() / 2] ^= 1;
  write_file(b, text);
  CHECK_THROWS_AS(merge_shards({a, b, c}, merged), InputError);
}
