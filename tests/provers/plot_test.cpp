// `critscale plot`: what is drawn, where it stands, and what is refused.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "provers/program.hpp"

using namespace critscale::test;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

/// Standard output of a run that must succeed in silence.
std::string succeeds(const std::string& arguments) {
  INFO("critscale " << arguments);
  const Run r = program(arguments);
  CHECK(r.err.empty());
  REQUIRE(r.code == 0);
  return r.out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The lines of the first data block of that name.
std::vector<std::vector<double>> block(const std::string& script, const std::string& name) {
  std::istringstream in(script);
  std::vector<std::vector<double>> r;
  std::string line;
  while (std::getline(in, line) && line != fmt::format("${} << EOD", name)) {
  }
  while (std::getline(in, line) && line != "EOD") {
    std::istringstream cells(line);
    std::vector<double> row;
    for (double v; cells >> v;) row.push_back(v);
    if (!row.empty()) r.push_back(row);
  }
  return r;
}

/// A result of `eval` with one quantity at two gammas, as a file.
std::string handmade(const std::string& folder, const std::string& first, const std::string& second) {
  json results = json::array();
  for (const auto& [gamma, text] : {std::pair{"1", first}, std::pair{"2", second}})
    results.push_back(
        {{"inputs", {{"geometry", "simplex"}, {"rho", "0"}, {"n", "10"}, {"gamma", gamma}}},
         {"quantities", {{"entropy", {{"value", text}, {"lo", text}, {"hi", text}, {"digits", 5}}}}}});
  write_file(folder + "/made.json", json{{"results", results}}.dump());
  return folder + "/made.json";
}

}  // namespace

TEST_CASE("a grid in rho and gamma becomes a heat map with the exact boundary") {
  const std::string folder = scratch("plot-heat");
  succeeds(fmt::format(
      "table --n 512 --rho 1/10:9/10:5 --gamma 1/2:6:7 --quantities self_weight --digits 12 -o {}/t.csv",
      folder));
  const std::string out = succeeds(fmt::format("plot {0}/t.csv -o {0}/pictures/", folder));
  CHECK(out == fmt::format("{0}/pictures/t-self_weight.svg\n{0}/pictures/t-self_weight.png\n", folder));
  const std::string svg = read_file(folder + "/pictures/t-self_weight.svg");
  CHECK(svg.find("</svg>") > svg.size() - 10);
  CHECK(has(svg, "γ = 1/(1−ρ)"));
  CHECK(has(svg, "self weight A"));
  CHECK(has(svg, "simplex, n = 512, α = 0, q = 1, d = 512; 12 digits, certified"));
  const std::string png = read_file(folder + "/pictures/t-self_weight.png");
  CHECK(png.starts_with("\x89PNG"));
  CHECK(png.find("IEND") == png.size() - 8);
  for (const auto& entry : fs::directory_iterator(folder + "/pictures"))
    CHECK(entry.path().extension() != ".partial");

  const std::string script = succeeds(fmt::format("plot {}/t.csv --script --format svg --scale log", folder));
  CHECK(script == succeeds(fmt::format("plot {}/t.csv --script --format svg --scale log", folder)));
  const auto curve = block(script, "curve0");
  REQUIRE(curve.size() > 100);
  for (const auto& p : curve) CHECK(p[1] * (1 - p[0]) == Approx(1).epsilon(1e-12));
  // It leaves the window where that ends: at rho = 0 below, at gamma = 6 + 11/24 above.
  CHECK(curve.front()[0] == Approx(0).margin(1e-12));
  CHECK(curve.back()[1] == Approx(6 + 11.0 / 24));
  // Every cell has its own value: here on a logarithmic scale, of the table's numbers.
  const auto cells = block(script, "cells");
  REQUIRE(cells.size() == 35);
  const Run eval =
      program("eval --n 512 --rho 1/2 --gamma 1/2 --quantities self_weight --digits 12 --format json");
  const double expected =
      std::stod(json::parse(eval.out)["quantities"]["self_weight"]["value"].get<std::string>());
  bool found = false;
  for (const auto& c : cells)
    if (c[2] < 0.5 && 0.5 < c[3] && c[4] < 0.5 && 0.5 < c[5] && c[2] > 0.35 && c[4] < 0.1) {
      found = true;
      CHECK(c[6] == Approx(std::log10(expected)).epsilon(1e-12));
    }
  CHECK(found);
  const auto linear =
      block(succeeds(fmt::format("plot {}/t.csv --script --format svg --scale linear", folder)), "cells");
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i][6] > -5.9) CHECK(std::log10(linear.at(i)[6]) == Approx(cells[i][6]).margin(1e-12));
}

