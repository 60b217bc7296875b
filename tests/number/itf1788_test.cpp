// The public IEEE 1788 test suite ITF1788, its file of elementary functions (tests/itl/), against Interval
// and Ball. Inputs are binary64; an operation is evaluated at 200 bits and its ends are rounded outward to
// binary64. Interval must give the expected set exactly. Ball takes unbounded inputs as the whole line, skips
// empty sets, and must contain the expected one. Decorated statements are left out.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "critscale/number/ball.hpp"
#include "critscale/number/interval.hpp"
#include "number/itl_reader.hpp"

using namespace critscale;
using itl::Set;
using itl::Statement;

namespace {

constexpr Bits bits = 200;

/// The largest binary64 number at most v: a number, or -inf.
Dyadic binary64_floor(const Dyadic& v) {
  const Dyadic largest = Dyadic::exactly(std::numeric_limits<double>::max());
  if (!v.is_finite() || v.is_zero()) return v;
  if (v > largest) return largest;
  if (v < -largest) return -Dyadic::infinity();
  const Dyadic smallest_normal = Dyadic::exactly(1).scaled(-1022);
  Dyadic r;
  if (v < smallest_normal && -v < smallest_normal) {
    arf_floor(r.raw(), v.scaled(1074).raw());
    return r.scaled(-1074);
  }
  arf_set_round(r.raw(), v.raw(), 53, ARF_RND_FLOOR);
  return r;
}
Dyadic binary64_ceiling(const Dyadic& v) { return -binary64_floor(-v); }

/// An operation for both arithmetics, and how many statements there are: without decorations, of
/// these with an empty input, and with an empty result of other inputs.
struct Operation {
  Interval (*interval)(const std::vector<Interval>&, const Integer&);
  Ball (*ball)(const std::vector<Ball>&, const Integer&);
  int bare, empty_input, empty_result;
};

template <class F>
Operation operation(F f, int bare, int empty_input, int empty_result = 0) {
  return {f, f, bare, empty_input, empty_result};
}

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> all{
      {"pos", operation([](const auto& x, const Integer&) { return x[0]; }, 11, 1)},
      {"neg", operation([](const auto& x, const Integer&) { return -x[0]; }, 11, 1)},
      {"add", operation([](const auto& x, const Integer&) { return x[0] + x[1]; }, 31, 5)},
      {"sub", operation([](const auto& x, const Integer&) { return x[0] - x[1]; }, 31, 5)},
      {"mul", operation([](const auto& x, const Integer&) { return x[0] * x[1]; }, 116, 9)},
      {"div", operation([](const auto& x, const Integer&) { return x[0] / x[1]; }, 341, 11, 36)},
      {"recip", operation([](const auto& x, const Integer&) { return 1 / x[0]; }, 18, 0, 2)},
      {"sqr", operation([](const auto& x, const Integer&) { return sqr(x[0]); }, 12, 1)},
      {"sqrt", operation([](const auto& x, const Integer&) { return sqrt(x[0]); }, 13, 1, 1)},
      {"fma", operation([](const auto& x, const Integer&) { return x[0] * x[1] + x[2]; }, 564, 148)},
      {"pown", operation([](const auto& x, const Integer& k) { return pow(x[0], k); }, 163, 11, 10)},
      {"exp", operation([](const auto& x, const Integer&) { return exp(x[0]); }, 19, 1)},
      {"log", operation([](const auto& x, const Integer&) { return log(x[0]); }, 21, 1, 2)},
      {"abs", operation([](const auto& x, const Integer&) { return abs(x[0]); }, 12, 1)},
      {"min", operation([](const auto& x, const Integer&) { return min(x[0], x[1]); }, 15, 4)},
      {"max", operation([](const auto& x, const Integer&) { return max(x[0], x[1]); }, 15, 4)},
  };
  return all;
}

Set evaluate_interval(const Operation& op, const Statement& s) {
  std::vector<Interval> inputs;
  for (const Set& x : s.inputs)
    inputs.push_back(x.is_empty() ? Interval::empty(bits) : Interval(x.lo, x.hi, bits));
  const Interval r = op.interval(inputs, s.exponent);
  return {binary64_floor(r.lower()), binary64_ceiling(r.upper())};
}

Set evaluate_ball(const Operation& op, const Statement& s) {
  std::vector<Ball> inputs;
  for (const Set& x : s.inputs)
    inputs.push_back(x.is_bounded() ? Ball(x.lo, x.hi, bits) : Ball::whole_line(bits));
  const Ball r = op.ball(inputs, s.exponent);
  return {binary64_floor(r.lower()), binary64_ceiling(r.upper())};
}

/// What a run did with the statements of one operation.
struct Count {
  int interval = 0, ball = 0, empty_input = 0, empty_result = 0, decorated = 0;
};

