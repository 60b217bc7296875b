// `critscale table`: layout, formats, threads, shards, kill and resume.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "critscale/number/dyadic.hpp"
#include "critscale/tables/detail/reader.hpp"
#include "critscale/text/parse.hpp"
#include "provers/program.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

constexpr const char* cases = R"toml(
n = "10^6"
digits = 20
[[case]]
id = "grid"
why = "a, b"
rho = { from = "1/10", to = "9/10", steps = 30 }
gamma = { from = "1/2", to = "5/2", steps = 40 }
quantities = ["self_weight", "inner_products"]
[[case]]
id = "bands"
band = [{ r = "4/5", size = "n^(1/2)" }, { r = "1/5", size = "n" }]
gamma = ["1/2", "critical"]
quantities = ["band_masses"]
columns = ["value", "hex", "binary16"]
)toml";

std::string case_file(const std::string& folder) {
  write_file(folder + "/cases.toml", cases);
  return folder + "/cases.toml";
}

void require_table(const std::string& arguments) {
  INFO("critscale table " << arguments);
  const Run r = program("table " + arguments);
  INFO(r.err);
  REQUIRE(r.code == 0);
  REQUIRE(r.out.empty());
}

}  // namespace

TEST_CASE("a table has one row a grid point, ids, inputs and columns") {
  const std::string folder = scratch("table");
  require_table(fmt::format("{} -o {}/t.csv", case_file(folder), folder));
  TableReader reader(folder + "/t.csv");
  CHECK(reader.columns() == std::vector<std::string>{"id",
                                                     "why",
                                                     "geometry",
                                                     "rho",
                                                     "n",
                                                     "gamma",
                                                     "alpha",
                                                     "q",
                                                     "d",
                                                     "band[0].r",
                                                     "band[0].size",
                                                     "band[1].r",
                                                     "band[1].size",
                                                     "self_weight.value",
                                                     "self_weight.lo",
                                                     "self_weight.hi",
                                                     "self_weight.binary64",
                                                     "inner_products[0].value",
                                                     "inner_products[0].lo",
                                                     "inner_products[0].hi",
                                                     "inner_products[0].binary64",
                                                     "band_masses[0].value",
                                                     "band_masses[0].hex",
                                                     "band_masses[0].binary16",
                                                     "band_masses[1].value",
                                                     "band_masses[1].hex",
                                                     "band_masses[1].binary16"});
  std::vector<std::string> cells;
  std::vector<std::vector<std::string>> rows;
  while (reader.next(cells)) rows.push_back(cells);
  REQUIRE(rows.size() == 1202);
  CHECK(rows[1][0] == "grid;geometry=simplex;rho=1/10;n=10^6;gamma=43/78;alpha=0;q=1;d=10^6");
  CHECK(rows[1][1] == "a, b");
  CHECK(rows[40][3] == "37/290");
  CHECK(rows[1201][5] == "5/6");
  for (const auto& row : {rows[7], rows[600]}) {
    CHECK(parse_rational(row[14]) <= parse_rational(row[13]));
    CHECK(parse_rational(row[13]) <= parse_rational(row[15]));
  }
  // The values are those of eval.
  const Run eval = program("eval --rho 37/290 --n 10^6 --gamma 1/2 --digits 20 --format json");
  CHECK(json::parse(eval.out)["quantities"]["self_weight"]["value"] == rows[40][13]);
}

TEST_CASE("threads, shards and a kill leave the same bytes") {
  const std::string folder = scratch("same-bytes"), file = case_file(folder);
  require_table(fmt::format("{} -o {}/one.csv --threads 1", file, folder));
  const std::string whole = read_file(folder + "/one.csv");
  require_table(fmt::format("{} -o {}/three.csv --threads 3", file, folder));
  CHECK(read_file(folder + "/three.csv") == whole);
  std::string parts;
  for (int i = 1; i <= 3; ++i) {
    require_table(fmt::format("{} -o {}/part{}.csv --shard {}/3", file, folder, i, i));
    parts = fmt::format("{}/part{}.csv {}", folder, i, parts);
  }
  require_table(fmt::format("--merge {} -o {}/merged.csv", parts, folder));
  CHECK(read_file(folder + "/merged.csv") == whole);
  const Run incomplete =
      program(fmt::format("table --merge {}/part1.csv {}/part3.csv -o {}/m.csv", folder, folder, folder));
  CHECK(incomplete.code == 2);
  CHECK(incomplete.err.find("shard 2/3 is missing") != std::string::npos);
  // Cut anywhere, as a kill leaves it.
  for (const std::size_t cut : {std::size_t{10}, std::size_t{600}, whole.size() / 2, whole.size() - 3}) {
    const std::string path = fmt::format("{}/cut{}.csv", folder, cut);
    write_file(path + ".partial", whole.substr(0, cut));
    require_table(fmt::format("{} -o {}", file, path));
    CHECK(read_file(path) == whole);
    CHECK_FALSE(std::filesystem::exists(path + ".partial"));
  }
}

