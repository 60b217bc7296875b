// Bad input gets one clear line and exit code 2, before any work [bad-input].
#include <catch2/catch.hpp>
#include <random>

#include "provers/program.hpp"

using namespace critscale::test;

namespace {

const std::string simplex = "eval --rho 1/3 --n 10 --gamma 1 ";

}  // namespace

TEST_CASE("parameters outside their range are refused by name") {
  check_refused(simplex + "--digits 0", "--digits: expected an integer from 1 to 100000, found '0'");
  check_refused(simplex + "--digits 100001",
                "--digits: expected an integer from 1 to 100000, found '100001'");
  check_refused("eval --rho 1/3 --n 1 --gamma 1", "--n: n must be at least 2, found '1'");
  check_refused("eval --rho 1.2 --n 10 --gamma 1", "rho must lie in [0, 1], found 6/5");
  check_refused("eval --rho -1/3 --n 10 --gamma 1", "rho must lie in [0, 1], found -1/3");
  check_refused(
      "eval --rho abc --n 10 --gamma 1",
      "--rho: 'abc' is not a number or a box: expected a number like 1/3 or two ends like [3/10,2/5]");
  check_refused(simplex + "--d 3", "d must be at least the rank of the Gram matrix, 10, found 3");
  check_refused(simplex + "--q 0", "q must be positive, found 0");
  check_refused(simplex + "--alpha -1", "alpha must not be negative, found -1");
  check_refused("eval --rho 1/3 --n 10 --gamma -1", "--gamma: gamma must be at least 0, found '-1'");
  check_refused("eval --rho 1/3 --n 10 --beta 'log n - 100'",
                "beta must not be negative, found 1*(log n)^1 + -100 at n = 10");
  check_refused(simplex + "--d 'n^(1/2)'",
                "d must be an integer, found 10^(1/2) (--analytic continues the formulas)");
}

TEST_CASE("bands out of order, sizes that do not divide") {
  check_refused(
      "eval --band r=4/5,size=3 --band r=1/5,size=n --n 10 --gamma 1",
      "band sizes must divide each other: 3 does not divide 10 (--analytic continues the formulas)");
  check_refused(
      "eval --band r=1/5,size=5 --band r=4/5,size=n --n 10 --gamma 1",
      "bands are out of order: r must not increase from the innermost band on, found 4/5 after 1/5");
  check_refused("eval --band r=4/5,size=n --band r=1/5,size=5 --n 10 --gamma 1",
                "band sizes must increase strictly from more than 1, found 5 after 10");
  check_refused("eval --band r=4/5,size=5 --n 10 --gamma 1", "the last band's size must be n = 10, found 5");
  check_refused("eval --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --n 10 --gamma 1",
                "a band's size must be an integer, found 10^(1/2) (--analytic continues the formulas)");
  check_refused("eval --band r=4/5 --n 10 --gamma 1",
                "--band: expected r=R,size=SIZE (or theta=THETA for size n^THETA), found 'r=4/5'");
  CHECK(program("eval --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --n 10 --gamma 1 --analytic").code ==
        0);
}

TEST_CASE("what is missing or contradicts itself is named") {
  check_refused("eval",
                "a case file or parameters are needed, such as --rho 1/3 --n 10^6 --gamma 3/2 (see --help)");
  check_refused("eval --rho 1/3 --n 10", "exactly one of gamma, gamma_ratio and beta is needed");
  check_refused("eval --rho 1/3 --n 10 --gamma 1 --beta 2",
                "exactly one of gamma, gamma_ratio and beta is needed");
  check_refused("eval --rho 1/3 --gamma 1", "n is needed");
  check_refused("eval --rho 1 --n 10 --gamma critical",
                "--gamma: 'critical' has no meaning here: this geometry has no threshold");
  check_refused(simplex + "--quantities inner",
                "--quantities: 'inner' is not a quantity; allowed: log_partition, self_weight, band_weights, "
                "band_masses, "
                "inner_products, output_norm2, angle_ratio, jacobian_norm, participation, entropy");
}

TEST_CASE("unknown flags and subcommands") {
  check_refused("eval --frobnicate", "The following argument was not expected: --frobnicate");
  CHECK(program("").code == 2);
  CHECK(program("frobnicate").code == 2);
  CHECK(program(simplex + "--format xml").code == 2);
}

TEST_CASE("case files that cannot be read") {
  const std::string folder = scratch("case-files");
  const auto file = [&](const std::string& name, const std::string& text) {
    write_file(folder + "/" + name, text);
    return folder + "/" + name;
  };
  check_refused("eval " + folder + "/none.toml", folder + "/none.toml: no such file");
  check_refused("eval " + folder, folder + ": is a directory");
  const std::string empty = file("empty.toml", "");
  check_refused("eval " + empty, empty + ": the file is empty");
  const std::string unknown =
      file("unknown.toml", "rho = \"1/3\"\n[[case]]\nn = 10\ngamma = \"1\"\nrh0 = \"1\"\n");
  CHECK(
      program("eval " + unknown)
          .err.starts_with("critscale: " + unknown + ":5: unknown key 'rh0', did you mean rho?; allowed: "));
  CHECK(program("eval " + unknown).code == 2);
  const std::string inexact = file("inexact.toml", "rho = 0.3\n[[case]]\nn = 10\ngamma = \"1\"\n");
  check_refused("eval " + inexact,
                inexact +
                    ":1: rho: expected a string or an integer, found a value of type floating-point "
                    "(write exact numbers as strings, such as \"0.1\" or \"1/10\")");
  const std::string wrong = file("wrong.toml", "[[case]]\nrho = \"x\"\nn = 10\ngamma = \"1\"\n");
  CHECK(program("eval " + wrong).err.find(wrong + ":2: rho: 'x' is not a number") != std::string::npos);
  const std::string outside = file("outside.toml", "n = 10\n[[case]]\nrho = \"6/5\"\ngamma = \"1\"\n");
  check_refused("eval " + outside, outside + ":2: rho must lie in [0, 1], found 6/5");
  check_refused("eval " + file("nothing.toml", "n = 10\n"),
                folder + "/nothing.toml: no [[case]] or [[claim]] table");
  std::mt19937 random(4);
  std::string noise;
  for (int i = 0; i < 4000; ++i) noise += static_cast<char>(random());
  const Run r = program("eval " + file("noise.toml", noise));
  CHECK(r.code == 2);
  CHECK(r.err.starts_with("critscale: " + folder + "/noise.toml:"));
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
}

TEST_CASE("existing results are kept") {
  const std::string folder = scratch("outputs");
  const std::string out = folder + "/a.json";
  CHECK(program(simplex + "--format json -o " + out).code == 0);
  const std::string first = read_file(out);
  check_refused(simplex + "--format json -o " + out, out + ": exists already (--force replaces it)");
  CHECK(program(simplex + "--format json --force -o " + out).code == 0);
  CHECK(read_file(out) == first);
  check_refused(simplex + "-o " + folder + "/none/a.json", folder + "/none: no such directory");
}

TEST_CASE("digits that the precision limit does not allow are refused with exit code 3") {
  const Run r = program(simplex + "--digits 100 --max-bits 64");
  CHECK(r.code == 3);
  CHECK(r.err.find("digits not certified at the limit of 64 bits; reached [") != std::string::npos);
}