TEST_CASE("the palette grows lighter from end to end") {
  const std::string folder = scratch("plot-palette");
  succeeds(
      fmt::format("table --n 10 --rho 1/10:9/10:3 --gamma 1:3:3 --quantities entropy -o {}/t.csv", folder));
  const std::string script = succeeds(fmt::format("plot {}/t.csv --script --format png", folder));
  std::size_t at = script.find("set palette defined");
  REQUIRE(at != std::string::npos);
  double before = -1;
  int colours = 0;
  for (const std::size_t end = script.find('\n', at); (at = script.find('#', at)) < end; ++at, ++colours) {
    const long rgb = std::stol(script.substr(at + 1, 6), nullptr, 16);
    const auto light = [&](int shift) {
      return std::pow(static_cast<double>(rgb >> shift & 255) / 255, 2.2);
    };
    const double lightness = 0.2126 * light(16) + 0.7152 * light(8) + 0.0722 * light(0);
    CHECK(lightness > before);
    before = lightness;
  }
  CHECK(colours >= 5);
}

TEST_CASE("curves have a band, their limit and the threshold") {
  const std::string folder = scratch("plot-curves");
  succeeds(fmt::format(
      "eval --rho 1/3 --n 100 --n 10^8 --gamma 1/2:5/2:9 --quantities inner_products --quantities "
      "participation --digits 10 --format json -o {}/c.json",
      folder));
  CHECK(has(succeeds(fmt::format("plot {0}/c.json -o {0}/c --quantities inner_products", folder)),
            "c-inner_products0.svg"));
  const std::string svg = read_file(folder + "/c-inner_products0.svg");
  for (const char* label : {"n = 100", "n = 10^8", "limit n → ∞", "γ = 1/(1−ρ) = 3/2"})
    CHECK(has(svg, label));
  const std::string script =
      succeeds(fmt::format("plot {}/c.json --quantities inner_products --script --format svg", folder));
  CHECK(block(script, "curve0").size() == 9);
  for (const auto& p : block(script, "curve1")) {
    CHECK(p[2] <= p[1]);
    CHECK(p[1] <= p[3]);
  }
  // Theorem 2.1: 1 below, 2/3 at, 1/3 above the threshold.
  for (const auto& p : block(script, "curve2"))
    CHECK(p[1] == Approx(p[0] < 1.5 ? 1.0 : p[0] > 1.5 ? 1.0 / 3 : 2.0 / 3));
  CHECK(block(script, "dots2") == std::vector<std::vector<double>>{{1.5, block(script, "dots2").at(0)[1]}});
  CHECK(block(script, "curve3").at(0)[0] == 1.5);
  const std::string participation =
      succeeds(fmt::format("plot {}/c.json --quantities participation --script --format svg", folder));
  CHECK(has(participation, "Where no limit is drawn it is infinite."));
  for (const auto& p : block(participation, "curve2")) CHECK(p[0] >= 1.5);
}

TEST_CASE("a box has a band that can be seen") {
  const std::string folder = scratch("plot-box");
  succeeds(fmt::format(
      "eval --rho '[3/10,2/5]' --n 1000 --gamma 1:2:5 --quantities self_weight --format json -o {}/b.json",
      folder));
  const auto curve = block(succeeds(fmt::format("plot {}/b.json --script --format svg", folder)), "curve0");
  REQUIRE(curve.size() == 5);
  for (const auto& p : curve) {
    CHECK(p[3] - p[2] > 0.01);
    CHECK(p[1] == Approx((p[2] + p[3]) / 2));
  }
}

