// Answers to questions: where they are exact, and every schedule's multiplier.
#include <fmt/format.h>
#include <array>
#include <catch2/catch.hpp>

#include "critscale/number/power_product.hpp"
#include "critscale/schedules/schedule.hpp"
#include "critscale/tables/answer.hpp"
#include "critscale/tables/detail/columns.hpp"

using namespace critscale;

namespace {

constexpr Bits bits = 200;

Ball multiplier_of(std::string schedule, std::vector<std::pair<std::string, std::string>> constants) {
  constants.emplace_back("schedule", std::move(schedule));
  return answer({"schedule", constants}, bits)[0];
}

Ball ln(long v) { return log(Ball(v, bits)); }

void check_multiplier(const Ball& found, const Ball& expected) {
  CHECK(overlaps(found, expected));
  CHECK(found.accurate_bits() > 150);
}

}  // namespace

TEST_CASE("an attention row whose value is rational is exact, ties to even included") {
  const std::array column{Column::binary16};
  const auto row = [](const char* scores, const char* values) {
    return certified_answer({"attention_row", {{"scores", scores}, {"values", values}, {"d", "2"}}}, 30)[0];
  };
  // Means of equal scores: 1 + 2^-11 is half-way between 1 and its neighbour, and 1 is even;
  // 1 + 3 2^-11 is half-way too, and 1 + 2^-9 is even.
  CHECK(cells(row("7 7 7", "1; 1; 2051/2048"), 30, column)[0] == "1");
  CHECK(cells(row("7 7 7", "1; 1; 2057/2048"), 30, column)[0] == "1.001953125");
  // Different scores, but every group of equal scores has the same mean.
  CHECK(row("7 7 7 1 1", "1; 1; 2051/2048; 0; 2049/1024").is_exact());
  CHECK(cells(row("7 7 7 1 1", "1; 1; 2051/2048; 0; 2049/1024"), 30, column)[0] == "1");
  CHECK(row("7 -inf 7", "1; 5; 1").is_exact());
  // Where the means differ the value is irrational.
  CHECK_FALSE(row("7 7 7 1 1", "1; 1; 2051/2048; 0; 1").is_exact());
  CHECK(row("0 -1", "1; 0").contains(row("0 -1", "1; 0").midpoint()));
}

TEST_CASE("questions know every schedule") {
  check_multiplier(multiplier_of("constant", {{"coefficient", "3/2"}}), Ball(Rational(3, 2), bits));
  check_multiplier(multiplier_of("log-n", {{"n", "1024"}}), Ball(Rational(10, 9), bits));
  check_multiplier(multiplier_of("log-n", {{"n", "3"}}), Ball(Rational(4, 9), bits));
  check_multiplier(multiplier_of("qwen-log-n", {{"n", "2049"}, {"train", "2048"}}), ln(2049) / ln(2048));
  check_multiplier(multiplier_of("qwen-logn", {{"position", "2047"}, {"train_length", "2048"}}),
                   Ball(1, bits));
  check_multiplier(multiplier_of("ssmax", {{"n", "100"}, {"coefficient", "1/2"}, {"offset", "-1/4"}}),
                   ln(100) / 2 - Ball(Rational(1, 4), bits));
  check_multiplier(multiplier_of("swan", {{"n", "100"}}), ln(100));
  check_multiplier(multiplier_of("yarn", {{"n", "65536"}}), sqr(Ball(ln(8) / 10 + 1)));
  check_multiplier(multiplier_of("yarn", {{"factor", "40"}}), sqr(Ball(ln(40) / 10 + 1)));
  check_multiplier(multiplier_of("yarn-attention-factor", {{"factor", "40"}}), ln(40) / 10 + 1);
  check_multiplier(multiplier_of("longrope", {{"factor", "8"}, {"train", "4096"}}),
                   1 + Ball(Rational(1, 4), bits));
  check_multiplier(multiplier_of("longrope", {{"n", "32768"}, {"train", "4096"}}),
                   Ball(Rational(5, 4), bits));
  check_multiplier(multiplier_of("llama4", {{"position", "8190"}}), Ball(1, bits));
  check_multiplier(multiplier_of("llama4", {{"position", "8191"}}), 1 + ln(2) / 10);
  check_multiplier(multiplier_of("llama4", {{"n", "8192"}}), 1 + ln(2) / 10);
  check_multiplier(multiplier_of("infoscale", {{"n", "1024"}, {"train", "32"}, {"entropy_dim", "10"}}),
                   sqrt(Ball(Rational(3, 2), bits)));
  check_multiplier(multiplier_of("gaussian", {{"n", "1024"}}), sqrt(Ball(20 * ln(2))));
  check_multiplier(multiplier_of("power-of-log", {{"n", "100"}, {"power", "2"}}), sqr(ln(100)));
  for (const std::string_view name : schedule_names())
    CHECK_NOTHROW(multiplier_of(std::string(name), {{"n", "20000"}}));
}

TEST_CASE("questions about schedules that lack something say what") {
  CHECK_THROWS_WITH(multiplier_of("ssmax", {}), "schedule ssmax needs n or position");
  CHECK_THROWS_WITH(multiplier_of("llama4", {{"position", "1/2"}}),
                    "position must be an integer of at least 0, found 1/2");
  CHECK_THROWS_WITH(multiplier_of("llama4", {{"position", "-1"}}),
                    "position must be an integer of at least 0, found -1");
  CHECK_THROWS_WITH(multiplier_of("qwen", {{"n", "9"}}),
                    Catch::Contains("is not a schedule; allowed: constant"));
}
