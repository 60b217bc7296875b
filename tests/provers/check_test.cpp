// `critscale check`: files and running programs against a table.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "critscale/tables/detail/reader.hpp"
#include "provers/program.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

/// A table of hard scores and a folder for candidates.
struct Table {
  std::string folder, path;
};

Table scores_table(const std::string& name) {
  Table t{scratch(name), {}};
  t.path = t.folder + "/t.csv";
  write_file(t.folder + "/c.toml", R"(
columns = ["value", "lo", "hi", "binary64", "binary32"]
[[case]]
id = "s"
op = "softmax"
logits = ["0 1", "1 2 3", "1000 999", "-2000 -2001", "0 -inf 2"]
[[case]]
id = "l"
op = "logsumexp"
logits = ["0 1", "1000 1000", "-1000 -999"]
[[case]]
id = "e"
op = "entropy"
logits = ["0 1", "3 -inf 1"]
)");
  const Run r = program(fmt::format("table {}/c.toml -o {}", t.folder, t.path));
  INFO(r.err);
  REQUIRE(r.code == 0);
  return t;
}

Run check(const std::string& arguments) { return program("check " + arguments); }

std::string client(const std::string& mistake) {
  return fmt::format("--run 'awk -v mistake={} -f {}/tests/provers/client.awk'", mistake,
                     CRITSCALE_SOURCE_DIR);
}

/// The table's correctly rounded values as a candidate CSV.
std::string candidate_csv(const std::string& table, const std::string& column) {
  TableReader reader(table);
  std::string text = "id";
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < reader.columns().size(); ++i)
    if (const std::string& c = reader.columns()[i]; c.ends_with("." + column)) {
      at.push_back(i);
      text += "," + c.substr(0, c.rfind('.'));
    }
  text += "\n";
  std::vector<std::string> cells;
  while (reader.next(cells)) {
    text += cells[0];
    for (const std::size_t i : at) text += "," + cells[i];
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a correct program conforms") {
  const Table t = scores_table("conforms");
  const Run r = check(t.path + " " + client("none"));
  INFO(r.out << r.err);
  CHECK(r.code == 0);
  CHECK(r.out.find(" conforms: ") != std::string::npos);
}

TEST_CASE("a mistaken program does not conform and the mistake is named") {
  const Table t = scores_table("mistakes");
  for (const auto& [mistake, what] :
       {std::pair{"shift", "no maximum subtracted before exp"}, {"base", "base 2 for e"}}) {
    const Run r = check(fmt::format("{} {} --format json", t.path, client(mistake)));
    INFO(r.out << r.err);
    CHECK(r.code == 1);
    const json report = json::parse(r.out);
    REQUIRE_FALSE(report["mistakes"].empty());
    bool named = false;
    for (const json& m : report["mistakes"])
      named = named || m["what"].get<std::string>().find(what) != std::string::npos;
    CHECK(named);
    CHECK(report["verdict"] == "does not conform");
  }
}

TEST_CASE("missing and repeated answers are reported") {
  const Table t = scores_table("missing");
  const json dropped = json::parse(check(t.path + " --format json " + client("drop")).out);
  CHECK(dropped["missing"].size() == 3);
  const Run twice = check(t.path + " --format json " + client("twice"));
  CHECK(twice.code == 1);
  CHECK(json::parse(twice.out)["duplicates"].size() == 1);
}

TEST_CASE("a program that hangs, floods or babbles is ended") {
  const Table t = scores_table("hang");
  const Run hang = check(t.path + " --run 'sleep 1000' --time-limit 0.3");
  CHECK(hang.code == 3);
  CHECK(hang.err.find("time limit") != std::string::npos);
  const Run flood = check(t.path + " --run 'yes' --time-limit 60");
  CHECK(flood.code == 3);
  CHECK(flood.err.find("output limit") != std::string::npos);
  const Run babble = check(t.path + " --run 'echo hello'");
  CHECK(babble.code == 2);
  CHECK(babble.err.find("not valid JSON") != std::string::npos);
  CHECK(check(t.path + " --run 'exit 3'").code == 2);
  CHECK(check(t.path + " --run 'true'").code == 1);  // answers nothing: every row is missing
}