TEST_CASE("numbers beyond double have their place") {
  const std::string folder = scratch("plot-beyond");
  const auto curve = [&](const std::string& a, const std::string& b) {
    const std::string script = succeeds(fmt::format("plot {} --script --format svg", handmade(folder, a, b)));
    auto r = block(script, "curve0");
    REQUIRE(r.size() == 2);
    return std::pair{script, r};
  };
  const auto small = curve("1.25e-400", "2e-1000000000");
  CHECK(small.second[0][1] == Approx(-400 + std::log10(1.25)));
  CHECK(small.second[1][1] == Approx(-1e9 + std::log10(2)));
  CHECK(has(small.first, "10^{-6·10^{8}}"));
  const auto mixed = curve("1e-400", "1");
  CHECK(mixed.second[0][1] == -300);
  CHECK(mixed.second[1][1] == 0);
  CHECK(has(mixed.first, "Numbers below 10^{-300} are drawn at the lower edge."));
  const auto large = curve("1e+400", "0");
  CHECK(large.second[0][1] == Approx(400));
  CHECK(has(large.first, "Zero is drawn at the lower edge."));
  const auto plain = curve("-0.0125", "0.00050");
  CHECK(plain.second[0][1] == Approx(-0.0125));
  CHECK(plain.second[1][1] == Approx(0.0005));
  // They are drawn, not only written.
  succeeds(fmt::format("plot {} -o {}/beyond", handmade(folder, "1e-400", "1"), folder));
}

TEST_CASE("n beyond every axis stands on a doubly logarithmic one") {
  const std::string folder = scratch("plot-n");
  succeeds(fmt::format(
      "eval --rho 1/3 --n 100 --n 10^100 --n '10^(10^15)' --gamma critical*11/10 --quantities self_weight "
      "--format json -o {}/n.json",
      folder));
  const std::string script = succeeds(fmt::format("plot {}/n.json --script --format svg", folder));
  const auto curve = block(script, "curve0");
  REQUIRE(curve.size() == 3);
  CHECK(curve[0][0] == Approx(std::log10(2)));
  CHECK(curve[1][0] == Approx(2));
  CHECK(curve[2][0] == Approx(15));
  CHECK(has(script, "10^{10^{10}}"));
}

TEST_CASE("transitions and schedules against n, with the boundary across") {
  const std::string folder = scratch("plot-n-results");
  succeeds(
      fmt::format("boundary --band 'r=4/5,size=n^(1/2)' --band 'r=1/5,size=n' --n 100 --n 10^4 --n 10^8 "
                  "--format json -o {}/b.json",
                  folder));
  const std::string boundary =
      succeeds(fmt::format("plot {}/b.json --quantities transitions --script --format svg", folder));
  CHECK(block(boundary, "curve1").size() == 3);
  CHECK(block(boundary, "curve2").at(0)[1] == Approx(5.0 / 6));
  CHECK(block(boundary, "curve3").at(1)[1] == Approx(5.0 / 2));
  succeeds(
      fmt::format("schedule --schedule all --rho 1/3 --train-length 8192 --logit-scale 8 --n 100 --n 10^4 "
                  "--n 10^12 --digits 8 --format json -o {}/s.json",
                  folder));
  const std::string out = succeeds(fmt::format("plot {0}/s.json -o {0}/s", folder));
  CHECK(out == fmt::format("{0}/s-gamma_effective.svg\n{0}/s-gamma_effective.png\n", folder));
  const std::string svg = read_file(folder + "/s-gamma_effective.svg");
  for (const char* label : {"yarn", "qwen-log-n", "llama4", "boundary γ = 3/2"}) CHECK(has(svg, label));
}

TEST_CASE("a case of one point does not keep the others from being drawn") {
  const std::string folder = scratch("plot-cases");
  write_file(folder + "/c.toml",
             "n = \"10\"\nquantities = [\"entropy\", \"angle_ratio\"]\n[[case]]\nid = \"point\"\nrho = "
             "\"1/2\"\ngamma = \"1\"\n"
             "[[case]]\nid = \"line\"\nrho = \"1\"\ngamma = [\"1\", \"2\"]\n");
  succeeds(fmt::format("eval {0}/c.toml --format json -o {0}/c.json", folder));
  // On the line every pair is tied and lambda is undefined: there is nothing of it to draw.
  CHECK(succeeds(fmt::format("plot {0}/c.json -o {0}/c --format svg", folder)) ==
        fmt::format("{}/c-entropy-case2.svg\n", folder));
}

