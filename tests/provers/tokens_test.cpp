// `critscale tokens` as a user runs it: formats, refusals, the JSON contract, Gaussian tokens.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "io/zip_archive.hpp"
#include "provers/program.hpp"

using namespace critscale::test;

namespace {

/// Bytes of one number.
template <class Word>
std::string word(Word w, bool big_endian = false) {
  std::string r;
  for (std::size_t i = 0; i < sizeof w; ++i) r += static_cast<char>(w >> (8 * i) & 255);
  if (big_endian) std::reverse(r.begin(), r.end());
  return r;
}

/// A .npy file of any version.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data, int version = 1,
                const std::string& fortran_order = "False") {
  std::string dict =
      fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n", descr, fortran_order, shape);
  std::string r = std::string("\x93NUMPY", 6) + static_cast<char>(version) + '\0';
  r += version == 1 ? word(static_cast<std::uint16_t>(dict.size()))
                    : word(static_cast<std::uint32_t>(dict.size()));
  return r + dict + data;
}

std::string doubles(const std::vector<double>& values, bool big_endian = false) {
  std::string r;
  for (const double v : values) r += word(std::bit_cast<std::uint64_t>(v), big_endian);
  return r;
}

std::string floats(const std::vector<float>& values, bool big_endian = false) {
  std::string r;
  for (const float v : values) r += word(std::bit_cast<std::uint32_t>(v), big_endian);
  return r;
}

class Files {
 public:
  explicit Files(const std::string& name) : folder_(scratch(name)) {}
  std::string operator()(const std::string& name, const std::string& bytes) const {
    write_file(folder_ + "/" + name, bytes);
    return folder_ + "/" + name;
  }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

const std::vector<double> six{1, 0.5, -0.25, 2, 3, -1};  // (3, 2)
const std::vector<float> six_floats{1, 0.5F, -0.25F, 2, 3, -1};

}  // namespace

TEST_CASE("every form of one array gives the same values") {
  const Files file("tokens-forms");
  const std::string data = doubles(six);
  const std::vector<double> columns{1, -0.25, 3, 0.5, 2, -1};
  const std::string plain = npy("'<f8'", "(3, 2)", data);
  const std::string expected_path = file("a.npy", plain);
  const std::string rest = " --gamma 3/2 --alpha 1/3 --pair 0,2 --format csv";
  const auto values = [&](const std::string& path) {
    const Run r = program("tokens " + path + rest);
    INFO(path << " " << r.err);
    CHECK(r.code == 0);
    std::string out = r.out;
    for (std::size_t at; (at = out.find(path)) != std::string::npos;) out.erase(at, path.size());
    return out;
  };
  const std::string expected = values(expected_path);
  CHECK(expected.find("jacobian_norm,") != std::string::npos);
  CHECK(values(file("v2.npy", npy("'<f8'", "(3, 2)", data, 2))) == expected);
  CHECK(values(file("v3.npy", npy("'<f8'", "(3, 2)", data, 3))) == expected);
  CHECK(values(file("big.npy", npy("'>f8'", "(3, 2)", doubles(six, true)))) == expected);
  CHECK(values(file("f4.npy", npy("'<f4'", "(3, 2)", floats(six_floats)))) == expected);
  CHECK(values(file("bigf4.npy", npy("'>f4'", "(3, 2)", floats(six_floats, true)))) == expected);
  CHECK(values(file("fortran.npy", npy("'<f8'", "(3, 2)", doubles(columns), 1, "True"))) == expected);
  CHECK(values(file("spaces.npy", npy("'<f8'", "(3L,2L,)", data))) == expected);
  CHECK(values(file("a.csv", "# tokens\n1,1/2\n\n-.25, 2\r\n3e0,-1\n")) == expected);
  CHECK(values(file("a.txt", "1.0e+00 0.5\n-0.25\t2\n+3   -1.000\n")) == expected);
  for (const bool deflated : {false, true}) {
    const std::string one = zip_archive({{"x.npy", plain}}, deflated);
    CHECK(values(file("one.npz", one)) == expected);
    const std::string two = file("two.npz", zip_archive({{"y.npy", "nonsense"}, {"x.npy", plain}}, deflated));
    CHECK(values(two + ":x") == expected);
    CHECK(values(two + ":x.npy") == expected);
    check_refused("tokens " + two, two + ": several arrays: 'y', 'x'; choose one with FILE.npz:NAME");
    check_refused("tokens " + two + ":z", two + ":z: no array 'z'; it has 'y', 'x'");
    check_refused("tokens " + two + ":y", two + ":y: not a .npy file");
  }
}

