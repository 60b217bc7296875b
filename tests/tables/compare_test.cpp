// Answers, known mistakes, and the comparison of candidates with a table.
#include <catch2/catch.hpp>
#include <random>
#include <tuple>

#include "critscale/tables/answer.hpp"
#include "critscale/tables/compare.hpp"
#include "critscale/tables/detail/columns.hpp"
#include "critscale/text/parse.hpp"

using namespace critscale;

namespace {

ReferenceRow reference_row(std::string id, Question q) {
  ReferenceRow row{std::move(id), std::move(q), {}, {}};
  const std::vector<std::string> labels = answer_labels(row.question);
  const std::vector<Ball> values = certified_answer(row.question, 30);
  for (std::size_t i = 0; i < labels.size(); ++i) row.values.push_back({labels[i], values[i]});
  return row;
}

/// What a correct implementation in this format says, off by some units of the last place.
std::vector<Outcome> rounded_answers(const ReferenceRow& row, const BinaryFormat& format, int ulps = 0) {
  std::vector<Outcome> r;
  for (const ReferenceValue& v : row.values) {
    const std::uint64_t bits = round_to(format, *v.value).value() + static_cast<std::uint64_t>(ulps);
    r.push_back(parse_outcome(rounded_text(format, bits)));
  }
  return r;
}

Tolerance tolerance(const char* preset, const char* rule = "torch") {
  return make_tolerance(rule, Arithmetic::parse(preset));
}

Comparison compare_one(const ReferenceRow& row, std::vector<Outcome> values, const char* preset = "fp64",
                       const char* rule = "torch") {
  Candidate c;
  c.values.emplace(row.id, std::move(values));
  return compare({row}, c, tolerance(preset, rule));
}

}  // namespace

TEST_CASE("off by one unit of the last place is one ULP, in every format") {
  const ReferenceRow row = reference_row("a", {"logsumexp", {{"logits", "0 1 2"}}});
  for (const char* preset : {"fp64", "fp32", "bf16", "fp16"})
    for (const int ulps : {1, -1, 3}) {
      CAPTURE(preset, ulps);
      const BinaryFormat& format = tolerance(preset).format();
      const Comparison c = compare_one(row, rounded_answers(row, format, ulps), preset);
      REQUIRE(c.findings.size() == 1);
      CHECK(c.findings[0].ulps == static_cast<std::uint64_t>(std::abs(ulps)));
      CHECK(c.correctly_rounded == 0);
    }
  const Comparison exact = compare_one(row, rounded_answers(row, binary32), "fp32");
  CHECK(exact.conforms());
  CHECK(exact.correctly_rounded == 1);
  CHECK(exact.findings.empty());
}

TEST_CASE("tolerances are those of the preset") {
  const ReferenceRow row = reference_row("a", {"logsumexp", {{"logits", "0"}}});  // exactly 0
  CHECK(compare_one(row, {parse_outcome("0.99e-7")}).conforms());
  CHECK_FALSE(compare_one(row, {parse_outcome("1.01e-7")}).conforms());
  const ReferenceRow big = reference_row("b", {"logsumexp", {{"logits", "1000"}}});
  CHECK(compare_one(big, {parse_outcome("1000.0013")}, "fp32").conforms());
  CHECK_FALSE(compare_one(big, {parse_outcome("1000.0014")}, "fp32").conforms());
  CHECK(compare_one(big, {parse_outcome("1001")}, "fp16").conforms());
  CHECK_FALSE(compare_one(big, {parse_outcome("1001.1")}, "fp16").conforms());
}

TEST_CASE("correct rounding and units of the last place can be asked for") {
  const ReferenceRow row = reference_row("a", {"logsumexp", {{"logits", "0 1 2"}}});
  for (const auto& [rule, ulps, conforms] : {std::tuple{"exact", 0, true},
                                             {"exact", 1, false},
                                             {"ulp=2", 2, true},
                                             {"ulp=2", -2, true},
                                             {"ulp=2", 3, false}})
    CHECK(compare_one(row, rounded_answers(row, binary32, ulps), "fp32", rule).conforms() == conforms);
  for (const char* bad : {"ulp=", "ulp=x", "ulp=-1", "close", ""})
    CHECK_THROWS_AS(tolerance("fp32", bad), InputError);
}

TEST_CASE("arithmetics by name") {
  CHECK(Arithmetic::parse("bf16").to_string() == "bf16,accumulate=fp32");
  CHECK(Arithmetic::parse("fp32").to_string() == "fp32");
  for (const char* text : {"fp64", "bf16,elementwise=fp32,accumulate=fp32,weights=fp32",
                           "fp32,order=pairwise", "fp16,accumulate=fp32,order=blocked:128"})
    CHECK(Arithmetic::parse(text).to_string() == text);
  for (const char* bad :
       {"", "fp8", "fp32,sum=fp32", "fp32,order=any:3", "fp32,order=blocked:0", "fp32,accumulate="})
    CHECK_THROWS_AS(Arithmetic::parse(bad), InputError);
}