void check_statement(const Operation& op, const Statement& s, Count& count) {
  if (s.decorated) {
    ++count.decorated;
    return;
  }
  const auto report = [&](const char* arithmetic, const Set& got) {
    std::string inputs;
    for (const Set& x : s.inputs) inputs += x.text() + " ";
    FAIL_CHECK(fmt::format("{}, line {}: {} {}{} = {}, got {}", arithmetic, s.line, s.operation, inputs,
                           s.has_exponent ? s.exponent.str() : "", s.expected.text(), got.text()));
  };
  ++count.interval;
  const Set r = evaluate_interval(op, s);
  if (!(r.lo == s.expected.lo && r.hi == s.expected.hi)) report("Interval", r);
  for (const Set& x : s.inputs)
    if (x.is_empty()) {
      ++count.empty_input;
      return;
    }
  if (s.expected.is_empty()) {
    ++count.empty_result;
    return;
  }
  ++count.ball;
  const Set b = evaluate_ball(op, s);
  if (!(b.lo <= s.expected.lo && s.expected.hi <= b.hi)) report("Ball", b);
}

}  // namespace

TEST_CASE("outward rounding to binary64") {
  constexpr double largest = std::numeric_limits<double>::max();
  const Dyadic one = Dyadic::exactly(1), tiny = one.scaled(Integer("-100000000000000000000"));
  const Dyadic huge = one.scaled(Integer("100000000000000000000"));
  const Dyadic smallest = one.scaled(-1074);
  for (double v : {0.0, 1.0, -0.1, largest, -largest, 0x1p-1074, -0x1.8p-1060, 0x1p-1022}) {
    CHECK(binary64_floor(Dyadic::exactly(v)) == Dyadic::exactly(v));
    CHECK(binary64_ceiling(Dyadic::exactly(v)) == Dyadic::exactly(v));
  }
  CHECK(binary64_floor(tiny) == Dyadic());
  CHECK(binary64_ceiling(tiny) == smallest);
  CHECK(binary64_floor(-tiny) == -smallest);
  CHECK(binary64_ceiling(-tiny) == Dyadic());
  CHECK(binary64_floor(huge) == Dyadic::exactly(largest));
  CHECK(binary64_ceiling(huge) == Dyadic::infinity());
  CHECK(binary64_floor(-huge) == -Dyadic::infinity());
  CHECK(binary64_ceiling(Dyadic::from_hex("0x1.fffffffffffff8p+1023")) == Dyadic::infinity());
  CHECK(binary64_floor(Dyadic::from_hex("0x1.fffffffffffff8p+1023")) == Dyadic::exactly(largest));
  CHECK(binary64_floor(Dyadic::from_hex("0x1.8p-1074")) == smallest);
  CHECK(binary64_ceiling(Dyadic::from_hex("0x1.8p-1074")) == smallest.scaled(1));
  CHECK(binary64_ceiling(Dyadic::from_hex("0x1.fffffffffffffp-1023")) == one.scaled(-1022));
  CHECK(binary64_floor(Dyadic::from_hex("0x1.00000000000008p+0")) == one);
  CHECK(binary64_ceiling(Dyadic::from_hex("0x1.00000000000008p+0")) ==
        Dyadic::from_hex("0x1.0000000000001p+0"));
}

TEST_CASE("ITF1788: elementary functions") {
  const std::string path = CRITSCALE_SOURCE_DIR "/tests/itl/libieeep1788_elem.itl";
  std::ifstream file(path);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  const std::vector<Statement> statements = itl::Reader(text.str()).statements();
  CHECK(statements.size() == 3818);

  std::map<std::string, Count> counts;
  std::map<std::string, int> not_offered;
  for (const Statement& s : statements) {
    const auto op = operations().find(s.operation);
    if (op == operations().end())
      ++not_offered[s.operation];
    else
      check_statement(op->second, s, counts[s.operation]);
  }

  std::string summary =
      "statements tested, and left out for empty inputs, empty results, decorations\n"
      "        Interval equal  Ball contained  empty in  empty out  decorated\n";
  for (const auto& [name, op] : operations()) {
    const Count& c = counts[name];
    INFO(name);
    CHECK(c.interval == op.bare);
    CHECK(c.empty_input == op.empty_input);
    CHECK(c.empty_result == op.empty_result);
    CHECK(c.ball == op.bare - op.empty_input - op.empty_result);
    summary += fmt::format("  {:6} {:13} {:15} {:9} {:10} {:10}\n", name, c.interval, c.ball, c.empty_input,
                           c.empty_result, c.decorated);
  }
  summary += "  not offered:";
  int left_out = 0;
  for (const auto& [name, n] : not_offered) {
    summary += fmt::format(" {} {}", name, n);
    left_out += n;
  }
  CHECK(left_out == 2342);
  WARN(summary);
}
