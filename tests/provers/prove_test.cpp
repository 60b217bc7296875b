// `critscale prove` and `critscale verify` as programs: files, tables and exit codes.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "provers/program.hpp"

using namespace critscale::test;
using nlohmann::json;

namespace {

/// Writes a case file and proves its claims into a folder of its own.
struct Proof {
  explicit Proof(const std::string& claims, const std::string& options = "")
      : folder(scratch("prove")), run([&] {
          write_file(folder + "/claims.toml", claims);
          return program("prove '" + folder + "/claims.toml' -o '" + folder + "/out' " + options);
        }()) {}
  json verdicts() const { return json::parse(read_file(folder + "/out/verdicts.json")).at("verdicts"); }
  std::string certificate(const std::string& id) const {
    return folder + "/out/certificates/" + id + ".json";
  }

  std::string folder;
  Run run;
};

const std::string critical =
    "[[claim]]\nid = 'c'\ntheorem = '2.1'\nquantity = 'inner_products[0]'\nrho = { box = ['1/5', '2/5'] }\n"
    "gamma_ratio = '1'\nN = '1000'\n";

}  // namespace

TEST_CASE("prove writes certificates that verify accepts") {
  const Proof p(critical +
                "[[claim]]\nid = 'v'\nkind = 'value'\nrho = '1/3'\ngamma = '1'\nn = '10^6'\n"
                "quantities = 'self_weight'\n");
  CHECK(p.run.code == 0);
  CHECK(p.run.err.empty());
  CHECK(p.run.out.find("proved") == 0);
  REQUIRE(p.verdicts().size() == 2);
  CHECK(p.verdicts()[0].at("verdict") == "proved");
  CHECK(p.verdicts()[0].at("largest_sampled").is_string());
  const std::string files =
      "'" + p.certificate("c-inner-products-0") + "' '" + p.certificate("v-self-weight") + "'";
  const Run verified = program("verify " + files);
  CHECK(verified.code == 0);
  CHECK(verified.out.find("rejected") == std::string::npos);
  CHECK(json::parse(program("verify --format json " + files).out).at("results").size() == 2);
  // An existing table is not replaced unasked.
  const Run again = program("prove '" + p.folder + "/claims.toml' -o '" + p.folder + "/out'");
  CHECK(again.code == 2);
}

TEST_CASE("prove refutes a false claim with exact parameters, n and an enclosure") {
  const Proof p(critical + "C = '3/4'\n");
  CHECK(p.run.code == 1);
  CHECK(p.run.out.find("refuted") == 0);
  for (const char* part : {"at n = 1", "rho = ", "gamma = ", "lies in [", "above C = 3/4"})
    CHECK(p.run.out.find(part) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(p.certificate("c-inner-products-0")));
  const Proof limit(critical + "limit = 'rho'\n");
  CHECK(limit.run.code == 1);
  CHECK(limit.run.out.find("the limit is") != std::string::npos);
  const Proof value(
      "[[claim]]\nid = 'v'\nkind = 'value'\nrho = '1/3'\ngamma = '1'\nn = '10^6'\n"
      "quantities = 'self_weight'\nlo = '1/2'\nhi = '1'\n");
  CHECK(value.run.code == 1);
  CHECK(value.run.out.find("not in [1/2, 1]") != std::string::npos);
}

TEST_CASE("prove says undecided at a time limit and at the limit of its inequalities") {
  const Proof time(
      "[[claim]]\nid = 'c'\ntheorem = 'C.2'\nphase = 'near'\nquantity = 'angle_ratio'\n"
      "theta = { box = ['1/4', '3/4'] }\nr = { box = ['7/10', '19/20'] }\n"
      "rho = { box = ['1/10', '1/2'] }\ngap = { box = ['1/10', '40'] }\nN = '1000'\n",
      "--time-limit 1/1000");
  CHECK(time.run.code == 3);
  CHECK(time.verdicts()[0].at("verdict") == "undecided");
  CHECK(time.verdicts()[0].at("detail").get<std::string>().find("time limit") != std::string::npos);
}

TEST_CASE("bad claims are refused with one line before any work") {
  const std::pair<const char*, const char*> bad[] = {
      {"theorem = '2.2'\n", "2.2"},
      {"kind = 'values'\n", "values"},
      {"theorem = '2.1'\nrho = '1/3'\ngamma_ratio = { box = ['1/2', '3/2'] }\nN = '1000'\n", "gamma_ratio"},
      {"theorem = '2.1'\nrho = '1/3'\ngamma_ratio = '1/2'\n", "N"},
      {"theorem = 'boundary'\nrho = '1/2'\nr = '3/4'\ntheta = '1/10'\nmu = '1/10'\nN = '1000'\n",
       "near phase"},
      {"kind = 'value'\nrho = '1/3'\ngamma = '1'\nn = '10^(10^30)'\n", "2^62"},
      {"kind = 'value'\nrho = { box = ['1/3', '1/2'] }\ngamma = '1'\nn = '10'\n", "boxes"},
  };
  for (const auto& [claim, reason] : bad) {
    const Proof p(std::string("[[claim]]\nid = 'x'\n") + claim);
    INFO(claim << p.run.err);
    CHECK(p.run.code == 2);
    CHECK(p.run.err.find(reason) != std::string::npos);
    CHECK(std::count(p.run.err.begin(), p.run.err.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(p.folder + "/out/verdicts.json"));
  }
}

TEST_CASE("verify rejects what was altered and cannot read what is not there") {
  const Proof p(critical);
  REQUIRE(p.run.code == 0);
  const std::string path = p.certificate("c-inner-products-0"), text = read_file(path);
  write_file(path, text.substr(0, text.size() / 2));
  CHECK(program("verify '" + path + "'").code == 1);
  json c = json::parse(text);
  c["claim"]["N"] = "10";
  write_file(path, c.dump());
  const Run r = program("verify '" + path + "'");
  CHECK(r.code == 1);
  CHECK(r.out.find("rejected") == 0);
  CHECK(r.out.find("digest") != std::string::npos);
  c["evidence"]["x"] = "HERE";
  std::string deep = c.dump();
  deep.replace(deep.find("\"HERE\""), 6, std::string(200000, '[') + std::string(200000, ']'));
  write_file(path, deep);
  const Run unreadable = program("verify '" + path + "'");
  CHECK(unreadable.code == 2);
  CHECK(unreadable.err.find("nested deeper than 200 levels") != std::string::npos);
  CHECK(program("verify '" + p.folder + "/nothing.json'").code == 2);
  CHECK(program("verify '" + p.folder + "'").code == 2);
}