TEST_CASE("what is undefined leaves a grey cell") {
  const std::string folder = scratch("plot-undefined");
  // At rho = 1 every pair is tied: lambda has no meaning.
  succeeds(
      fmt::format("table --n 10 --rho 1/2:1:3 --gamma 1:3:3 --quantities angle_ratio -o {}/t.csv", folder));
  const std::string script = succeeds(fmt::format("plot {}/t.csv --script --format svg", folder));
  CHECK(block(script, "cells").size() == 6);
  CHECK(block(script, "unknown").size() == 3);
  CHECK(has(script, "Grey: undefined"));
  succeeds(fmt::format("plot {0}/t.csv -o {0}/u --format png", folder));
}

TEST_CASE("texts of the user are shown, not obeyed") {
  const std::string folder = scratch("plot-texts");
  write_file(
      folder + "/c.toml",
      "[[case]]\nid = \"it's {/=90 a_b^c} `date`\"\nn = \"10\"\nrho = \"1/2\"\ngamma = [\"1\", \"2\"]\n"
      "quantities = [\"entropy\"]\n");
  succeeds(fmt::format("table {0}/c.toml -o {0}/t.csv", folder));
  succeeds(fmt::format("plot {0}/t.csv -o {0}/t", folder));
  CHECK(has(read_file(folder + "/t-entropy.svg"), "it's {/=90 a_b^c} `date`"));
}

TEST_CASE("what plot refuses") {
  const std::string folder = scratch("plot-refuse");
  succeeds(fmt::format("table --n 10 --rho 1/2 --gamma 1:2:3 --quantities entropy -o {}/t.csv", folder));
  succeeds(fmt::format("eval --n 10 --rho 1/2 --gamma 1 --format json -o {}/one.json", folder));
  succeeds(fmt::format("limit --rho 1/2 --gamma 1 --format json -o {}/limit.json", folder));
  std::string damaged = read_file(folder + "/t.csv");
  damaged.replace(damaged.rfind("3/2"), 3, "3/4");
  write_file(folder + "/damaged.csv", damaged);
  write_file(folder + "/cut.csv", damaged.substr(0, damaged.size() / 2));
  write_file(folder + "/broken.json", "{\"results\": [");
  write_file(folder + "/deep.json", std::string(300000, '[') + std::string(300000, ']'));
  write_file(folder + "/twice.json", "{\"results\": [], \"results\": []}");
  write_file(folder + "/list.json", "[1, 2]");
  write_file(folder + "/empty.json", "{\"results\": []}");
  write_file(folder + "/wrong.json", "{\"quantities\": 3, \"inputs\": {\"n\": 5}}");
  write_file(folder + "/t.txt", "");
  write_file(folder + "/there-entropy.svg", "mine");
  const std::vector<std::pair<std::string, std::string>> refused{
      {"", "results is required"},
      {"/nowhere.csv", "/nowhere.csv: no such file"},
      {folder, "is a directory"},
      {folder + "/t.txt", "expected a table (.csv) or a result in JSON"},
      {folder + "/damaged.csv", "the checksum does not fit"},
      {folder + "/cut.csv", "is not complete"},
      {folder + "/broken.json", "not valid JSON"},
      {folder + "/deep.json", "nested deeper than 200 levels"},
      {folder + "/twice.json", "'results' occurs twice"},
      {folder + "/list.json", "not a result of critscale eval, tokens, boundary, schedule or random"},
      {folder + "/empty.json", "no certified numbers to draw"},
      {folder + "/wrong.json", "not a result of critscale eval, tokens, boundary, schedule or random"},
      {folder + "/limit.json", "not a result of critscale eval, tokens, boundary, schedule or random"},
      {folder + "/one.json", "nothing to draw against"},
      {folder + "/t.csv --quantities self_weight", "it has entropy"},
      {folder + "/t.csv --format pdf", "--format"},
      {folder + "/t.csv --scale cubic", "--scale"},
      {folder + "/t.csv -o " + folder + "/there", "exists already"},
      {folder + "/t.csv -o " + folder + "/t.txt/", "t.txt/: the folder cannot be made"},
      {folder + "/t.csv -o /nowhere/t", "/nowhere: no such directory"}};
  for (const auto& [arguments, message] : refused) {
    const Run r = program("plot " + arguments);
    CAPTURE(arguments, r.err);
    CHECK(r.code == 2);
    CHECK(has(r.err, message));
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK(r.out.empty());
  }
  CHECK(read_file(folder + "/there-entropy.svg") == "mine");
  CHECK_FALSE(fs::exists(folder + "/there-entropy.png"));
}