TEST_CASE("a table whose process is killed is resumed to the same bytes") {
  const std::string folder = scratch("kill");
  write_file(folder + "/cases.toml", R"toml(
n = "10^(10^14)"
digits = 60
[[case]]
rho = { from = "1/10", to = "9/10", steps = 60 }
gamma = { from = "1/2", to = "5/2", steps = 150 }
)toml");
  const std::string file = folder + "/cases.toml";
  require_table(fmt::format("{} -o {}/whole.csv", file, folder));
  const std::string whole = read_file(folder + "/whole.csv");
  for (int i = 0; i < 8; ++i) {
    const std::string path = fmt::format("{}/{}.csv", folder, i);
    // Killed twice at different moments, then left to finish.
    for (const int milliseconds : {30 + 40 * i, 60}) {
      const int status =
          std::system(fmt::format("timeout -s KILL {}.{:03} '{}' table {} -o {} 2>/dev/null",
                                  milliseconds / 1000, milliseconds % 1000, CRITSCALE_PROGRAM, file, path)
                          .c_str());
      CAPTURE(status);
    }
    if (!std::filesystem::exists(path)) require_table(fmt::format("{} -o {}", file, path));
    CHECK(read_file(path) == whole);
    CHECK_FALSE(std::filesystem::exists(path + ".partial"));
  }
}

TEST_CASE("a time limit leaves a partial table that the same command completes") {
  const std::string folder = scratch("limit"), file = case_file(folder);
  const Run r = program(fmt::format("table {} -o {}/t.csv --threads 1 --time-limit 1/1000000", file, folder));
  CHECK(r.code == 3);
  CHECK_FALSE(std::filesystem::exists(folder + "/t.csv"));
  CHECK(std::filesystem::exists(folder + "/t.csv.partial"));
  // Another command refuses to continue it.
  const Run other = program(fmt::format("table {} -o {}/t.csv --digits 21", file, folder));
  CHECK(other.code == 2);
  CHECK(other.err.find("was begun by another command") != std::string::npos);
  require_table(fmt::format("{} -o {}/t.csv", file, folder));
  require_table(fmt::format("{} -o {}/u.csv", file, folder));
  CHECK(read_file(folder + "/t.csv") == read_file(folder + "/u.csv"));
}

namespace {

/// A decimal number such as 1.50e-3 written again from its value: the same digits, the same exponent.
std::string written_again(const std::string& text) {
  const std::size_t e = text.find('e'), end = std::min(e, text.size()), point = text.find('.');
  const std::string exponent = e == std::string::npos ? "" : text.substr(e);
  const std::size_t decimals = point < end ? end - point - 1 : 0;
  const Rational power = parse_rational("1" + exponent);
  Rational scaled = parse_rational(text) / power;
  for (std::size_t i = 0; i < decimals; ++i) scaled *= 10;
  REQUIRE(is_integer(scaled));
  const bool negative = scaled < 0;
  std::string digits = Integer(abs(numerator(scaled))).str();
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  if (decimals > 0) digits.insert(digits.size() - decimals, ".");
  return (negative ? "-" : "") + digits + exponent;
}

}  // namespace

TEST_CASE("a table read as numbers and written again is the same text") {
  const std::string folder = scratch("round-trip");
  write_file(folder + "/cases.toml", R"toml(
digits = 25
columns = ["value", "lo", "hi", "digits", "hex", "binary64", "binary32", "bfloat16", "binary16"]
[[case]]
n = ["10", "10^30", "10^400"]
rho = ["1/10", "1/3"]
gamma = ["1/2", "critical", "3"]
)toml");
  require_table(fmt::format("{}/cases.toml -o {}/t.csv", folder, folder));
  TableReader reader(folder + "/t.csv");
  const std::vector<std::string> columns = reader.columns();
  std::vector<std::string> cells;
  std::size_t compared = 0;
  while (reader.next(cells))
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string kind = columns[c].substr(columns[c].rfind('.') + 1), &text = cells[c];
      CAPTURE(columns[c], text);
      if (text.empty()) continue;
      if (kind == "value" || kind == "lo" || kind == "hi") {
        CHECK(written_again(text) == text);
      } else if (kind == "hex") {
        std::istringstream ends(text);
        for (std::string end; ends >> end;) CHECK(Dyadic::from_hex(end).to_hex() == end);
      } else if (kind.starts_with("b") && columns[c].find('.') != std::string::npos) {
        CHECK(fmt::format("{}", std::strtod(text.c_str(), nullptr)) == text);
      } else {
        continue;
      }
      ++compared;
    }
  CHECK(compared > 1000);
}

