// What one may write on the command line and in case files.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "critscale/tables/detail/reader.hpp"
#include "critscale/text/detail/nearest.hpp"
#include "provers/program.hpp"

namespace critscale::test {

namespace {

std::vector<std::string> inputs_of(const std::string& arguments, const std::string& key) {
  const nlohmann::json j = run_json(arguments + " --list --quantities self_weight --digits 5");
  std::vector<std::string> r;
  for (const auto& result : j["results"]) r.push_back(result["inputs"][key].get<std::string>());
  return r;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("lists with commas, ranges by ratio and by the threshold, 1e6") {
  CHECK(inputs_of("eval --rho 1/3 --n 100 --gamma 1/2,1,3/2", "gamma") == Texts{"1/2", "1", "3/2"});
  CHECK(inputs_of("eval --rho 1/3 --n 100 --gamma '[1,2],3'", "gamma") == Texts{"[1,2]", "3"});
  CHECK(inputs_of("eval --rho 1/3 --n 1e6 --gamma 1", "n") ==
        inputs_of("eval --rho 1/3 --n 10^6 --gamma 1", "n"));
  const Texts powers = inputs_of("eval --rho 1/3 --n '10:10^4:*10' --gamma 1", "n");
  CHECK(powers == inputs_of("eval --rho 1/3 --n 10 --n 10^2 --n 10^3 --n 10^4 --gamma 1", "n"));
  CHECK(inputs_of("eval --rho 1/3 --n 100 --gamma 1/2:5:*2", "gamma") == Texts{"1/2", "1", "2", "4"});
  CHECK(inputs_of("eval --rho 1/3 --n 100 --gamma 4:1:*1/2", "gamma") == Texts{"4", "2", "1"});
  // The threshold is 3/2.
  CHECK(inputs_of("eval --rho 1/3 --n 100 --gamma 'critical*9/10:critical*11/10:3'", "gamma") ==
        Texts{"27/20", "3/2", "33/20"});
  const auto quantities = [](const std::string& arguments) {
    return run_json("eval --rho 1/3 --n 100 --gamma 2 --digits 5 " + arguments)["quantities"];
  };
  CHECK(quantities("--quantities entropy,self_weight") ==
        quantities("--quantities self_weight --quantities entropy"));
  CHECK(quantities("--quantities entropy,self_weight").size() == 2);
  CHECK(program("eval --rho 1/3 --n 100 --gamma 2 --quantities entropy,selfweight").code == 2);
  const auto layers = run_json("layers --rho 1/3 --n 100 --gamma 2 --layers 2,3 --digits 5")["by_layers"];
  CHECK(layers.size() == 2);
  const std::string schedule =
      "schedule --logit-scale 1 --train-length 512 --rho 1/3 --format json --schedule ";
  CHECK(program(schedule + "log-n,qwen-logn --position 100,1000").out ==
        program(schedule + "log-n --schedule qwen-logn --position 100 --position 1000").out);
  const std::string bands = "--band r=4/5,theta=1/2 --band r=1/5,size=n";
  CHECK(inputs_of("eval --n 10^6 --gamma gamma_1 " + bands, "gamma") ==
        inputs_of("eval --n 10^6 --gamma critical --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n", "gamma"));
  const nlohmann::json b = run_json("boundary " + bands);
  REQUIRE(b["thresholds"].size() == 2);
  CHECK(inputs_of("eval --n 10^6 --gamma gamma_2 " + bands, "gamma") == Texts{b["thresholds"][1]});
  CHECK(inputs_of("limit --gamma gamma_2 " + bands, "gamma") == Texts{b["thresholds"][1]});
  check_refused("eval --rho 1/3 --n 100 --gamma gamma_2",
                "--gamma: gamma_2 has no meaning here: this geometry has 1 threshold");
  check_refused("eval --rho 1/3 --n 100 --gamma 1:critical:3",
                "--gamma: both ends of a range are numbers, or multiples of the same threshold");
  check_refused("eval --rho 1/3 --n '10:100:*1' --gamma 1",
                "--n: a range FROM:TO:*RATIO needs positive ends and a positive ratio other than 1");
  check_refused(
      "eval --rho 1/3 --n 1.5e0 --gamma 1",
      "--n: '1.5e0' is not a context length: expected an integer like 4096, a power like 10^100 or a "
      "tower like 10^(10^15)");
}

TEST_CASE("case files know theta, aliases, and what was meant") {
  const std::string folder = scratch("case-keys");
  write_file(folder + "/theta.toml", R"toml(
[[case]]
n = "10^6"
gamma = ["gamma_1", "gamma_2"]
band = [{ r = "4/5", theta = "1/2" }, { r = "1/5", size = "n" }]
)toml");
  CHECK(run_json("eval " + folder + "/theta.toml")["results"].size() == 2);
  write_file(folder + "/typo.toml", "[[case]]\nrho = \"1/3\"\ngama = 1\n");
  const Run typo = program("eval " + folder + "/typo.toml");
  CHECK(typo.code == 2);
  CHECK(typo.err.find("unknown key 'gama', did you mean gamma?; allowed:") != std::string::npos);
  CHECK(program("schedule --schedule qwen-logn --logit-scale 8 --rho 1/3 --n 10^6").code == 0);
  write_file(folder + "/train.toml",
             "[[case]]\nschedule = \"yarn\"\ntrain = 4096\nlogit_scale = 8\nrho = \"1/3\"\nn = 10000\n");
  write_file(
      folder + "/train_length.toml",
      "[[case]]\nschedule = \"yarn\"\ntrain_length = 4096\nlogit_scale = 8\nrho = \"1/3\"\nn = 10000\n");
  const Run a = program("schedule " + folder + "/train.toml"),
            b = program("schedule " + folder + "/train_length.toml");
  CHECK(a.code == 0);
  CHECK(a.out == b.out);
}

TEST_CASE("flags and subcommands that are misspelt are guessed; underscores are dashes") {
  const auto says = [](const std::string& arguments, const std::string& message) {
    INFO("critscale " << arguments);
    const Run r = program(arguments);
    CHECK(r.code == 2);
    CHECK(r.err.find(message) != std::string::npos);
  };
  says("evla --rho 1/3", "did you mean eval?");
  says("eval --gama 1", "did you mean --gamma?");
  says("eval --digit 1", "did you mean --digits?");
  CHECK(program("eval --rho 1/3 --n 100 --gamma_ratio 1").code == 0);
  const Texts names{"alpha", "beta", "gamma", "gamma-ratio"};
  CHECK(nearest_name("gmama", names) == "gamma");
  CHECK(nearest_name("gamma_ratio", names) == "gamma-ratio");
  CHECK(nearest_name("bta", names) == "beta");
  CHECK(nearest_name("zzzz", names).empty());
  CHECK(nearest_name("", names).empty());
}

TEST_CASE("the command in a table's header runs and makes the same table") {
  const std::string folder = scratch("header-command");
  for (const std::string& flags :
       {std::string("--rho 1/3 --n '10^(10^5)' --gamma_ratio 1/2:3/2:3 --digits 12"),
        std::string("--band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --n 10^6 --gamma critical --analytic"),
        std::string("--rho '[1/3,1/2]' --n 100 --beta '2*(log n)^(1/2) + 3' --quantities self_weight "
                    "--max-bits 500")}) {
    INFO(flags);
    REQUIRE(program(fmt::format("table {} -o {}/first.csv", flags, folder)).code == 0);
    const std::string first = read_file(folder + "/first.csv");
    const std::size_t start = first.find("# command: critscale ") + 21;
    std::string command = first.substr(start, first.find('\n', start) - start);
    const std::size_t output = command.find(" -o table.csv");
    REQUIRE(output != std::string::npos);
    command = command.substr(0, output) + fmt::format(" -o {}/table.csv", folder);
    INFO(command);
    REQUIRE(program(command).code == 0);
    CHECK(read_file(folder + "/table.csv") == first);
    std::filesystem::remove(folder + "/first.csv");
    std::filesystem::remove(folder + "/table.csv");
  }
}

TEST_CASE("a value does not depend on the columns beside it") {
  const std::string folder = scratch("columns");
  const auto values = [&](const std::string& columns) {
    write_file(folder + "/c.toml", "digits = 8\ncolumns = [" + columns + R"toml(]
[[case]]
rho = { from = "1/10", to = "9/10", steps = 20 }
n = ["17", "10^6", "10^(10^6)"]
gamma = { from = "1/2", to = "5/2", steps = 10 }
quantities = ["self_weight", "jacobian_norm"]
)toml");
    const std::string path = folder + "/c.csv";
    REQUIRE(program(fmt::format("table {}/c.toml -o {} --force", folder, path)).code == 0);
    TableReader reader(path);
    const std::size_t column = reader.column("self_weight.value").value();
    std::string r;
    for (std::vector<std::string> cells; reader.next(cells);) r += cells.at(column) + "\n";
    return r;
  };
  const std::string alone = values("\"value\"");
  CHECK(std::count(alone.begin(), alone.end(), '\n') == 600);
  CHECK(values("\"value\", \"lo\", \"hi\"") == alone);
  CHECK(values("\"value\", \"binary64\", \"hex\"") == alone);
  CHECK(values("\"binary16\", \"value\", \"bfloat16\", \"digits\"") == alone);
}

TEST_CASE("claims without a meaning are named, the others proved; resuming proves nothing twice") {
  const std::string folder = scratch("claims");
  const std::string good = R"toml(
[[claim]]
id = "good"
theorem = "partition"
quantity = "self_weight"
rho = { box = ["1/10", "9/10"] }
gamma_ratio = "1"
N = "10^6"
)toml";
  write_file(folder + "/c.toml", good + "\n[[claim]]\nid = \"bad\"\ntheorem = \"2.9\"\n");
  const std::string command = fmt::format("prove {}/c.toml -o {}/out", folder, folder);
  const Run first = program(command);
  INFO(first.out << first.err);
  CHECK(first.code == 2);
  CHECK(first.err.find("claim bad: ") != std::string::npos);
  CHECK(first.out.find("proved     good-self-weight") != std::string::npos);
  CHECK(first.out.find("refused    bad") != std::string::npos);
  write_file(folder + "/c.toml", good);
  CHECK(program(command).code == 2);  // verdicts.json exists
  const Run again = program(command + " --resume");
  CHECK(again.code == 0);
  CHECK(again.err.find("1 of 1 claims were proved before") != std::string::npos);
  CHECK(first.out.find(again.out.substr(0, again.out.find('\n'))) != std::string::npos);
  // What was changed is proved again: the claim, or its certificate.
  const std::string certificate = folder + "/out/certificates/good-self-weight.json";
  const std::string text = read_file(certificate);
  std::string changed = text;
  changed.replace(changed.find("\"N\": \"1000000\""), 14, "\"N\": \"1000001\"");
  write_file(certificate, changed);
  const Run mended = program(command + " --resume");
  CHECK(mended.code == 0);
  CHECK(mended.err.find("proved before") == std::string::npos);
  CHECK(read_file(certificate) == text);
  std::string other = good;
  other.replace(other.find("10^6"), 4, "10^7");
  write_file(folder + "/c.toml", other);
  CHECK(program(command + " --resume").err.find("proved before") == std::string::npos);
  CHECK(read_file(certificate) != text);
}

TEST_CASE("a schedule without the size of the scores says what it assumes") {
  const std::string assumes = "with scores of size 1, as no --logit-scale is given";
  CHECK(program("schedule --schedule log-n --rho 1/3 --n 10^6").out.find(assumes) != std::string::npos);
  CHECK(program("schedule --schedule log-n --rho 1/3 --n 10^6 --logit-scale 8").out.find(assumes) ==
        std::string::npos);
  CHECK(run_json("schedule --schedule log-n --rho 1/3 --n 10^6").contains("assumes"));
  CHECK(program("schedule --help").out.find("Measure it in a model") != std::string::npos);
}

TEST_CASE("one result is a list where that is asked for; hexadecimal ends are no longer than the radius") {
  CHECK(run_json("eval --rho 1/3 --n 100 --gamma 1 --list")["results"].size() == 1);
  CHECK(run_json("limit --rho 1/3 --gamma 1 --list")["results"].size() == 1);
  CHECK(run_json("boundary --rho 1/3 --list")["results"].size() == 1);
  const nlohmann::json v =
      run_json("eval --rho 1/3 --n 10^6 --gamma 3/2 --digits 8")["quantities"]["jacobian_norm"];
  CHECK(v["hex"][0].get<std::string>().size() < 30);
}

}  // namespace critscale::test