TEST_CASE("without gnuplot there is one clear line") {
  const std::string folder = scratch("plot-without");
  succeeds(fmt::format("table --n 10 --rho 1/2 --gamma 1:2:3 --quantities entropy -o {}/t.csv", folder));
  const std::string command = fmt::format("PATH=/nowhere '{}' plot {}/t.csv -o {}/p 2>{}/err",
                                          CRITSCALE_PROGRAM, folder, folder, folder);
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == 2);
  CHECK(read_file(folder + "/err") ==
        "critscale: plot needs the program gnuplot (Debian: gnuplot-nox), which is not installed\n");
  CHECK_FALSE(fs::exists(folder + "/p-entropy.svg"));
  // One that fails is named with its message, and leaves nothing.
  write_file(folder + "/gnuplot", "#!/bin/sh\ncat >/dev/null; echo half; echo no terminal >&2; exit 1\n");
  fs::permissions(folder + "/gnuplot", fs::perms::owner_all);
  const int failed = std::system(
      fmt::format("PATH={0}:$PATH '{1}' plot {0}/t.csv -o {0}/p 2>{0}/err", folder, CRITSCALE_PROGRAM)
          .c_str());
  CHECK(WEXITSTATUS(failed) == 2);
  CHECK(read_file(folder + "/err") == "critscale: gnuplot failed: 'no terminal\\x0a'\n");
  CHECK_FALSE(fs::exists(folder + "/p-entropy.svg"));
}

TEST_CASE("random keys at several kappa become their phase diagram") {
  const std::string folder = scratch("plot-random");
  succeeds(
      fmt::format("random --keys sphere --kappa 2 --kappa 5 --kappa 20 --n 100 --n 1000 --transitions "
                  "--digits 8 --format "
                  "json -o {}/r.json",
                  folder));
  const std::string out = succeeds(fmt::format("plot {0}/r.json --format svg -o {0}/p", folder));
  CHECK(out == fmt::format("{}/p-diagram.svg\n", folder));
  const std::string svg = read_file(folder + "/p-diagram.svg");
  for (const char* part : {"random keys: where a row sharpens", "log n: g = 1", "n = 1000"})
    CHECK(has(svg, part));
  const std::string script = succeeds(fmt::format("plot {}/r.json --script --format svg", folder));
  // The lines' known values at kappa = 2, 5, 20, both axes as decimal logarithms.
  const std::vector<std::pair<double, std::pair<double, double>>> known{
      {2, {1.42654435, 4.3223948}}, {5, {1.123162596, 4.2828619}}, {20, {1.026297622, 6.8185582}}};
  const auto self = block(script, "curve0"), condensed = block(script, "curve1");
  REQUIRE(self.size() == 3);
  REQUIRE(condensed.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(self[i][0] == Approx(std::log10(known[i].first)).epsilon(1e-9));
    CHECK(self[i][1] == Approx(std::log10(known[i].second.first)).margin(1e-7));
    CHECK(condensed[i][1] == Approx(std::log10(known[i].second.second)).margin(1e-7));
  }
  // Finite rows, one curve an n, then the scalings g = 1 and g = (2 kappa)^(1/2).
  CHECK(block(script, "curve2").size() == 3);
  for (const auto& p : block(script, "curve4")) CHECK(p[1] == Approx(0).margin(1e-12));
  for (const auto& p : block(script, "curve5"))
    CHECK(2 * p[1] == Approx(std::log10(2.0) + p[0]).margin(1e-9));
  // Expectations against what varies, as of any result; one kappa has no diagram.
  succeeds(fmt::format(
      "random --keys sphere --dim 12 --n 100 --gamma 1 --gamma 2 --gamma 3 --quantities self_weight "
      "--digits 8 --format json -o {}/g.json",
      folder));
  CHECK(succeeds(fmt::format("plot {0}/g.json --format svg -o {0}/g", folder)) ==
        fmt::format("{}/g-self_weight.svg\n", folder));
  succeeds(fmt::format("random --keys sphere --kappa 2 --digits 8 --format json -o {}/one.json", folder));
  const Run r = program(fmt::format("plot {0}/one.json --script", folder));
  CHECK(r.code == 2);
  CHECK(has(r.err, "does not vary"));
}