TEST_CASE("decimals of a CSV are exactly those decimals") {
  const Files file("tokens-decimals");
  // 3/5 and 4/5 are no doubles: (0.6, 0.8) and (3, 4) have one direction only if they are exact.
  const std::string path = file("a.csv", "0.6,0.8\n3,4\n1,0\n");
  const auto r = nlohmann::json::parse(program("tokens " + path + " --format json").out);
  CHECK(r["geometry"]["rho_max"]["value"] == "1");
  CHECK(r["geometry"]["rho_min"]["value"].get<std::string>().starts_with("0.6"));
  CHECK(r["geometry"]["thresholds"][1]["undefined"] == "infinite: the inner product is 1");
}

TEST_CASE("files that hold no tokens are refused with one line") {
  const Files file("tokens-refusals");
  const std::string data = doubles(six);
  const auto refused = [&](const std::string& name, const std::string& bytes, const std::string& message) {
    const std::string path = file(name, bytes);
    check_refused("tokens " + path, path + ": " + message);
  };
  const double nan = std::bit_cast<double>(0x7ff8000000000000),
               inf = std::bit_cast<double>(0x7ff0000000000000);
  refused("nan.npy", npy("'<f8'", "(2, 2)", doubles({1, 2, nan, 4})),
          "token 1, coordinate 0: nan is not a number that tokens can have");
  refused("inf.npy", npy("'<f8'", "(2, 2)", doubles({1, 2, 3, -inf})),
          "token 1, coordinate 1: -inf is not a number that tokens can have");
  refused("zero.npy", npy("'<f8'", "(2, 2)", doubles({1, 2, 0, -0.0})),
          "token 1 is zero: it has no direction");
  refused("row.npy", npy("'<f8'", "(1, 6)", data), "at least 2 tokens are needed, found 1");
  refused("none.npy", npy("'<f8'", "(0, 6)", ""), "at least 2 tokens are needed, found 0");
  refused("flat.npy", npy("'<f8'", "(6, 0)", ""), "tokens need at least 1 coordinate, found 0");
  refused("magic.npy", "\x93NUMPX" + npy("'<f8'", "(3, 2)", data).substr(6), "not a .npy file");
  refused("empty.npy", "", "not a .npy file");
  refused("version.npy", npy("'<f8'", "(3, 2)", data, 4),
          "version 4 of the .npy format is unknown (1, 2 and 3 are read)");
  refused("header.npy", npy("'<f8'", "(3, 2)", data).substr(0, 30), "the file ends within its header");
  refused("truncated.npy", npy("'<f8'", "(3, 2)", data.substr(0, 40)),
          "the header says (3, 2) numbers, 48 bytes; the file has 40 bytes of numbers");
  refused("long.npy", npy("'<f8'", "(3, 2)", data + "x"),
          "the header says (3, 2) numbers, 48 bytes; the file has 49 bytes of numbers");
  refused("vector.npy", npy("'<f8'", "(6,)", data),
          "expected an array of two dimensions, tokens and coordinates, found (6)");
  refused("cube.npy", npy("'<f8'", "(3, 2, 1)", data),
          "expected an array of two dimensions, tokens and coordinates, found (3, 2, 1)");
  refused("complex.npy", npy("'<c16'", "(3, 1)", data),
          "expected numbers of type float16, float32, float64 or integers of 8 to 64 bits, found complex128");
  refused("half.npy", npy("'<f2'", "(3, 2)", data),
          "the header says (3, 2) numbers, 12 bytes; the file has 48 bytes of numbers");
  refused("object.npy", npy("'|O'", "(3, 2)", data),
          "expected numbers of type float16, float32, float64 or integers of 8 to 64 bits, found object");
  refused("bool.npy", npy("'|b1'", "(3, 2)", "abcdef"),
          "expected numbers of type float16, float32, float64 or integers of 8 to 64 bits, found bool");
  refused("record.npy", npy("[('x', '<f8'), ('y', '<f8')]", "(3,)", data),
          "expected numbers of type float16, float32, float64 or integers of 8 to 64 bits, found structured "
          "'[('x', '<f8'), ('y', '<f8')]'");
  refused("keys.npy", npy("'<f8', 'extra': 1", "(3, 2)", data), "malformed header: unexpected key 'extra'");
  refused("negative.npy", npy("'<f8'", "(-3, 2)", data),
          "malformed header: expected a size below 2^64 at byte 51");
  refused("words.csv", "1,2\nthree,4\n",
          "line 2, column 1: 'three' is not a number: expected an integer, a decimal like 0.1, a fraction "
          "like 1/3 or a power like 10^100");
  refused("ragged.csv", "1,2\n3,4,5\n", "line 2: 3 numbers, but 2 in the first row");
  refused("blank.csv", "\n# nothing\n", "no numbers");
  refused("nan.csv", "1,2\nnan,4\n",
          "line 2, column 1: 'nan' is not a number: expected an integer, a decimal like 0.1, a fraction like "
          "1/3 or a power like 10^100");
  refused("zero.csv", "1,2\n0,0.0\n", "token 1 is zero: it has no direction");
  refused("vast.csv", "1,2\n1e999999,4\n", "line 2, column 1: '1e999999' needs more than 20000 bits");
  // Tokens on one line are the Ball path's, which keeps all pairs.
  const Run many = program("tokens --digits 8 " +
                           file("many.npy", npy("'<f4'", "(32769, 1)", std::string(4 * 32769, '?'))));
  CHECK(many.code == 3);
  CHECK(many.err ==
        "critscale: 32769 tokens need Ball arithmetic for these digits, which keeps the products of all "
        "pairs: of "
        "at most 32768 tokens\n");
  refused("text.npz", "this is no archive, whatever its name says",
          "not a whole zip archive: Not a zip archive");
  const std::string archive = zip_archive({{"x.npy", npy("'<f8'", "(3, 2)", data)}}, true);
  refused("cut.npz", archive.substr(0, archive.size() - 30), "not a whole zip archive: Not a zip archive");
  std::string damaged = archive;
  damaged[50] = static_cast<char>(damaged[50] ^ 0x55);
  const Run r = program("tokens " + file("damaged.npz", damaged));
  CHECK(r.code == 2);
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  check_refused("tokens " + file.folder(), file.folder() + ": is a directory");
  check_refused("tokens " + file.folder() + "/missing.npy", file.folder() + "/missing.npy: no such file");
}