TEST_CASE("rows that a format does not hold are left out, and nothing compared is no conformance") {
  ReferenceRow row = reference_row("a", {"logsumexp", {{"logits", "0.1 0.2"}}});
  row.formats = "none";
  const Comparison c = compare_one(row, {parse_outcome("7")}, "fp32", "rounding");
  CHECK(c.nothing_compared());
  CHECK_FALSE(c.conforms());
  CHECK(c.is_undecided());
  CHECK(c.left_out == std::vector<std::string>{"a"});
}

TEST_CASE("nan, infinities, missing, extra, duplicated and short answers do not conform") {
  const ReferenceRow row = reference_row("a", {"softmax", {{"logits", "0 1"}}});
  const std::vector<Outcome> right = rounded_answers(row, binary64);
  CHECK_FALSE(compare_one(row, {right[0], parse_outcome("nan")}).conforms());
  CHECK_FALSE(compare_one(row, {right[0], parse_outcome("-Infinity")}).conforms());
  CHECK_FALSE(compare_one(row, {right[0]}).conforms());
  CHECK_FALSE(compare_one(row, {right[0], right[1], right[1]}).conforms());
  CHECK(compare_one(row, {right[0], parse_outcome("nan")}).nans == 1);
  Candidate c;
  CHECK(compare({row}, c, tolerance("fp64")).missing == std::vector<std::string>{"a"});
  c.values = {{"a", right}, {"b", right}};
  CHECK(compare({row}, c, tolerance("fp64")).extra == std::vector<std::string>{"b"});
  c.values.erase("b");
  CHECK(compare({row}, c, tolerance("fp64")).conforms());
  c.duplicates = {"a"};
  CHECK_FALSE(compare({row}, c, tolerance("fp64")).conforms());
}

TEST_CASE("where every entry is masked nan is right, and nothing else") {
  ReferenceRow row{"a", {"entropy", {{"logits", "-inf -inf"}}}, {{"entropy", std::nullopt}}, {}};
  CHECK_THROWS_AS(certified_answer(row.question, 10), UndefinedError);
  CHECK(compare_one(row, {parse_outcome("nan")}).conforms());
  CHECK_FALSE(compare_one(row, {parse_outcome("0")}).conforms());
}

TEST_CASE("an infinity is right where the right value overflows the format") {
  const ReferenceRow row = reference_row("a", {"logsumexp", {{"logits", "65536"}}});
  CHECK(compare_one(row, {parse_outcome("inf")}, "fp16").conforms());
  CHECK_FALSE(compare_one(row, {parse_outcome("-inf")}, "fp16").conforms());
  CHECK_FALSE(compare_one(row, {parse_outcome("inf")}, "fp32").conforms());
}

TEST_CASE("a table too coarse for the tolerance leaves the verdict open") {
  ReferenceRow row = reference_row("a", {"logsumexp", {{"logits", "0 1"}}});
  row.values[0].value = enclose_value("1.3");
  const Comparison c = compare_one(row, {parse_outcome("1.3132616875")});
  CHECK(c.undecided == 1);
  CHECK_FALSE(c.conforms());
  CHECK(c.is_undecided());
}

TEST_CASE("decimal text is enclosed outward") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    const long m = static_cast<long>(random() % 2000000) - 1000000, e = static_cast<long>(random() % 80) - 40;
    const std::string text = std::to_string(m) + "e" + std::to_string(e);
    CAPTURE(text);
    REQUIRE(enclose_decimal(text, 20).contains(parse_rational(text)));
    if (m == 0) continue;
    const Rational unit = parse_rational("1e" + std::to_string(e));
    REQUIRE(enclose_value(text).contains(Rational(parse_rational(text) + unit)));
    REQUIRE(enclose_value(text).contains(Rational(parse_rational(text) - unit)));
  }
  CHECK(parse_outcome("-1e-1000000000000000").number.is_negative() == Truth::yes);
  for (const char* bad : {"", "-", "1.2.3", "1e", "e5", "0x", "1 2", "nanx"})
    CHECK_THROWS_AS(parse_outcome(bad), InputError);
}

TEST_CASE("layer and Jacobian norm of an explicit simplex are those of the closed form") {
  // Two orthogonal unit tokens in two dimensions: a = 1/(1 + e^-1), x'_0 = (a, 1 - a).
  const Question q{"layer", {{"tokens", "1 0; 0 1"}, {"beta", "1"}}};
  const std::vector<Ball> x = certified_answer(q, 30);
  const Ball a = 1 / (1 + exp(Ball(-1, 200)));
  REQUIRE(x.size() == 4);
  CHECK(overlaps(x[0], a));
  CHECK(overlaps(x[1], Ball(1 - a)));
  CHECK(overlaps(x[3], a));
  const Ball eta = certified_answer({"jacobian_norm", q.inputs}, 30)[0];
  // The D and O of [simplex] at n = d = 2, rho = 0, q = 1, alpha = 0.
  const Ball b = 1 - a, M = b;
  const Ball T = M * (1 - b), V = M * (sqr(a) * b + b * sqr(Ball(1 - b)));
  const Ball D = sqr(a) + 2 * a * T + V, O = M * b * (1 - 2 * a + 1 + sqr(a) - b * (1 + a));
  CHECK(overlaps(eta, Ball((D + O) / 2)));
}
