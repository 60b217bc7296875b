// `critscale attention` as a user runs it.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "provers/program.hpp"

namespace critscale::test {

TEST_CASE("attention: arrays from files, outputs and gradients in every format") {
  const std::string folder = scratch("attention"), x = folder + "/x.npy";
  REQUIRE(program("tokens --gaussian n=8,d=4,rho=1/2,seed=1 -o " + x).code == 0);
  const std::string arrays = fmt::format("attention --q {0} --k {0} --v {0} --digits 12", x);
  const nlohmann::json r = run_json(arrays + " --causal top-left --d-out " + x);
  REQUIRE(r["heads"].size() == 1);
  CHECK(r["heads"][0]["lse"].size() == 8);
  CHECK(r["heads"][0]["self_weight"][0]["value"] == "1");  // the first row sees itself alone
  for (const char* gradient : {"dq", "dk", "dv"}) CHECK(r[gradient].size() == 1);
  const Run text = program(arrays + " --quantities lse");
  CHECK(text.code == 0);
  CHECK(text.out.find("lse[0][7]") != std::string::npos);
  CHECK(program(arrays + " --format csv").code == 0);
  const Run refused = program(fmt::format("attention --q {} --k {}/none.npy --v {}", x, folder, x));
  CHECK(refused.code == 2);
  CHECK(refused.err == fmt::format("critscale: {}/none.npy: no such file\n", folder));
}

namespace {

/// A file of float64 zeros but for one entry, under a type and a shape.
std::string array_file(const std::string& path, const std::string& type, const std::string& shape,
                       std::size_t bytes, const std::string& first = "") {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  header.resize(117, ' ');
  header += '\n';
  std::string data = first + std::string(bytes - first.size(), '\0');
  write_file(path,
             std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + data);
  return path;
}

/// The bytes of a double.
std::string bytes_of(double x) {
  const char* p = reinterpret_cast<const char*>(&x);
  return std::string(p, p + sizeof x);
}

}  // namespace

TEST_CASE("attention: bad input is refused by name") {
  const std::string f = scratch("attention-refusals");
  const std::string a = array_file(f + "/a.npy", "<f8", "(4, 2)", 64),
                    narrow = array_file(f + "/n.npy", "<f8", "(4, 1)", 32),
                    few = array_file(f + "/f.npy", "<f8", "(3, 2)", 48),
                    three = array_file(f + "/3.npy", "<f8", "(3, 4, 2)", 192),
                    two = array_file(f + "/2.npy", "<f8", "(2, 4, 2)", 128),
                    nan =
                        array_file(f + "/nan.npy", "<f8", "(4, 2)", 64, bytes_of(0) + bytes_of(std::nan(""))),
                    infinite = array_file(f + "/inf.npy", "<f8", "(4, 2)", 64, bytes_of(HUGE_VAL)),
                    half = array_file(f + "/bf.npy", "<u2", "(4, 2)", 16),
                    mask = array_file(f + "/m.npy", "|b1", "(4, 3)", 12),
                    flat = array_file(f + "/1.npy", "<f8", "(8,)", 64),
                    heavy = array_file(f + "/w.npy", "<f8", "(4, 4)", 128, bytes_of(HUGE_VAL));
  const auto refused = [&](const std::string& q, const std::string& k, const std::string& v,
                           const std::string& more, const std::string& message) {
    check_refused(fmt::format("attention --q {} --k {} --v {} {}", q, k, v, more), message);
  };
  refused(narrow, a, a, "", "queries (4, 1) and keys (4, 2) differ in width");
  refused(a, a, few, "", "keys (4, 2) and values (3, 2) differ in number");
  refused(three, two, two, "", "3 query heads are no multiple of 2 key heads");
  refused(two, two, a, "", "keys (2, 4, 2) and values (4, 2) differ in heads");
  refused(nan, a, a, "", "q: row 0, column 1: nan is not allowed");
  refused(a, infinite, a, "", "k: row 0, column 0: infinity is not allowed");
  refused(a, a, infinite, "", "v: row 0, column 0: infinity is not allowed");
  refused(a, a, a, "--mask " + mask, fmt::format("--mask: {}: expected (4, 4), found (4, 3)", mask));
  refused(a, a, a, "--mask " + heavy, "mask: row 0, column 0: plus infinity is not allowed");
  refused(a, a, a, "--d-out " + few, "--d-out (3, 2) is not shaped like the output (4 rows of 2 in 1 heads)");
  refused(a, a, a, "--d-out " + nan, "d_out: row 0, column 1: nan is not allowed");
  refused(a, a, a, "--quantities lse --d-out " + a,
          "--d-out is for gradients, and --quantities names none of dq, dk, dv, dsink");
  refused(a, a, a, "--quantities dq", "--quantities dq: gradients need --d-out");
  refused(a, a, a, "--quantities dsink --d-out " + a, "--quantities dsink: there is no --sink");
  refused(half, a, a, "", half + ": uint16 holds bfloat16 patterns only where --bfloat16 says so");
  refused(
      flat, a, a, "",
      fmt::format(
          "--q: {}: expected (rows, width), (heads, rows, width) or (batch, heads, rows, width), found (8)",
          flat));
  refused(a, a, a, "--rows 4", "--rows: expected an integer from 0 to 3, found '4'");
  refused(a, a, a, "--rows 3:3", "--rows: '3:3' is no row");
  refused(a, a, a, "--rows 0 --d-out " + a, "gradients need all query rows");
  refused(a, a, a, "--gaussian n=4,d=2", "give either --q, --k and --v or --gaussian, not both");
  refused(a, a, a, "--softcap 0", "softcap must be positive, found 0");
  refused(a, a, a, "--gamma 1", "q: row 0 is zero: it has no direction");
  check_refused("attention --gaussian n=4", "--gaussian: n= and d= are needed, found 'n=4'");
  check_refused("attention --gaussian n=4,d=2,heads=3,key_heads=2",
                "3 query heads are no multiple of 2 key heads");
  check_refused("attention --seed 3", "--seed is that of --gaussian, which is not given");
}

TEST_CASE("attention: drawn arrays, chosen rows and chosen gradients") {
  const std::string drawn = "attention --gaussian n=30,m=20,d=4,e=3,heads=4,key_heads=2 --seed 5 --digits 6";
  const nlohmann::json r = run_json(drawn + " --d-out gaussian --sink 1/2");
  CHECK(r["heads"].size() == 4);
  CHECK(r["heads"][0]["output"][0].size() == 3);
  CHECK(r["dq"].size() == 4);
  CHECK(r["dk"].size() == 2);
  CHECK(r["dsink"].size() == 4);
  CHECK(run_json(drawn + " --d-out gaussian --sink 1/2") == r);
  const nlohmann::json some = run_json(drawn + " --sink 1/2 --rows 3:5 --quantities lse");
  CHECK(some["heads"][1]["rows"] == nlohmann::json::array({3, 4}));
  CHECK(some["heads"][1]["lse"][1]["value"] == r["heads"][1]["lse"][4]["value"]);
  const nlohmann::json sampled = run_json(drawn + " --rows sample=7,seed=2 --quantities lse");
  CHECK(sampled["heads"][0]["rows"].size() == 7);
  CHECK(sampled == run_json(drawn + " --rows sample=7,seed=2 --quantities lse"));
  const nlohmann::json gradients = run_json(drawn + " --d-out gaussian --sink 1/2 --quantities dv");
  CHECK_FALSE(gradients.contains("heads"));
  CHECK_FALSE(gradients.contains("dq"));
  CHECK(gradients["dv"] == r["dv"]);
  // The first keys of more keys are the same keys.
  const auto last = [](std::size_t n) {
    return run_json(fmt::format(
        "attention --gaussian n={},m=5,d=4 --digits 6 --rows 4 --quantities lse --causal top-left", n));
  };
  CHECK(last(9)["heads"][0]["lse"][0]["value"] == last(90)["heads"][0]["lse"][0]["value"]);
}

}  // namespace critscale::test
