// Inputs without end, deep, damaged; streams that are closed or full; interruption.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "provers/program.hpp"

namespace critscale::test {

namespace {

namespace fs = std::filesystem;

/// Runs a shell command in which $P is the program and $D a folder; returns its exit code.
int shell(const std::string& command, const std::string& folder) {
  const int status =
      std::system(fmt::format("P='{}' D='{}'; export P D; {}", CRITSCALE_PROGRAM, folder, command).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Exit code 2 and one line on stderr that contains `message`.
void check_refusal(const std::string& arguments, const std::string& message) {
  INFO("critscale " << arguments);
  const Run r = program(arguments);
  CHECK(r.code == 2);
  CHECK(r.out.empty());
  CHECK(r.err.find(message) != std::string::npos);
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
}

std::string small_table(const std::string& folder) {
  const std::string path = folder + "/t.csv";
  REQUIRE(program(fmt::format("table --rho 1/3 --n 100 --gamma 1 --digits 5 -o {}", path)).code == 0);
  return path;
}

}  // namespace

TEST_CASE("files without end are refused at a stated size") {
  const std::string folder = scratch("endless"), table = small_table(folder);
  check_refusal("eval /dev/zero", "more than 64 MiB are not read");
  check_refusal("prove /dev/zero -o " + folder + "/out", "more than 64 MiB are not read");
  check_refusal("verify /dev/zero", "more than 64 MiB are not read");
  check_refusal("check /dev/zero " + table, "a line of more than 64 MiB");
  fs::create_symlink("/dev/zero", folder + "/zero.json");
  fs::create_symlink("/dev/zero", folder + "/zero.csv");
  fs::create_symlink("/dev/zero", folder + "/zero.npy");
  check_refusal(fmt::format("check {} {}/zero.json", table, folder), "more than 256 MiB are not read");
  check_refusal(fmt::format("check {} {}/zero.csv", table, folder), "a line of more than 64 MiB");
  check_refusal(fmt::format("check {} {}/zero.npy", table, folder), "more than 256 MiB are not read");
  check_refusal(fmt::format("plot {}/zero.json", folder), "more than 256 MiB are not read");
  check_refusal(fmt::format("tokens {}/zero.npy --gamma 1", folder), "is not a regular file");
}

TEST_CASE("depth and number of values are bounded") {
  const std::string folder = scratch("deep");
  std::string key = "a";
  for (int i = 0; i < 50000; ++i) key += ".a";
  write_file(folder + "/deep.toml", "[[case]]\n" + key + " = 1\n");
  check_refusal("eval " + folder + "/deep.toml", "deep.toml:2: a key of more than 100 parts");
  write_file(folder + "/header.toml", "[" + key + "]\nx = 1\n");
  check_refusal("eval " + folder + "/header.toml", "header.toml:1: a key of more than 100 parts");
  // Dots in texts are no parts of keys.
  write_file(folder + "/dots.toml",
             "why = \"" + std::string(1000, '.') + "\"\n[[case]]\nrho = \"1/3\"\nn = 100\ngamma = 1\n");
  CHECK(program("eval " + folder + "/dots.toml").code == 0);
  std::string many = "[";
  for (int i = 0; i < 2000000; ++i) many += "0,";
  write_file(folder + "/many.json", many + "0]");
  check_refusal("verify " + folder + "/many.json", "JSON of more than 1048576 values");
}

TEST_CASE("what is not UTF-8 is refused with its line and byte") {
  const std::string folder = scratch("utf8"), table = small_table(folder);
  std::string text = read_file(table);
  text.insert(text.find('\n') + 5, "\xff");
  write_file(folder + "/bad.csv", text);
  check_refusal(fmt::format("check {}/bad.csv {}", folder, table),
                "bad.csv:2: not valid UTF-8 at byte 5 of the line");
  check_refusal(fmt::format("check {} {}/bad.csv --format json", table, folder),
                "bad.csv:2: not valid UTF-8");
  write_file(folder + "/bad.toml", "[[case]]\nwhy = \"\xc3\"\n");
  check_refusal("eval " + folder + "/bad.toml", "bad.toml:2: not valid UTF-8 at byte 8 of the line");
  check_refusal("eval --rho $(printf '1/3\\377') --n 10 --gamma 1",
                "argument 3, '1/3\\xff': not valid UTF-8 at byte 4");
  const std::string bad = folder + "/bad\xff.npy";
  check_refusal("tokens '" + bad + "' --format json", "not valid UTF-8");
}

TEST_CASE("streams that are closed or full end the program in order") {
  const std::string folder = scratch("streams"), eval = "$P eval --rho 1/3 --n 100 --gamma 1 --digits 5";
  CHECK(shell("$P nonsense 2>&-", folder) == 2);
  CHECK(shell("$P nonsense 2>/dev/full", folder) == 2);
  CHECK(shell(eval + " >/dev/full 2>/dev/null", folder) == 2);
  CHECK(shell(eval + " >&- 2>/dev/null", folder) == 2);
  CHECK(shell("$P --help >/dev/full 2>/dev/null", folder) == 2);
  CHECK(shell("$P eval --help >/dev/full 2>/dev/null", folder) == 2);
  CHECK(shell("$P --version >/dev/full 2>/dev/null", folder) == 2);
  CHECK(shell("$P --version >/dev/null", folder) == 0);
  // With stdout closed the result must not land in a file that took its place.
  CHECK(shell(eval + " -o $D/r.txt >&- 2>&-", folder) == 0);
  CHECK(read_file(folder + "/r.txt").find("self_weight") != std::string::npos);
}

/// Whether a process is gone, or waits only for its parent to take note.
bool is_over(const std::string& pid, const std::string& folder) {
  return shell("sleep 0.3; grep -q '^State:[[:space:]]*[^Z[:space:]]' /proc/" + pid + "/status 2>/dev/null",
               folder) != 0;
}

TEST_CASE("an interruption ends the client and leaves no empty file") {
  const std::string folder = scratch("interrupt"), table = small_table(folder);
  write_file(folder + "/client.sh", "echo $$ > " + folder + "/pid\nexec sleep 60\n");
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    fs::remove(folder + "/pid");
    const int code =
        shell(fmt::format("$P check $D/t.csv --run 'sh $D/client.sh' -o $D/report.txt 2>/dev/null & c=$!; "
                          "for i in $(seq 200); do [ -s $D/pid ] && break; sleep 0.05; done; "
                          // A shell's background jobs ignore SIGINT.
                          "kill -{} $c; wait $c",
                          std::string(signal) == "INT" ? "TERM" : signal),
              folder);
    CHECK(code > 128);
    const std::string pid = read_file(folder + "/pid");
    REQUIRE_FALSE(pid.empty());
    CHECK(is_over(pid.substr(0, pid.size() - 1), folder));
    CHECK_FALSE(fs::exists(folder + "/report.txt.partial"));
  }
  // SIGINT, where it is not ignored.
  CHECK(shell("timeout -s INT 1 $P check $D/t.csv --run 'sh $D/client.sh' 2>/dev/null", folder) == 124);
  const std::string pid = read_file(folder + "/pid");
  CHECK(is_over(pid.substr(0, pid.size() - 1), folder));
}

TEST_CASE("an interrupted table says how to go on") {
  const std::string folder = scratch("interrupted-table");
  CHECK(
      shell("timeout -s INT 2 $P table --rho 1/10:9/10:1000 --n '10^(10^10)' --gamma 1/10:3:1000 --digits 50 "
            "-o $D/t.csv 2>$D/err",
            folder) == 124);
  CHECK(read_file(folder + "/err").find("the same command continues") != std::string::npos);
  CHECK(fs::file_size(folder + "/t.csv.partial") > 0);
}

TEST_CASE("tables and other results go through devices and FIFOs, and are locked") {
  const std::string folder = scratch("through");
  const std::string eval = "$P eval --rho 1/3 --n 100 --gamma 1 --digits 5";
  CHECK(shell("cd $D && ln -s /dev/null null.csv && $P table --rho 1/3 --n 100 --gamma 1 --digits 5 -o "
              "null.csv && "
              "[ -L null.csv ] && [ -c /dev/null ] && [ ! -e null.csv.partial ]",
              folder) == 0);
  CHECK(shell("cd $D && mkfifo f.json && { " + eval +
                  " --format json -o f.json & } && grep -q quantities f.json && wait && [ -p f.json ]",
              folder) == 0);
  CHECK(shell("cd $D && mkfifo f.csv && { $P table --rho 1/3 --n 100 --gamma 1 --digits 5 -o f.csv & } && "
              "grep -q crc64 f.csv && wait && [ -p f.csv ] && [ ! -e f.csv.partial ] && [ ! -e "
              "f.csv.partial.sum ]",
              folder) == 0);
  for (const char* extension : {"csv", "json", "npy", "npz", "h", "tex"}) {
    CHECK(program(fmt::format("table --rho 1/3 --n 100 --gamma 1 --digits 5 -o {}/a.{}", folder, extension))
              .code == 0);
    for (const char* rest : {"partial", "partial.sum", "converted"})
      CHECK_FALSE(fs::exists(fmt::format("{}/a.{}.{}", folder, extension, rest)));
  }
  // Two at once: the second says so and stops, the first, held meanwhile, is whole.
  CHECK(shell("cd $D && { $P table --rho 1/10:9/10:20 --n '10^(10^12)' --gamma 1/10:3:60 --digits 300 -o "
              "two.csv & } && "
              "for i in $(seq 1000); do [ -e two.csv.partial ] && break; sleep 0.01; done; kill -STOP $!; "
              "$P table --rho 1/10:9/10:20 --n '10^(10^12)' --gamma 1/10:3:60 --digits 300 -o two.csv 2>err; "
              "c=$?; kill -CONT $!; "
              "wait; [ $c = 2 ] && grep -q 'another program is writing it' err && $P check two.csv two.csv "
              ">/dev/null",
              folder) == 0);
  fs::create_directories(folder + "/way.csv.partial.sum");
  check_refusal(fmt::format("table --rho 1/3 --n 100 --gamma 1 -o {}/way.csv", folder),
                "way.csv.partial.sum: is a directory");
}

TEST_CASE("no file name becomes a command of gnuplot") {
  const std::string folder = scratch("plot-names"), name = folder + "/a\nset output 'evil'\n'b.csv";
  REQUIRE(
      program(fmt::format("table --rho 1/3 --n 100 --gamma 1/2:2:5 --digits 5 -o {}/t.csv", folder)).code ==
      0);
  fs::rename(folder + "/t.csv", name);
  const std::string quoted = folder + "/a\nset output '\\''evil'\\''\n'\\''b.csv";
  const Run r = program("plot --script '" + quoted + "'");
  INFO(r.err);
  CHECK(r.code == 0);
  CHECK(r.out.find("\nset output") == std::string::npos);
  CHECK_FALSE(r.out.empty());
}

}  // namespace critscale::test