TEST_CASE("sizes that are only claimed take no memory") {
  const Files file("tokens-claims");
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss / 1024;
  };
  const long before = peak();
  const std::string huge = file("huge.npy", npy("'<f8'", "(40000, 31250)", "few"));
  check_refused("tokens " + huge,
                huge + ": an array of (40000, 31250) numbers is too large: at most 134217728 are read");
  const std::string wrapped = file("wrapped.npy", npy("'<f8'", "(4294967296, 4294967296)", "few"));
  check_refused(
      "tokens " + wrapped,
      wrapped + ": an array of (4294967296, 4294967296) numbers is too large: at most 134217728 are read");
  const std::string large = file("large.npy", npy("'<f8'", "(10000, 10000)", "few"));
  check_refused(
      "tokens " + large,
      large + ": the header says (10000, 10000) numbers, 800000000 bytes; the file has 3 bytes of numbers");
  std::string archive = zip_archive({{"x.npy", npy("'<f8'", "(3, 2)", doubles(six))}}, true);
  const std::size_t directory = archive.find("PK\x01\x02");
  archive.replace(directory + 24, 4, word(std::uint32_t{900000000}));
  const std::string claimed = file("claimed.npz", archive);
  const Run r = program("tokens " + claimed);
  CHECK(r.code == 2);
  CHECK(r.err.starts_with("critscale: " + claimed + ": not a whole zip archive: "));
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  // The program itself takes some 20 MB; other tests of this process may have taken more before.
  CHECK(peak() <= std::max(before, 200L));
}

