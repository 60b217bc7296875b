// Slips that were seen in implementations, each with its right value, and the answers in which it must be
// found; and what must not be blamed.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "critscale/tables/answer.hpp"
#include "critscale/tables/compare.hpp"
#include "critscale/tables/detail/schedule_questions.hpp"

using namespace critscale;
using nlohmann::json;

namespace {

ReferenceRow row_of(std::string id, Question q) {
  ReferenceRow row{std::move(id), std::move(q), {}, {}};
  const std::vector<std::string> labels = answer_labels(row.question);
  const std::vector<Ball> values = certified_answer(row.question, 30);
  for (std::size_t i = 0; i < labels.size(); ++i) row.values.push_back({labels[i], values[i]});
  return row;
}

std::vector<Outcome> texts(const std::vector<std::string>& values) {
  std::vector<Outcome> r;
  for (const std::string& v : values) r.push_back(parse_outcome(v));
  return r;
}

/// One wrong answer to one question.
struct Seen {
  Question question;
  std::vector<std::string> right, found;  ///< the first values, to the digits given
  std::string arithmetic, what, formula;  ///< what must be among the explanations
};

Comparison judged(const std::vector<ReferenceRow>& rows, const std::vector<std::vector<Outcome>>& found,
                  const std::string& arithmetic) {
  Candidate c;
  for (std::size_t i = 0; i < rows.size(); ++i) c.values.emplace(rows[i].id, found[i]);
  return compare(rows, c, make_tolerance("rounding", Arithmetic::parse(arithmetic)));
}

std::string repeated(const std::string& text, int n) {
  std::string r = text;
  for (int i = 1; i < n; ++i) r += " " + text;
  return r;
}

Question row(std::vector<std::pair<std::string, std::string>> more) {
  std::vector<std::pair<std::string, std::string>> inputs{{"scores", "8 0 4"}, {"values", "1; 0; 0"}};
  for (auto& m : more) inputs.push_back(std::move(m));
  return {"attention_row", std::move(inputs)};
}

const std::vector<Seen>& seen() {
  static const std::vector<Seen> v{
      {{"attention_row", {{"scores", "64 0"}, {"values", "1 0; 0 1"}, {"d", "256"}}},
       {"0.98201379"},
       {"0.93503083", "0.06496917"},
       "fp32",
       "d = 576",
       "scores[j]/576^(1/2)"},
      {{"logsumexp", {{"logits", "0 0 0 0 0 0 0 0"}}},
       {"2.07944154"},
       {"1.44135904"},
       "fp32",
       "converted to base 2",
       "(ln 2*log(sum[j](exp(logits[j]))))"},
      {{"logsumexp", {{"logits", "0 0 0 0 0 0 0 0"}}},
       {"2.07944154"},
       {"3"},
       "fp32",
       "base 2 for e",
       "log2("},
      {{"softmax", {{"logits", "8 0"}}},
       {"0.99966465"},
       {"0.99999028", "0.0000097206"},
       "bf16",
       "converted to base 2",
       "exp(logits[j]/ln 2)"},
      {{"schedule", {{"schedule", "yarn"}, {"factor", "40"}, {"mscale", "707/1000"}}},
       {"1.58962617"},
       {"1.8738542070926266"},
       "fp64",
       "mscale",
       "rate*log(max(factor, 1)) + 1"},
      {{"schedule", {{"schedule", "yarn"}, {"factor", "40"}, {"attention_factor", "1"}}},
       {"1.00000000"},
       {"1.8738542070926266"},
       "fp64",
       "the explicit value is ignored",
       "rate*mscale*log(max(factor, 1)) + 1"},
      {{"schedule", {{"schedule", "qwen-logn"}, {"n", "1000"}, {"train", "2048"}}},
       {"1.00000000"},
       {"0.9059803895"},
       "fp32",
       "the bound is left out",
       "log(n)/log(train_length)"},
      {{"schedule", {{"schedule", "llama4"}, {"position", "8190"}}},
       {"1.00000000"},
       {"1.0693147180559945"},
       "fp64",
       "2 in place of 1",
       "floor((position + 2)/train_length)"},
      {row({{"softcap", "4"}}),
       {"0.68206931"},
       {"0.9902376151"},
       "fp32",
       "s in place of softcap",
       "s*tanh(s/softcap)"},
      {row({{"visible", "2"}}),
       {"0.99966465"},
       {"0.9816903928"},
       "fp32",
       "visible +1 in place of visible",
       "first(visible + 1"},
      {row({{"sink", "8"}}),
       {"0.49538031"},
       {"0.3312737930"},
       "bf16",
       "the term exp(sink) is counted twice",
       "exp(sink) + exp(sink)"},
      {row({{"sink", "8"}}),
       {"0.49538031"},
       {"0.9816903928"},
       "fp32",
       "the term exp(sink) is left out",
       "/sum[j](e)"}};
  return v;
}

bool is_among(const std::vector<Explanation>& all, const std::string& what, const std::string& formula) {
  return std::any_of(all.begin(), all.end(), [&](const Explanation& e) {
    return e.what.find(what) != std::string::npos && e.formula.find(formula) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("slips that were seen are found and named") {
  for (const Seen& s : seen()) {
    const ReferenceRow r = row_of("a", s.question);
    CAPTURE(s.what, s.formula);
    for (std::size_t i = 0; i < s.right.size(); ++i) {
      INFO("right " << s.right[i]);
      CHECK(overlaps(*r.values[i].value, enclose_value(s.right[i])));
    }
    std::vector<std::string> found = s.found;
    const Comparison c = judged({r}, {texts(found)}, s.arithmetic);
    CHECK_FALSE(c.conforms());
    for (const Explanation& e : c.explanations) UNSCOPED_INFO(e.what << ": " << e.formula);
    CHECK(is_among(c.explanations, s.what, s.formula));
  }
}

TEST_CASE("sums that stall in narrow formats are named") {
  const ReferenceRow r = row_of("a", {"softmax", {{"logits", repeated("0", 4096)}}});
  CHECK(overlaps(*r.values[0].value, Ball(Rational(1, 4096), 64)));
  // binary16 stops at 2048, bfloat16 at 256.
  for (const auto& [found, format] : {std::pair{"0.00048828125", "binary16"}, {"0.00390625", "bfloat16"}}) {
    const Comparison c = judged({r}, {std::vector<Outcome>(4096, parse_outcome(found))}, "bf16");
    CHECK_FALSE(c.conforms());
    CHECK(is_among(c.explanations, std::string("the sum is kept in ") + format, format));
  }
}

TEST_CASE("a slip in the Jacobian is named") {
  // The keys' own directions taken as constants: the projection in y_j/|x_j| is left out.
  std::vector<ReferenceRow> rows;
  std::vector<std::vector<Outcome>> found;
  for (const char* tokens : {"3 4; 4 3; -3 4", "1 3; 2 -1; 5 4"}) {
    const Question q{"jacobian_norm", {{"tokens", tokens}, {"beta", "5/2"}, {"alpha", "1"}}};
    rows.push_back(row_of(tokens, q));
    std::string text = *formula_text(q);
    text.replace(text.find("unit[c,b] - y*z"), 15, "unit[c,b]");
    found.push_back(outcomes(parse_formula(text), formula_inputs(q, 192), 192));
  }
  const Comparison c = judged(rows, found, "fp64");
  CHECK(c.wrong == 2);
  for (const Explanation& e : c.explanations) UNSCOPED_INFO(e.what << ": " << e.formula);
  CHECK(is_among(c.explanations, "the term y*z is left out", "p*unit[c,b]/k"));
}

TEST_CASE("numbers beyond the format are infinite where they are stored") {
  // No maximum subtracted, the logarithm left out: exp(104) overflows binary32.
  const ReferenceRow r = row_of("a", {"logsumexp", {{"logits", "104 0"}}});
  const Comparison c = judged({r}, {texts({"inf"})}, "fp32");
  CHECK(c.wrong == 1);
  CHECK(is_among(c.explanations, "the function is left out", "sum[j](exp(logits[j]))"));
}

TEST_CASE("rounding allowances stay finite where roundings may do anything") {
  // A score of 98304/4 kept in bfloat16 errs by up to 96: any weights are possible, but no more than weights.
  const Question q{"attention_row", {{"scores", "98304 98304 0"}, {"values", "1; 3; -1"}, {"d", "16"}}};
  const std::vector<Allowance> allowed = *allowances(q, Arithmetic::parse("bf16"));
  for (const Allowance& a : allowed) {
    CHECK(a.worst.up <= 4.5);
    CHECK(a.worst.down >= 1);
  }
}

TEST_CASE("rounding allowances of gradients stay those of weights where scores are large") {
  for (const char* size : {"740", "99840", "2^120"})
    for (const char* quantity : {"dq", "dk", "dv", "output"}) {
      Question q{"attention",
                 {{"quantity", quantity},
                  {"q", "1"},
                  {"k", fmt::format("{}; {}; 0", size, size)},
                  {"v", "1; 3; -1"},
                  {"scale", "1"}}};
      if (std::string_view(quantity) != "output") q.inputs.emplace_back("d_out", "2");
      for (const char* arithmetic : {"bf16", "fp16", "fp32"}) {
        CAPTURE(size, quantity, arithmetic);
        // Weights of at most 2 that err by at most 2, products of at most 6, and D of at most 12 that errs by
        // as much.
        const double reach = std::string_view(quantity) == "dq" ? 3 * std::ldexp(1, 120) : 1;
        const std::vector<Allowance> allowed = *allowances(q, Arithmetic::parse(arithmetic));
        for (const Allowance& a : allowed) {
          CHECK(std::max(a.worst.up, a.worst.down) <= 150 * reach);
          CHECK(std::max(a.likely.up, a.likely.down) <= 150 * reach);
        }
      }
    }
}

TEST_CASE("an allowance that is not a number decides nothing") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  ReferenceValue right;
  right.value = Ball(1, 64);
  const Outcome far = parse_outcome("7");
  const auto verdict = [&](double margin) {
    const Allowance a{{margin, margin}, {margin, margin}};
    return judge(right, far, make_tolerance("rounding", Arithmetic::parse("fp32")), &a).verdict;
  };
  CHECK(verdict(nan) == Verdict::undecided);
  CHECK(verdict(inf) == Verdict::right);
  CHECK(verdict(1) == Verdict::wrong);
}

TEST_CASE("rounding allowances of an entropy stay finite where weights underflow") {
  // Weights of e^-700 and less, beside roundings of 2^-11 and 2^-8.
  const Question q{"entropy", {{"logits", "-8 -9 -720 -745 -748 -752 -753 -1400 -2150"}}};
  for (const char* arithmetic : {"fp64", "fp32", "bf16", "fp16", "fp16,elementwise=fp32"}) {
    CAPTURE(arithmetic);
    for (const Margin& m : {allowances(q, Arithmetic::parse(arithmetic))->front().worst,
                            allowances(q, Arithmetic::parse(arithmetic))->front().likely}) {
      CHECK(m.up < 0.1);
      CHECK(m.down < 0.1);
      CHECK(m.up > 0);
    }
  }
}

TEST_CASE("zeros do not conform at long context") {
  ReferenceRow weight{
      "a", {"layer", {{"geometry", "simplex"}, {"rho", "1/2"}, {"n", "393216"}, {"gamma", "0"}}}, {}, {}};
  weight.values.push_back({"self_weight", Ball(Rational(1, 393216), 64)});
  const ReferenceRow softmax = row_of("b", {"softmax", {{"logits", repeated("0", 4096)}}});
  for (const char* arithmetic : {"fp64", "fp32", "bf16", "fp16"}) {
    CAPTURE(arithmetic);
    CHECK_FALSE(judged({weight}, {texts({"0"})}, arithmetic).conforms());
    CHECK(judged({weight}, {texts({"2.5431315104166665e-06"})}, arithmetic).conforms());
    const Comparison c = judged({softmax}, {std::vector<Outcome>(4096, parse_outcome("0"))}, arithmetic);
    CHECK(c.wrong == 4096);
  }
}

TEST_CASE("Mistral's step is not Llama 4's, and neither is blamed") {
  const auto multiplier = [](const char* schedule, const char* position) {
    return row_of(position, {"schedule", {{"schedule", schedule}, {"position", position}}});
  };
  const Ball step = 1 + log(Ball(2, 128)) / 10;
  CHECK(overlaps(*multiplier("llama4", "8191").values[0].value, step));
  CHECK(multiplier("mistral", "8191").values[0].value->contains(Rational(1)));
  CHECK(overlaps(*multiplier("mistral", "8192").values[0].value, step));
  const std::vector<ReferenceRow> rows{multiplier("mistral", "8191"), multiplier("mistral", "8192")};
  const Comparison right = judged(rows, {texts({"1"}), texts({"1.0693147180559945"})}, "fp64");
  CHECK(right.conforms());
  CHECK(right.explanations.empty());
}

TEST_CASE("positions count from 0, n counts keys") {
  const auto value = [](std::vector<std::pair<std::string, std::string>> inputs) {
    inputs.emplace_back("schedule", "qwen-logn");
    inputs.emplace_back("train", "2048");
    return answer({"schedule", inputs}, 128)[0];
  };
  CHECK(overlaps(value({{"n", "3000"}}), enclose_value("1.05006789")));
  CHECK(overlaps(value({{"position", "2999"}}), value({{"n", "3000"}})));
}

TEST_CASE("rows without a visible key: nan, minus infinity, 0") {
  const Question softmax{"softmax", {{"logits", "-inf -inf"}}}, lse{"logsumexp", softmax.inputs};
  CHECK_THROWS_AS(answer(softmax, 64), UndefinedError);
  CHECK_THROWS_AS(answer(lse, 64), UndefinedError);
  CHECK(undefined_answer(softmax) == Outcome::Kind::nan);
  CHECK(undefined_answer(lse) == Outcome::Kind::minus_infinity);
  ReferenceRow r{"a", lse, {{"logsumexp", std::nullopt, {}, Outcome::Kind::minus_infinity}}, {}};
  CHECK(judged({r}, {texts({"-inf"})}, "fp32").conforms());
  for (const char* wrong : {"nan", "inf", "-1e30", "0"})
    CHECK_FALSE(judged({r}, {texts({wrong})}, "fp32").conforms());
  const ReferenceRow row =
      row_of("b", {"attention_row", {{"scores", "-inf -inf"}, {"values", "1; 2"}, {"d", "4"}}});
  CHECK(judged({row}, {texts({"0"})}, "fp32").conforms());
  CHECK_FALSE(judged({row}, {texts({"nan"})}, "fp32").conforms());
}

TEST_CASE("no slip explains what right answers speak against") {
  // Base 2 in one answer of two: a slip that the other answer contradicts.
  const std::vector<ReferenceRow> rows{row_of("a", {"logsumexp", {{"logits", "0 0 0 0 0 0 0 0"}}}),
                                       row_of("b", {"logsumexp", {{"logits", "0 0 0 0"}}})};
  const Comparison one = judged(rows, {texts({"3"}), texts({"1.3862943611198906"})}, "fp64");
  CHECK(one.wrong == 1);
  CHECK_FALSE(is_among(one.explanations, "base 2 for e", "log2"));
  const Comparison both = judged(rows, {texts({"3"}), texts({"2"})}, "fp64");
  CHECK(is_among(both.explanations, "base 2 for e", "log2"));
  CHECK(both.explanations[0].rows == 2);
}

TEST_CASE("two slips together are found as a pair") {
  // Base 2, and the scale lost: 2^8/(2^8 + 1) and the like.
  std::vector<ReferenceRow> rows;
  std::vector<std::vector<Outcome>> found;
  for (const long z : {8L, 3L, 1L}) {
    rows.push_back(
        row_of(std::to_string(z),
               {"attention_row", {{"scores", std::to_string(z) + " 0"}, {"values", "1; 0"}, {"d", "64"}}}));
    const double w = std::exp2(static_cast<double>(z));
    found.push_back({Outcome::of(Ball::exactly(w / (w + 1)))});
  }
  const Comparison c = judged(rows, found, "fp64");
  REQUIRE_FALSE(c.explanations.empty());
  for (const Explanation& e : c.explanations) UNSCOPED_INFO(e.what << ": " << e.formula);
  CHECK(is_among(c.explanations, "base 2 for e", "exp2"));
}

TEST_CASE("the published mistakes are mutations") {
  std::ifstream in(CRITSCALE_SOURCE_DIR "/cases/known-mistakes.json");
  REQUIRE(in);
  const json list = json::parse(in);
  CHECK(list["cases"].size() == 8);
  for (const json& c : list["cases"]) {
    Question q{c["op"], {}};
    for (const auto& [key, value] : c["inputs"].items()) {
      std::string text;
      if (!value.is_array()) text = value.get<std::string>();
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        if (value[i].is_array())
          for (std::size_t k = 0; k < value[i].size(); ++k)
            text += (k > 0 ? " " : i > 0 ? "; " : "") + value[i][k].get<std::string>();
        else
          text += (i > 0 ? " " : "") + value[i].get<std::string>();
      q.inputs.emplace_back(key, text);
    }
    CAPTURE(c["id"].get<std::string>());
    const std::vector<Ball> right = certified_answer(q, 30);
    REQUIRE(right.size() == c["right"].size());
    for (std::size_t i = 0; i < right.size(); ++i)
      CHECK(overlaps(right[i], enclose_value(c["right"][i].get<std::string>())));
    bool found = false;
    for (const Mutation& m : mutations(parse_formula(*formula_text(q)), scalar_names(q))) {
      const std::vector<Outcome> wrong = outcomes(m.formula, formula_inputs(q, 192), 192);
      bool same = wrong.size() == c["wrong"].size();
      for (std::size_t i = 0; same && i < wrong.size(); ++i) {
        const std::string text = c["wrong"][i];
        same = text == "nan" ? wrong[i].kind == Outcome::Kind::nan
                             : wrong[i].is_number() && overlaps(wrong[i].number, enclose_value(text));
      }
      found = found || same;
    }
    CHECK(found);
  }
}

TEST_CASE("formulas give the right answers, which other code computes") {
  std::vector<Question> questions;
  for (const Seen& s : seen()) questions.push_back(s.question);
  for (const char* logits :
       {"0 1 2", "-inf 3 -2.5", "10000 9999", "85070591730234615865843651857942052864 0"})
    for (const char* op : {"softmax", "logsumexp", "entropy"})
      questions.push_back({op, {{"logits", logits}}});
  questions.push_back(
      {"attention_row", {{"scores", "8 -inf 4"}, {"values", "1; 0; 2"}, {"softcap", "4"}, {"sink", "1"}}});
  for (const char* op : {"layer", "jacobian_norm"})
    for (const char* tokens : {"3 4; 4 3; -3 4", "1 2 2; 2 1 2; 2 2 1; -1 2 2", "1 3; 2 -1"})
      for (const char* alpha : {"0", "1/3"})
        questions.push_back({op, {{"tokens", tokens}, {"beta", "5/2"}, {"alpha", alpha}}});
  for (const std::string_view name : schedule_names()) {
    questions.push_back({"schedule", {{"schedule", std::string(name)}, {"n", "20000"}, {"train", "4096"}}});
    questions.push_back(
        {"schedule", {{"schedule", std::string(name)}, {"position", "12287"}, {"power", "3/2"}}});
  }
  questions.push_back(
      {"schedule",
       {{"schedule", "yarn"}, {"factor", "40"}, {"mscale", "1"}, {"mscale_all_dim", "707/1000"}}});
  questions.push_back({"schedule", {{"schedule", "longrope"}, {"factor", "32"}, {"train", "4096"}}});
  questions.push_back({"schedule", {{"schedule", "yarn-attention-factor"}, {"factor", "1/2"}}});
  for (const Question& q : questions) {
    const std::string text = *formula_text(q);
    CAPTURE(text, q.inputs[0].second);
    CHECK(to_string(parse_formula(text)) == text);
    const std::vector<Ball> right = certified_answer(q, 30);
    const std::vector<Outcome> value = outcomes(parse_formula(text), formula_inputs(q, 320), 320);
    REQUIRE(right.size() == value.size());
    for (std::size_t i = 0; i < right.size(); ++i) {
      REQUIRE(value[i].is_number());
      CHECK(overlaps(right[i], value[i].number));
    }
  }
}

TEST_CASE(
    "slips are named in questions too large for Balls, and where none is sought the report can say so") {
  const auto heads = [](int rows, int width, int seed) {
    std::string r;
    for (int i = 0; i < rows; ++i)
      for (int c = 0; c < width; ++c)
        r += fmt::format("{}{}", c > 0 ? " " : i > 0 ? "; " : "", ((i * 37 + c * 11 + seed) % 17 - 8) / 16.0);
    return r;
  };
  const auto question = [&](int rows, int width) {
    return row_of(fmt::format("{} rows", rows), {"attention",
                                                 {{"quantity", "lse"},
                                                  {"q", heads(rows, width, 1)},
                                                  {"k", heads(rows, width, 5)},
                                                  {"v", heads(rows, width, 9)}}});
  };
  // 32 x 32 x 96 products.
  const ReferenceRow large = question(32, 48);
  std::string text = formula_text(large.question).value();
  const std::string root = "head_dim^(1/2)";
  text.replace(text.find(root), root.size(), "head_dim");
  const Formula slip = parse_formula(text);
  const Comparison c = judged({large}, {outcomes(slip, formula_inputs(large.question, 128), 128)}, "fp32");
  CHECK(c.not_sought == 0);
  CHECK(std::any_of(c.explanations.begin(), c.explanations.end(),
                    [&](const Explanation& e) { return e.formula == to_string(slip); }));

  // 64 x 64 x 128 products.
  const ReferenceRow larger = question(64, 64);
  std::vector<Outcome> found;
  for (const ReferenceValue& v : larger.values) found.push_back(Outcome::of(*v.value * 2));
  const Comparison none = judged({larger}, {found}, "fp32");
  CHECK(none.not_sought == 1);
  CHECK(none.explanations.empty());
}
