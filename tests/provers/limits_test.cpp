// Limits on time and memory, and lazy grids.
#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <thread>

#include "jobs/complete.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"
#include "provers/program.hpp"

namespace critscale::test {

namespace {

/// Exit code 3 within the limit, a second and a quarter of it, and what a loaded machine adds.
Run check_stops(const std::string& arguments, double limit, bool says_why = true) {
  INFO("critscale " << arguments);
  const auto start = std::chrono::steady_clock::now();
  const Run r = program(fmt::format("{} --time-limit {}", arguments, limit));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CHECK(r.code == 3);
  if (says_why) CHECK(r.err.find("time limit") != std::string::npos);
  CHECK(seconds < 1.25 * limit + 1 + 2);
  return r;
}

}  // namespace

TEST_CASE("time limits are kept inside single long steps") {
  const std::string folder = scratch("time");
  check_stops("eval --rho 1/3 --n 10 --beta '10^30000' --max-bits 4000000000", 1);
  check_stops("tokens --gaussian n=2000,d=300,rho=1/2,seed=1 --gamma 3/2 --digits 30", 1);
  check_stops(
      fmt::format("table --rho 1/3 --n '10^(10^15)' --gamma 1/2:2:100 --digits 50000 -o {}/t.csv", folder),
      1);
  write_file(folder + "/claims.toml", R"toml(
[[claim]]
id = "wide"
theorem = "C.2"
phase = "near"
quantity = "angle_ratio"
theta = { box = ["1/4", "3/4"] }
r = { box = ["7/10", "19/20"] }
rho = { box = ["1/10", "1/2"] }
gap = { box = ["1/10", "40"] }
N = "100"
)toml");
  check_stops(fmt::format("prove {}/claims.toml -o {}/out", folder, folder), 1, false);
  const auto table = nlohmann::json::parse(read_file(folder + "/out/verdicts.json"));
  REQUIRE_FALSE(table["verdicts"].empty());
  for (const auto& row : table["verdicts"]) CHECK(row["verdict"] != "proved");
  CHECK_FALSE(std::filesystem::exists(folder + "/out/verdicts.json.partial"));
}

TEST_CASE("what is complete is written, also where the next result does not stop in time") {
  const std::string file = scratch("complete") + "/written";
  const pid_t child = fork();
  if (child == 0) {
    // The guard ends this process: nothing of the parent's is run on the way out.
    cli::RunOptions options;
    options.threads = 1;
    options.time_limit = cli::seconds_running() + 0.3;
    const auto job = [](std::size_t i) {
      if (i == 2) std::this_thread::sleep_for(std::chrono::minutes(5));
    };
    cli::be_quiet();
    try {
      cli::run_and_write(4, options, job, [&](const std::vector<std::size_t>& complete) {
        write_file(file, fmt::format("{}", complete.size()));
      });
    } catch (...) {
    }
    _exit(99);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(read_file(file) == "2");
}

TEST_CASE("a result beyond its precision does not take the others with it") {
  const Run r = program("eval --rho 1/3 --n 10 --beta 2 --beta '10^30000' --beta 3 --quantities self_weight");
  CHECK(r.code == 3);
  CHECK(r.out.find("beta = 2") != std::string::npos);
  CHECK(r.out.find("beta = 3") != std::string::npos);
  CHECK(r.err.find("result 2: beta is beyond 2^32768") != std::string::npos);
  CHECK(r.err.find("1 of 3 results are undecided") != std::string::npos);
  // Alone, its own reason is all there is.
  const Run alone = program("eval --rho 1/3 --n 10 --beta '10^30000'");
  CHECK(alone.code == 3);
  CHECK(alone.out.empty());
  CHECK(alone.err.starts_with("critscale: beta is beyond 2^32768"));
}

TEST_CASE("grids of any size take no memory; what must be kept is checked first") {
  const std::string folder = scratch("grids");
  const std::string grid = "--rho 1/10:9/10:100000 --n 100 --gamma 1/10:3:100000 --digits 10";
  const Run kept = program("eval " + grid);
  CHECK(kept.code == 3);
  CHECK(kept.err.find("keeping 10000000000 results of 10 digits (a table keeps none) needs about") !=
        std::string::npos);
  CHECK(kept.err.find("--max-memory") != std::string::npos);
  CHECK(program("eval " + grid + " --max-memory 64M").code == 3);
  CHECK(program("limit --rho 1/10:9/10:100000 --gamma 1/10:3:100000").code == 3);
  const Run tokens =
      program("tokens --gaussian n=3000,d=4,rho=1/2,seed=1 --gamma 2 --digits 30 --max-memory 1G");
  CHECK(tokens.code == 3);
  CHECK(tokens.err.find("the products of 3000 tokens at 30 digits needs about") != std::string::npos);
  // The table begins at once, within little memory.
  const Run table = check_stops(fmt::format("table {} -o {}/t.csv --max-memory 1G", grid, folder), 3);
  CHECK(table.err.find("of 10000000000 rows are in") != std::string::npos);
  check_refused("eval --rho 1/10:9/10:10000000 --n 2:1000000:999999 --gamma 1/10:3:10000000",
                "--gamma: more than 1125899906842624 points");
}

TEST_CASE("memory limits are read and kept") {
  check_refused("eval --rho 1/3 --n 10 --gamma 1 --max-memory much",
                "--max-memory: expected bytes, or a number with K, M, G or T such as 8G, found 'much'");
  check_refused("eval --rho 1/3 --n 10 --gamma 1 --max-memory 1K",
                "--max-memory: expected from 64M to 1048576T, found '1K'");
  CHECK(program("eval --rho 1/3 --n 10 --gamma 1 --max-memory 0.5GiB").code == 0);
  CHECK(program("--max-memory 200000000 eval --rho 1/3 --n 10 --gamma 1").code == 0);
}

}  // namespace critscale::test