TEST_CASE("flags that make no sense are refused by name") {
  const Files file("tokens-flags");
  const std::string path = file("a.npy", npy("'<f8'", "(3, 2)", doubles(six)));
  check_refused("tokens", "token files are needed, or --gaussian n=,d=,rho=,seed= (see --help)");
  check_refused("tokens " + path + " --gamma critical",
                "--gamma: 'critical' has no exact value for explicit tokens; their thresholds are in the "
                "output, as enclosures");
  check_refused("tokens " + path + " --gamma 1 --beta 2", "give either gamma or beta, not both");
  check_refused("tokens " + path + " --gamma -1", "--gamma: gamma must be at least 0, found '-1'");
  check_refused("tokens " + path + " --alpha 1", "gamma or beta is needed for the layer's values");
  check_refused("tokens " + path + " --gamma 1 --alpha -1", "--alpha: alpha must not be negative, found -1");
  check_refused("tokens " + path + " --gamma 1 --pair 0",
                "--pair: expected i,j, the numbers of two tokens, found '0'");
  check_refused("tokens " + path + " --gamma 1 --pair 0,3",
                path + ": a pair needs two different tokens from 0 to 2, found 0,3");
  check_refused("tokens " + path + " --gamma 1 --pair 1,1",
                path + ": a pair needs two different tokens from 0 to 2, found 1,1");
  check_refused("tokens " + path + " --gamma 1 --quantities band_masses",
                path + ": band_masses has no meaning for explicit tokens, which have no bands");
  check_refused("tokens " + path + " --beta 'log n - 100'", path + ": beta must not be negative at n = 3");
  check_refused("tokens --gaussian n=2,d=3,rho=1/2",
                "--gaussian: expected n=,d=,rho=,seed= once each, found 'n=2,d=3,rho=1/2'");
  check_refused("tokens --gaussian n=1,d=3,rho=1/2,seed=1",
                "--gaussian n: expected an integer from 2 to 2147483648, found '1'");
  check_refused("tokens --gaussian n=2,d=3,rho=3/2,seed=1", "rho must lie in [0, 1], found 3/2");
  check_refused("tokens " + path + " --gaussian n=2,d=3,rho=1/2,seed=1",
                "give either token files or --gaussian, not both");
  check_refused("tokens --gaussian n=2,d=3,rho=1/2,seed=1 -o x.csv",
                "-o: with --gaussian the tokens are written, to a .npy file; found x.csv");
}

TEST_CASE("outputs that are zero have no direction") {
  const Files file("tokens-zero");
  const std::string opposite = file("a.csv", "1,2\n-2,-4\n");
  check_refused("tokens " + opposite + " --gamma 0",
                opposite + ": the output x' of token 0 is zero: it has no direction");
  CHECK(program("tokens " + opposite + " --gamma 1/10").code == 0);
  // A triangle: the directions are irrational, their sum is zero.
  const std::string triangle = file("b.csv", "1,-1,0\n0,1,-1\n-3,0,3\n");
  check_refused("tokens " + triangle + " --beta 0",
                triangle + ": the output x' of token 0 is zero: it has no direction");
  CHECK(program("tokens " + triangle + " --beta 0 --quantities entropy").code == 0);
  // 4^(1/4) - 3 * 4^(-1/4) over Z, plus alpha: exactly zero.
  const std::string line = file("c.csv", "1\n-1\n-1\n-1\n");
  check_refused("tokens " + line + " --gamma 1/4 --alpha 1/5",
                line + ": the output x' of token 0 is zero: it has no direction");
  CHECK(program("tokens " + line + " --gamma 1/4 --alpha 1/6").code == 0);
}

