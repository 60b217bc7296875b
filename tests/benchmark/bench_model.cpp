// The benchmark of the evaluators, not part of the test run: times by Catch2, and one table of ratios.
// Debian's Catch2WithMain is built without benchmarks, so main() is here.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <map>

#include "benchmark/rows.hpp"
#include "model/support.hpp"

using namespace benchmark;

critscale::Configuration benchmark::setting() {
  using namespace model_test;
  return with_layer(simplex(ten_to(100), Rational(1, 3), Rational(3, 2)), Rational(1, 2), 2);
}

namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Seconds of processor time for one call, over enough calls to take 20 ms; `calls` is raised to that.
double seconds_per_call(const Row& row, long& calls) {
  volatile long sink = 0;
  for (;; calls *= 2) {
    const double start = processor_seconds();
    for (long i = 0; i < calls; ++i) sink = sink + row.run();
    const double elapsed = processor_seconds() - start;
    if (elapsed >= 0.02) return elapsed / static_cast<double>(calls);
  }
}

/// The least time of each row over rounds in which all take turns, so that all see the same machine.
std::vector<double> least_seconds(const std::vector<Row>& rows) {
  std::vector<double> best(rows.size(), 1e300);
  std::vector<long> calls(rows.size(), 1);
  for (int round = 0; round < 25; ++round)
    for (std::size_t i = 0; i < rows.size(); ++i)
      best[i] = std::min(best[i], seconds_per_call(rows[i], calls[i]));
  return best;
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (auto part : {arb_rows(), ball_rows(), interval_rows(), fixed_rows(), double_rows()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

/// Seconds for certified(), every quantity at 50 digits, for each of many gammas in turn.
double seconds_for_gammas(critscale::Configuration c) {
  constexpr int count = 2000;
  const double start = processor_seconds();
  for (int i = 0; i < count; ++i) {
    c.scale.coefficient = model_test::point(critscale::Rational(1, 2) + critscale::Rational(i, 1000));
    critscale::certified(c, critscale::all_quantities(), 50);
  }
  return processor_seconds() - start;
}

/// The least over several interleaved rounds, so that both see the same machine.
std::pair<double, double> short_and_long(const critscale::Configuration& a,
                                         const critscale::Configuration& b) {
  std::pair<double, double> best{1e300, 1e300};
  for (int round = 0; round < 5; ++round) {
    best.first = std::min(best.first, seconds_for_gammas(a));
    best.second = std::min(best.second, seconds_for_gammas(b));
  }
  return best;
}

}  // namespace

TEST_CASE("one full set of simplex quantities", "[!benchmark]") {
  for (const Row& row : all_rows()) BENCHMARK(fmt::format("{}, {} digits", row.name, row.digits)) {
      return row.run();
    };
}

TEST_CASE("ratios", "[!benchmark]") {
  const std::vector<Row> rows = all_rows();
  const std::vector<double> time = least_seconds(rows);
  std::map<long, double> by_hand;
  fmt::print("{:<38}{:>8}{:>16}{:>20}\n", "one full set of simplex quantities", "digits", "microseconds",
             "over Arb by hand");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [name, digits, run] = rows[i];
    if (name == "Arb by hand") by_hand[digits] = time[i];
    fmt::print("{:<38}{:>8}{:>16.3f}{:>20}\n", name, digits, time[i] * 1e6,
               by_hand.count(digits) ? fmt::format("{:.2f}", time[i] / by_hand[digits]) : "");
  }
}

TEST_CASE("the cost of a value does not grow with n", "[!benchmark]") {
  using namespace model_test;
  const PowerProduct small(100), huge = ten_to(Rational(100000000000000));
  const auto bands = [](const PowerProduct& n) {
    return banded({{Rational(4, 5), pow(n, Rational(1, 2))}, {Rational(1, 5), n}}, 1);
  };
  const auto report = [](const char* name, std::pair<double, double> time) {
    fmt::print("{:<14} n = 100: {:.4f} s, n = 10^(10^14): {:.4f} s, ratio {:.2f}\n", name, time.first,
               time.second, time.second / time.first);
  };
  fmt::print("2000 gammas, every quantity at 50 digits, by certified()\n");
  report("simplex", short_and_long(simplex(small, Rational(1, 3), 1), simplex(huge, Rational(1, 3), 1)));
  report("three bands", short_and_long(bands(small), bands(huge)));
}
