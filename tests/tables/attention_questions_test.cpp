// Questions on attention: the certified answer is the value of the question's formula, code in doubles
// agrees, and each mistake people make is caught in the published questions and named.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "critscale/number/errors.hpp"
#include "critscale/tables/answer.hpp"
#include "critscale/tables/compare.hpp"
#include "critscale/tables/detail/columns.hpp"
#include "provers/program.hpp"
#include "tables/plain_attention.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

const std::vector<ReferenceRow>& published_attention() {
  static const std::vector<ReferenceRow> rows = [] {
    const std::string folder = scratch("attention_questions");
    const Run made = program(
        fmt::format("table {}/cases/attention.toml --force -o {}/t.csv", CRITSCALE_SOURCE_DIR, folder));
    INFO(made.err);
    REQUIRE(made.code == 0);
    return read_reference(folder + "/t.csv");
  }();
  return rows;
}

Outcome outcome_in(double x, const BinaryFormat& format) {
  if (std::isnan(x)) return Outcome::special(Outcome::Kind::nan);
  if (std::isinf(x))
    return Outcome::special(x < 0 ? Outcome::Kind::minus_infinity : Outcome::Kind::plus_infinity);
  return parse_outcome(rounded_text(format, round_to(format, Dyadic(Ball::exactly(x).midpoint()))));
}

/// All published questions that `wanted` takes, answered with a slip, in this arithmetic.
template <class Wanted>
Comparison with_slip(AttentionSlip slip, const char* arithmetic, const Wanted& wanted) {
  const Tolerance t = make_tolerance("rounding", Arithmetic::parse(arithmetic));
  std::vector<ReferenceRow> asked;
  Candidate c;
  for (const ReferenceRow& row : published_attention()) {
    const AttentionQuestion a = attention_of(row.question);
    if (!row.is_meant_for(t.format()) || !wanted(row, a)) continue;
    std::vector<Outcome> found;
    for (const double x : PlainAttention(a, slip).run()) found.push_back(outcome_in(x, t.format()));
    asked.push_back(row);
    c.values.emplace(row.id, std::move(found));
  }
  REQUIRE_FALSE(asked.empty());
  return compare(asked, c, t);
}

bool names(const Comparison& c, std::string_view what) {
  for (const Explanation& e : c.explanations)
    if (e.what.find(what) != std::string::npos) return true;
  for (const Explanation& e : c.explanations) UNSCOPED_INFO("named: " << e.what << ": " << e.formula);
  return false;
}

bool is_case(const ReferenceRow& row, std::string_view id) {
  return row.id.starts_with(std::string(id) + ";");
}

Question question(std::vector<std::pair<std::string, std::string>> inputs) {
  return {"attention", std::move(inputs)};
}

}  // namespace

TEST_CASE("the certified answers to attention questions are the values of their formulas") {
  std::size_t values = 0;
  for (const ReferenceRow& row : published_attention()) {
    CAPTURE(row.id);
    const auto text = formula_text(row.question);
    REQUIRE(text.has_value());
    const std::vector<Outcome> found = outcomes(parse_formula(*text), formula_inputs(row.question, 256), 256);
    REQUIRE(found.size() == row.values.size());
    for (std::size_t i = 0; i < found.size(); ++i, ++values) {
      REQUIRE(found[i].is_number() == row.values[i].value.has_value());
      if (found[i].is_number())
        CHECK(overlaps(found[i].number, *row.values[i].value));
      else
        CHECK(found[i].kind == row.values[i].special);
    }
  }
  CHECK(values > 1000);
}

TEST_CASE("right attention code conforms in every format, and nothing is put down to a slip") {
  for (const char* arithmetic : {"fp64", "fp32", "bf16", "fp16"}) {
    CAPTURE(arithmetic);
    const Comparison c = with_slip(AttentionSlip::none, arithmetic,
                                   [](const ReferenceRow&, const AttentionQuestion&) { return true; });
    for (const Finding& f : c.findings)
      if (f.verdict == Verdict::wrong)
        UNSCOPED_INFO(f.id << " " << f.label << ": " << f.expected << ", " << f.found);
    CHECK(c.conforms());
    CHECK(c.explanations.empty());
  }
}