TEST_CASE("the JSON contract") {
  const Files file("tokens-json");
  const std::string path = file("a.npy", npy("'<f8'", "(3, 2)", doubles(six)));
  const auto r = nlohmann::json::parse(
      program("tokens " + path + " --gamma 3/2 --pair 0,2 --format json --digits 20").out);
  CHECK(r["schema"] == 1);
  CHECK(r["inputs"] == nlohmann::json{{"tokens", path}, {"gamma", "3/2"}, {"alpha", "0"}});
  const auto is_value = [](const nlohmann::json& v) {
    return v["value"].is_string() && v["lo"].is_string() && v["hi"].is_string() && v["digits"] == 20 &&
           v["hex"].size() == 2;
  };
  const auto& g = r["geometry"];
  CHECK(g["n"] == 3);
  CHECK(g["d"] == 2);
  for (const char* key : {"rho_min", "rho_max", "rho_mean"}) CHECK(is_value(g[key]));
  REQUIRE(g["thresholds"].size() == 2);
  CHECK(is_value(g["thresholds"][0]));
  CHECK(is_value(r["beta"]));
  const auto& q = r["quantities"];
  for (const char* key : {"log_partition", "self_weight", "output_norm2", "participation", "entropy"}) {
    REQUIRE(q[key].size() == 3);
    for (const auto& v : q[key]) CHECK(is_value(v));
  }
  CHECK(is_value(q["angle_ratio"]));
  CHECK(is_value(q["jacobian_norm"]));
  for (const char* key : {"min", "max", "mean"}) CHECK(is_value(q["inner_products"][key]));
  REQUIRE(r["pairs"].size() == 1);
  CHECK(r["pairs"][0]["i"] == 0);
  CHECK(r["pairs"][0]["j"] == 2);
  CHECK(is_value(r["pairs"][0]["input"]));
  CHECK(is_value(r["pairs"][0]["output"]));
  for (const char* key : {"lambda", "contact_gap", "gamma"}) {
    CHECK(r["gap_counting"][key]["values"].size() == 3);
    for (const char* part : {"min", "median", "max"}) CHECK(is_value(r["gap_counting"][key][part]));
  }
  // Lists and ranges.
  const auto several = nlohmann::json::parse(
      program("tokens " + path + " --gamma 1:2:3 --alpha 0 --alpha 1 --format json --digits 5").out);
  REQUIRE(several["results"].size() == 6);
  CHECK(several["results"][3]["inputs"]["gamma"] == "3/2");
  CHECK(several["results"][3]["inputs"]["alpha"] == "1");
  // Ties: nothing is undefined but what must be.
  const std::string tied = file("b.csv", "1,2\n2,4\n");
  const auto t = nlohmann::json::parse(program("tokens " + tied + " --gamma 1 --format json").out);
  CHECK(t["quantities"]["angle_ratio"]["undefined"] == "every pair of tokens is tied (inner product 1)");
  CHECK(t["quantities"]["inner_products"]["min"]["value"] == "1");
  CHECK(t["gap_counting"]["lambda"]["min"]["undefined"] == "infinite: another token has the same direction");
}