TEST_CASE("a table with two rows of the same id is refused") {
  const std::string folder = scratch("same-ids");
  const auto refused = [&](const std::string& text) {
    write_file(folder + "/c.toml", "n = \"10\"\n" + text);
    const Run r = program(fmt::format("table {}/c.toml -o {}/t.csv", folder, folder));
    CAPTURE(text, r.err);
    CHECK(r.code == 2);
    CHECK(r.err.find("two rows of the table are the same: ") != std::string::npos);
  };
  refused("[[case]]\nrho = \"1/2\"\ngamma = [\"2\", \"critical\"]\n");
  refused("[[case]]\nrho = [\"1/2\", \"0.5\"]\ngamma = [\"2\", \"3\"]\n");
  refused("[[case]]\nrho = \"1/2\"\ngamma = \"2\"\n[[case]]\nrho = \"1/2\"\ngamma = [\"1\", \"2\"]\n");
  write_file(folder + "/o.toml", "[[case]]\nop = \"softmax\"\nlogits = [\"0 1\", \"0 1\"]\n");
  CHECK(program(fmt::format("table {}/o.toml -o {}/o.csv", folder, folder)).code == 2);
  write_file(folder + "/c.toml",
             "n = \"10\"\n[[case]]\nid = \"a\"\nrho = \"1/2\"\ngamma = [\"1\", \"critical\"]\n"
             "[[case]]\nid = \"b\"\nrho = \"1/2\"\ngamma = \"2\"\n");
  require_table(fmt::format("{}/c.toml -o {}/t.csv", folder, folder));
}