TEST_CASE("candidates in CSV, JSON and npy") {
  const Table t = scores_table("files");
  const std::string csv = candidate_csv(t.path, "binary32");
  write_file(t.folder + "/c.csv", csv);
  const Run r = check(fmt::format("{} {}/c.csv --preset fp32 --format json", t.path, t.folder));
  INFO(r.out << r.err);
  REQUIRE(r.code == 0);
  CHECK(json::parse(r.out)["correctly_rounded"] == json::parse(r.out)["values"]);
  CHECK(json::parse(r.out)["left_out"] == 0);
  // Nested deeper than any answer.
  write_file(t.folder + "/deep.json",
             "{\"id\": \"s\", \"value\": " + std::string(300000, '[') + std::string(300000, ']') + "}");
  const Run deep = check(fmt::format("{} {}/deep.json", t.path, t.folder));
  CHECK(deep.code == 2);
  CHECK(deep.err.find("nested deeper than 200 levels") != std::string::npos);
  // One value changed, one row repeated, one gone.
  std::string changed = csv;
  changed.replace(changed.find("0.26894"), 7, "0.36894");
  write_file(t.folder + "/d.csv", changed);
  CHECK(check(fmt::format("{} {}/d.csv --preset fp32", t.path, t.folder)).code == 1);
  write_file(t.folder + "/d.csv", csv + csv.substr(csv.rfind('\n', csv.size() - 2) + 1));
  CHECK(check(fmt::format("{} {}/d.csv --preset fp32", t.path, t.folder)).out.find("duplicated 1") !=
        std::string::npos);
  // The same as JSON.
  json list = json::array();
  TableReader reader(t.folder + "/c.csv", false);
  std::vector<std::string> cells;
  while (reader.next(cells)) {
    json values = json::array();
    for (std::size_t i = 1; i < cells.size(); ++i)
      if (!cells[i].empty()) values.push_back(std::stod(cells[i]));
    list.push_back({{"id", cells[0]}, {"value", values}});
  }
  write_file(t.folder + "/c.json", list.dump());
  CHECK(check(fmt::format("{} {}/c.json --preset fp32", t.path, t.folder)).code == 0);
  // And as numbers in the table's order.
  std::string data;
  for (const json& row : list)
    for (const double v : row["value"]) {
      const auto f = static_cast<float>(v);
      data.append(reinterpret_cast<const char*>(&f), sizeof f);
    }
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", data.size() / 4);
  header.resize(117, ' ');
  write_file(t.folder + "/c.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + data);
  const Run npy = check(fmt::format("{} {}/c.npy", t.path, t.folder));
  INFO(npy.out << npy.err);
  CHECK(npy.code == 0);
  CHECK(npy.out.find("arithmetic fp32") != std::string::npos);
  write_file(t.folder + "/c.npy",
             std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + data.substr(4));
  CHECK(check(fmt::format("{} {}/c.npy", t.path, t.folder)).code == 2);
}

TEST_CASE("nothing compared is exit 3 with its reason, and rows left out are told") {
  const std::string folder = scratch("left_out");
  write_file(folder + "/c.toml", "[[case]]\nop = \"softmax\"\nlogits = [\"0.1 0.2\"]\n");
  REQUIRE(program(fmt::format("table {}/c.toml -o {}/t.csv", folder, folder)).code == 0);
  write_file(folder + "/x.csv", "id,softmax[0],softmax[1]\n");
  const Run text = check(fmt::format("{}/t.csv {}/x.csv --preset fp32", folder, folder));
  CHECK(text.code == 3);
  CHECK(text.out.find("nothing compared") != std::string::npos);
  CHECK(text.out.find("1 of 1 rows left out") != std::string::npos);
  CHECK(text.out.find("left out op=softmax;logits=0.1 0.2") != std::string::npos);
  CHECK(text.out.find("none of the 1 rows has inputs that binary32 holds exactly") != std::string::npos);
  const Run junit = check(fmt::format("{}/t.csv {}/x.csv --preset fp32 --format junit", folder, folder));
  CHECK(junit.out.find("skipped=\"1\"") != std::string::npos);
  CHECK(junit.out.find("<skipped message=\"binary32 does not hold the inputs exactly\"/>") !=
        std::string::npos);
}

TEST_CASE("a table asks about rounded inputs, and carries allowances") {
  const std::string folder = scratch("rounded");
  write_file(
      folder + "/c.toml",
      "columns = [\"value\", \"lo\", \"hi\", \"allowed_fp32\"]\n[[case]]\nop = \"logsumexp\"\nlogits = "
      "[\"0.1 0.2\"]\ninputs = \"rounded\"\nrounded_to = [\"binary32\", \"bfloat16\"]\n");
  const Run made = program(fmt::format("table {}/c.toml -o {}/t.csv", folder, folder));
  INFO(made.err);
  REQUIRE(made.code == 0);
  const std::string table = read_file(folder + "/t.csv");
  CHECK(table.find("0.100000001490116119384765625 0.20000000298023223876953125") != std::string::npos);
  CHECK(table.find("logsumexp.allowed_fp32") != std::string::npos);
  const Run r = check(fmt::format("{}/t.csv {} --arithmetic fp32", folder, client("none")));
  INFO(r.out << r.err);
  CHECK(r.code == 0);
  CHECK(r.out.find("rows 2, ") != std::string::npos);
}

TEST_CASE("long rows are shortened in reports") {
  const std::string folder = scratch("long_rows");
  std::string logits = "0";
  for (int i = 1; i < 4096; ++i) logits += " 0";
  write_file(folder + "/c.toml", fmt::format("[[case]]\nop = \"logsumexp\"\nlogits = [\"{}\"]\n", logits));
  REQUIRE(program(fmt::format("table {}/c.toml -o {}/t.csv", folder, folder)).code == 0);
  const Run r = check(fmt::format("{}/t.csv {}", folder, client("base")));
  CHECK(r.code == 1);
  CHECK(r.out.find("logits=[4096 values, first 8: 0 0 0 0 0 0 0 0 ...]") != std::string::npos);
  CHECK(r.out.size() < 20000);
  // JSON has them whole.
  const Run whole = check(fmt::format("{}/t.csv {} --format json", folder, client("base")));
  CHECK(nlohmann::json::parse(whole.out)["worst"][0]["id"].get<std::string>().find(logits) !=
        std::string::npos);
  // So are rows that are left out, or that the candidate does not have.
  write_file(folder + "/d.toml",
             fmt::format("[[case]]\nop = \"logsumexp\"\nlogits = [\"0.1 {0}\", \"0.2 {0}\", \"0.3 {0}\"]\n",
                         logits));
  REQUIRE(program(fmt::format("table {}/d.toml -o {}/d.csv", folder, folder)).code == 0);
  const Run left = check(fmt::format("{}/d.csv {} --arithmetic fp32", folder, client("none")));
  CHECK(left.out.find("left out ") != std::string::npos);
  CHECK(left.out.size() < 2000);
  const Run missing = check(fmt::format("{}/d.csv {}", folder, client("drop")));
  CHECK(missing.out.find("  missing ") != std::string::npos);
  CHECK(missing.out.size() < 4000);
  // An answer of one number to a row whose id is longer than the bytes of other answers.
  std::string longer = "0";
  for (int i = 1; i < 16384; ++i) longer += fmt::format(" {}", 0.000244140625 * i);
  write_file(folder + "/e.toml", fmt::format("[[case]]\nop = \"logsumexp\"\nlogits = [\"{}\"]\n", longer));
  REQUIRE(program(fmt::format("table {}/e.toml -o {}/e.csv", folder, folder)).code == 0);
  CHECK(check(fmt::format("{}/e.csv {}", folder, client("none"))).code == 0);
}

TEST_CASE("a damaged table is refused, JUnit names the failures") {
  const Table t = scores_table("damaged");
  const Run r = check(t.path + " --format junit " + client("shift"));
  CHECK(r.code == 1);
  CHECK(r.out.starts_with("<?xml"));
  CHECK(r.out.find("<failure message=\"s;op=softmax;logits=1000 999;") != std::string::npos);
  std::string text = read_file(t.path);
  text[text.find("0.2689")] = '1';
  write_file(t.path, text);
  const Run damaged = check(t.path + " " + client("none"));
  CHECK(damaged.code == 2);
  CHECK(damaged.err.find("damaged") != std::string::npos);
}

TEST_CASE("where a layer's value is undefined only nan is right") {
  const std::string folder = scratch("undefined");
  write_file(
      folder + "/c.toml",
      "n = \"10\"\nid = \"g\"\n[[case]]\nrho = \"1\"\ngamma = \"2\"\nquantities = [\"angle_ratio\"]\n");
  REQUIRE(program(fmt::format("table {}/c.toml -o {}/t.csv", folder, folder)).code == 0);
  const std::string table = read_file(folder + "/t.csv");
  CHECK(table.find(",nan,,,nan\n") != std::string::npos);
  const std::size_t start =
      table.find("g;geometry") != std::string::npos ? table.find("g;geometry") : table.find("geometry=");
  const std::string id = table.substr(start, table.find(',', start) - start);
  for (const auto& [value, code] : {std::pair{"nan", 0}, {"0", 1}, {"1", 1}, {"inf", 1}}) {
    write_file(folder + "/x.csv", fmt::format("id,angle_ratio\n{},{}\n", id, value));
    const Run r = check(fmt::format("{}/t.csv {}/x.csv", folder, folder));
    INFO(value << ": " << r.out << r.err);
    CHECK(r.code == code);
  }
}

TEST_CASE("a grid table asks for layers") {
  const std::string folder = scratch("layers");
  write_file(folder + "/c.toml",
             "n = \"100\"\n[[case]]\nid = \"g\"\nrho = \"1/2\"\ngamma = [\"1\", \"2\"]\nquantities = "
             "[\"self_weight\", \"entropy\"]\n");
  REQUIRE(program(fmt::format("table {}/c.toml -o {}/t.csv", folder, folder)).code == 0);
  const Run r = check(fmt::format("{}/t.csv --run 'tee {}/asked >/dev/null'", folder, folder));
  CHECK(r.code == 1);
  std::istringstream lines(read_file(folder + "/asked"));
  std::string line;
  REQUIRE(std::getline(lines, line));
  const json asked = json::parse(line);
  CHECK(asked["op"] == "layer");
  CHECK(asked["inputs"]["rho"] == "1/2");
  CHECK(asked["inputs"]["quantities"] == json({"self_weight", "entropy"}));
}