TEST_CASE("Gaussian tokens are written as they are drawn") {
  const Files file("tokens-gaussian");
  const std::string path = file.folder() + "/g.npy", flag = "--gaussian n=6,d=3,rho=1/3,seed=42";
  const Run written = program("tokens " + flag + " -o " + path);
  CHECK(written.code == 0);
  CHECK(written.out.empty());
  const std::string bytes = read_file(path);
  check_refused("tokens " + flag + " -o " + path, path + ": exists already (--force replaces it)");
  CHECK(program("tokens " + flag + " --force -o " + path).code == 0);
  CHECK(read_file(path) == bytes);
  CHECK(bytes.size() % 64 == 6 * 3 * 8 % 64);
  const auto from_file = nlohmann::json::parse(program("tokens " + path + " --gamma 2 --format json").out);
  const auto drawn = nlohmann::json::parse(program("tokens " + flag + " --gamma 2 --format json").out);
  CHECK(from_file["quantities"] == drawn["quantities"]);
  CHECK(from_file["geometry"] == drawn["geometry"]);
  CHECK(drawn["inputs"]["gaussian"] == "n=6,d=3,rho=1/3,seed=42");
}

TEST_CASE("limits end with exit code 3") {
  const Files file("tokens-limits");
  const std::string path = file("a.npy", npy("'<f8'", "(3, 2)", doubles(six)));
  const Run bits = program("tokens " + path + " --gamma 1 --digits 100 --max-bits 64");
  CHECK(bits.code == 3);
  CHECK(bits.err.find("100 digits not certified at the limit of 64 bits") != std::string::npos);
  const Run time =
      program("tokens --gaussian n=200,d=50,rho=1/2,seed=1 --gamma 1 --digits 3000 --time-limit 0.01");
  CHECK(time.code == 3);
  CHECK(time.err == "critscale: time limit of 0.01 s reached\n");
}

TEST_CASE("tokens: values far below the range of doubles have their digits") {
  const std::string folder = scratch("tokens-tiny");
  write_file(folder + "/x.csv", "1,0\n0,1\n");
  for (const char* digits : {"8", "30"}) {
    const nlohmann::json r = run_json(
        fmt::format("tokens {}/x.csv --beta 1000000 --digits {} --quantities entropy", folder, digits));
    CHECK(r["quantities"]["entropy"][0]["value"].get<std::string>().starts_with("3.2968"));
    CHECK(r["quantities"]["entropy"][0]["value"].get<std::string>().ends_with("e-434289"));
  }
}

TEST_CASE("tokens: the same bytes in every run, whatever memory and threads it is given") {
  const std::string arguments =
      "tokens --gaussian n=150,d=33,rho=1/2,seed=4 --gamma 3/2 --digits 8 --format json --threads ";
  std::set<std::string> outputs;
  // From the heap, where arrays begin at any multiple of 16 bytes, and in pages of their own.
  for (const char* own_pages_from : {"", "512", "4096", "100000000"})
    for (const char* threads : {"1", "2"}) {
      setenv("MALLOC_MMAP_THRESHOLD_", own_pages_from, 1);
      const Run r = program(arguments + threads);
      CHECK(r.code == 0);
      outputs.insert(r.out);
    }
  unsetenv("MALLOC_MMAP_THRESHOLD_");
  CHECK(outputs.size() == 1);
}

TEST_CASE("the flag --row gives the weights and the output of a token in every format") {
  const Files file("tokens-row");
  const std::string path = file("a.npy", npy("'<f8'", "(3, 2)", doubles(six)));
  const std::string command = "tokens " + path + " --gamma 2 --alpha 1/2 --digits 20 --row 1 --row 0";
  const auto rows = run_json(command)["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["i"] == 1);
  REQUIRE(rows[0]["weights"].size() == 3);
  REQUIRE(rows[0]["output"].size() == 2);
  const Run csv = program(command + " --format csv"), text = program(command);
  for (const char* name : {"weights[1,2]", "output[0,1]"}) {
    CHECK(csv.out.find(name) != std::string::npos);
    CHECK(text.out.find(name) != std::string::npos);
  }
  CHECK(text.out.find(rows[0]["weights"][2]["value"].get<std::string>()) != std::string::npos);
  check_refused("tokens " + path + " --gamma 2 --row 3", path + ": there is no token 3: there are 3");
  check_refused("tokens " + path + " --row 0", "gamma or beta is needed for the layer's values");
}