TEST_CASE("what a table refuses") {
  const std::string folder = scratch("refuse"), file = case_file(folder);
  require_table(fmt::format("{} -o {}/t.csv", file, folder));
  write_file(folder + "/bad.toml",
             "n = \"10\"\n[[case]]\nid = \"a\"\ngamma = \"1\"\nrho = [\"1/2\", \"3/2\"]\n");
  write_file(folder + "/op.toml", "[[case]]\nop = \"softmax\"\nlogits = [\"0 1\", \"0 x\"]\n");
  const std::vector<std::pair<std::string, std::string>> refused{
      {file + " -o " + folder + "/t.csv", "exists already"},
      {file, "-o FILE"},
      {file + " -o " + folder + "/t.txt", "extension"},
      {file + " -o " + folder + "/s.csv --shard 3/2", "--shard"},
      {file + " -o " + folder + "/s.json --shard 1/2", ".csv"},
      {file + " -o /nowhere/t.csv", "no such directory"},
      {folder + "/bad.toml -o " + folder + "/b.csv", "rho must lie in [0, 1]"},
      {folder + "/op.toml -o " + folder + "/b.csv", "logits"}};
  for (const auto& [arguments, message] : refused) {
    const Run r = program("table " + arguments);
    CAPTURE(arguments, r.err);
    CHECK(r.code == 2);
    CHECK(r.err.find(message) != std::string::npos);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
  // Nothing was begun: the grid is checked before any work.
  CHECK_FALSE(std::filesystem::exists(folder + "/b.csv.partial"));
}

TEST_CASE("JSON, npy, npz, C header and LaTeX hold the numbers of the CSV") {
  const std::string folder = scratch("formats");
  write_file(folder + "/c.toml", R"(
[[case]]
id = "s"
op = "softmax"
logits = ["0 1 2", "0 1", "0 -inf"]
columns = ["value", "binary64", "binary32", "bfloat16", "binary16"]
)");
  for (const char* extension : {"csv", "json", "npy", "npz", "h", "tex"})
    require_table(fmt::format("{}/c.toml -o {}/t.{}", folder, folder, extension));
  const json j = json::parse(read_file(folder + "/t.json"));
  REQUIRE(j["results"].size() == 3);
  // A shorter answer has no values beyond its end.
  CHECK(j["results"][0].contains("softmax[2].value"));
  CHECK_FALSE(j["results"][1].contains("softmax[2].value"));
  CHECK(j["results"][1]["id"] == "s;op=softmax;logits=0 1;formats=binary64 binary32 bfloat16 binary16");
  CHECK(j["results"][1]["softmax[0].value"] == "0.268941421369995120748840758178");
  CHECK(j["results"][2]["softmax[1].value"] == "0");
  const std::string header = read_file(folder + "/t.h");
  CHECK(header.find("0x1.136561454ba86p-2") != std::string::npos);
  write_file(folder + "/use.c",
             "#include \"t.h\"\nint main(void) { return critscale_table[1].softmax_0__binary64 == "
             "0.26894142136999512 && critscale_table[2].softmax_0__binary32 == 1.0f ? 0 : 1; }\n");
  CHECK(std::system(
            fmt::format("cc -std=c11 -Wall -Werror -o {}/use {}/use.c && {}/use", folder, folder, folder)
                .c_str()) == 0);
  const std::string tex = read_file(folder + "/t.tex");
  CHECK(tex.find("\\toprule") != std::string::npos);
  CHECK(tex.find("0.268941421369995120748840758178") != std::string::npos);
  const std::string npy = read_file(folder + "/t.npy");
  CHECK(npy.find("('softmax[0].binary64', '<f8')") != std::string::npos);
  const double expected = 0.26894142136999512;
  CHECK(npy.find(std::string(reinterpret_cast<const char*>(&expected), sizeof expected)) !=
        std::string::npos);
  const std::string npz = read_file(folder + "/t.npz");
  CHECK(npz.starts_with("PK\x03\x04"));
  CHECK(npz.find("softmax[0].binary16.npy") != std::string::npos);
  CHECK(std::filesystem::directory_iterator(folder) != std::filesystem::directory_iterator());
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    CHECK(entry.path().extension() != ".partial");
}

TEST_CASE("a table on token files has the values that tokens prints, and notices another file") {
  const std::string folder = scratch("token-files"), file = folder + "/a.csv";
  write_file(file, "1,0\n1,1\n0,1/2\n");
  const std::string table = fmt::format(
      "--tokens {} --gamma 1:3:3 --digits 12 --quantities entropy --quantities angle_ratio", file);
  require_table(table + " -o " + folder + "/t.json");
  const json rows = json::parse(read_file(folder + "/t.json"))["results"];
  REQUIRE(rows.size() == 3);
  const json layers =
      run_json(fmt::format("tokens {} --gamma 1 --gamma 2 --gamma 3 --digits 12", file))["results"];
  REQUIRE(layers.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(rows[i]["gamma"] == layers[i]["inputs"]["gamma"]);
    CHECK(rows[i]["angle_ratio.value"] == layers[i]["quantities"]["angle_ratio"]["value"]);
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(rows[i][fmt::format("entropy[{}].value", k)] == layers[i]["quantities"]["entropy"][k]["value"]);
  }
  // Other tokens under the same name have other ids.
  write_file(file, "1,0\n1,1\n0,1\n");
  require_table(table + " -o " + folder + "/u.json");
  CHECK(json::parse(read_file(folder + "/u.json"))["results"][0]["id"] != rows[0]["id"]);
  check_refused(fmt::format("table --tokens {} --gamma 1 --rho 1/2 -o {}/v.csv", file, folder),
                "--rho: rho is no input of token files; allowed: tokens, gamma, beta, alpha");
  check_refused(fmt::format("table --tokens {}/none.npy --gamma 1 -o {}/v.csv", folder, folder),
                fmt::format("--tokens: {}/none.npy: no such file", folder));
}

TEST_CASE("the flag --decimal writes no fractions into CSV") {
  const std::string command =
      "eval --rho 1/3 --n 10 --gamma 3/2 --gamma 1/4 --quantities entropy --format csv";
  const Run exact = program(command), decimal = program(command + " --decimal");
  REQUIRE(exact.code == 0);
  REQUIRE(decimal.code == 0);
  CHECK(exact.out.find("/") != std::string::npos);
  CHECK(decimal.out.find("/") == std::string::npos);
  CHECK(decimal.out.find(",0.33333333333333333,") != std::string::npos);
  CHECK(decimal.out.find(",1.5,") != std::string::npos);
  CHECK(decimal.out.find(",0.25,") != std::string::npos);
}