TEST_CASE("mistakes in attention code are caught and named") {
  using enum AttentionSlip;
  struct Mistake {
    AttentionSlip slip;
    const char *id, *quantity, *what;
    /// Whether bfloat16, whose gradients may err much, shows it as well.
    bool in_bfloat16 = true;
  };
  const std::vector<Mistake> mistakes{
      {no_scale, "plain", "output", "1 in place of head_dim"},
      {no_scale, "grouped", "dk", "1 in place of head_dim"},
      {scale_of_model, "grouped", "output", "model_dim in place of head_dim"},
      {scale_of_model, "grouped", "dq", "model_dim in place of head_dim"},
      {mask_off_by_one, "causal", "output", "0 in place of 1"},
      {mask_off_by_one, "causal", "dv", "0 in place of 1"},
      {aligned_top_left, "causal", "output", "the term keys - queries is left out"},
      {aligned_bottom_right, "causal", "lse", "row[i] + keys - queries in place of row[i]"},
      {window_off_by_one, "window", "output", "window +1 in place of window"},
      {window_off_by_one, "window", "dq", "window +1 in place of window"},
      {sink_dropped, "sink", "output", "the term exp(sink) is left out"},
      {sink_twice, "sink", "lse", "the term exp(sink) is counted twice"},
      {cap_after_mask, "softcap-causal", "output", "beyond(at + 1, exp(-softcap))"},
      {dealt_heads, "grouped", "output", "dealt to key heads in turn"},
      {dealt_heads, "grouped", "dv", "dealt to key heads in turn"},
      {dealt_heads, "grouped-causal", "dk", "dealt to key heads in turn"},
      {lse_base_2, "plain", "lse", "base 2 for e"},
      {dq_without_scale, "plain", "dq", "the factor f is left out"},
      {dq_without_scale, "scale", "dq", "the factor f is left out"},
      {first_head_alone, "grouped", "dk", "the first query head of the group alone"},
      {first_head_alone, "grouped", "dv", "the first query head of the group alone"},
      {no_D, "plain", "dq", "the term D is left out"},
      {no_D, "dominant", "dk", "the term D is left out", false},
      {no_slope, "softcap", "dq", "the factor 1 - u^2 is left out", false},
      {finite_mask, "mask", "output", "-10000 in place of a masked score"},
  };
  for (const Mistake& m : mistakes)
    for (const char* arithmetic : {"fp32", "bf16"}) {
      if (!m.in_bfloat16 && std::string_view(arithmetic) == "bf16") continue;
      CAPTURE(arithmetic, m.id, m.quantity, m.what, static_cast<int>(m.slip));
      const Comparison c =
          with_slip(m.slip, arithmetic, [&](const ReferenceRow& row, const AttentionQuestion&) {
            if (!is_case(row, m.id) || *row.question.find("quantity") != m.quantity) return false;
            const std::string* causal = row.question.find("causal");
            if (m.slip == aligned_top_left) return *causal == "bottom-right";
            return m.slip != aligned_bottom_right || *causal == "top-left";
          });
      CHECK_FALSE(c.conforms());
      CHECK(names(c, m.what));
    }
}

TEST_CASE("zeros are no answers to long rows of attention") {
  for (const char* arithmetic : {"fp64", "fp32", "bf16", "fp16"}) {
    const Tolerance t = make_tolerance("rounding", Arithmetic::parse(arithmetic));
    for (const ReferenceRow& row : published_attention()) {
      // Gradients here are sums that nearly cancel: in bfloat16 they may err by their own size.
      const bool is_gradient = row.question.find("quantity")->starts_with("d");
      if (!is_case(row, "long") || (is_gradient && t.format().width < 32)) continue;
      CAPTURE(arithmetic, row.id.substr(0, 40));
      const auto allowed = row_allowances(row, t);
      REQUIRE(allowed.has_value());
      bool caught = false;
      for (std::size_t i = 0; i < row.values.size(); ++i)
        caught = caught ||
                 judge(row.values[i], Outcome::of(Ball(0, 64)), t, &(*allowed)[i]).verdict == Verdict::wrong;
      CHECK(caught);
    }
  }
}

TEST_CASE("attention questions that do not fit are refused by name") {
  const std::vector<std::pair<std::string, std::string>> good{{"q", "1 2"}, {"k", "1 0; 0 1"}, {"v", "1; 2"}};
  const auto with = [&](const std::string& key, const std::string& text) {
    auto inputs = good;
    for (auto& [k, v] : inputs)
      if (k == key) v = text;
    if (key != "q" && key != "k" && key != "v") inputs.emplace_back(key, text);
    return answer(question(inputs), 128);
  };
  CHECK(answer(question(good), 128).size() == 1);
  CHECK_THROWS_WITH(with("q", "1 2 3"), "q (1, 1, 3) and k (1, 2, 2) differ in width");
  CHECK_THROWS_WITH(with("v", "1"), "k (1, 2, 2) and v (1, 1, 1) differ in heads or rows");
  CHECK_THROWS_WITH(with("k", "1 0; 0 1 | 1 0; 0 1"), "k (2, 2, 2) and v (1, 2, 1) differ in heads or rows");
  CHECK_THROWS_WITH(with("q", "1/3 2"), Catch::Contains("q: 1/3 is no binary64 number"));
  CHECK_THROWS_WITH(with("q", "1 2; 3"), "q: rows must be non-empty and of equal length");
  CHECK_THROWS_WITH(with("mask", "0"), "mask: a row of 1 numbers for 2 keys");
  CHECK_THROWS_WITH(with("causal", "left"), Catch::Contains("expected top-left, bottom-right or none"));
  CHECK_THROWS_WITH(with("window", "0"), Catch::Contains("window must be a number of keys"));
  CHECK_THROWS_WITH(with("softcap", "-1"), "softcap must be positive, found -1");
  CHECK_THROWS_WITH(with("quantity", "dq"), "attention needs d_out");
  CHECK_THROWS_WITH(with("quantity", "dsink"), "attention needs d_out");
  CHECK_THROWS_WITH(with("quantity", "dw"), Catch::Contains("allowed: output, lse, dq, dk, dv, dsink"));
}
