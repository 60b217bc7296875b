// Wrong code is caught: every mutation of every formula of the published tables is answered as an
// implementation with that slip alone would, with roundings of its own. Each answer beyond the allowance must
// be found, and the slip named; what is beyond the allowance this file decides by itself. `test_tables
// "every slip*"` makes all of them in all arithmetics, by parts: -c "bf16 part 3".
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "critscale/number/errors.hpp"
#include "critscale/tables/compare.hpp"
#include "critscale/tables/detail/columns.hpp"
#include "critscale/tables/detail/formula_approximate.hpp"
#include "provers/program.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

using Kind = Outcome::Kind;

constexpr Bits working = 256;

double middle(const Ball& x) { return arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR); }

Outcome stored(const Ball& x, const BinaryFormat& format) {
  return parse_outcome(rounded_text(format, round_to(format, x.midpoint())));
}

/// A published table and what rounding may do to each of its rows.
struct Published {
  std::vector<ReferenceRow> rows;
  std::vector<std::optional<std::vector<Allowance>>> allowed;
  Tolerance tolerance;

  Published(const std::string& cases, const char* arithmetic)
      : tolerance(make_tolerance("rounding", Arithmetic::parse(arithmetic))) {
    const std::string folder = scratch("mutations");
    const Run made =
        program(fmt::format("table {}/cases/{} --force -o {}/t.csv", CRITSCALE_SOURCE_DIR, cases, folder));
    INFO(made.err);
    REQUIRE(made.code == 0);
    for (ReferenceRow& row : read_reference(folder + "/t.csv"))
      if (row.is_meant_for(tolerance.format())) rows.push_back(std::move(row));
    for (const ReferenceRow& row : rows) allowed.push_back(row_allowances(row, tolerance));
  }

  /// What a value may err; PyTorch's rule where there is no theory.
  double allowance(std::size_t row, std::size_t i, bool above) const {
    if (allowed[row]) {
      const Margin& m = (*allowed[row])[i].worst;
      return above ? m.up : m.down;
    }
    const double size = std::abs(middle(*rows[row].values[i].value));
    return static_cast<double>(tolerance.atol) + static_cast<double>(tolerance.rtol) * size;
  }
  bool is_beyond(std::size_t row, std::size_t i, const Outcome& found) const {
    const ReferenceValue& right = rows[row].values[i];
    if (!right.value) return found.kind != right.special;
    if (!found.is_number()) return true;
    const double error = middle(Ball(found.number - *right.value));
    return std::abs(error) > allowance(row, i, error > 0) * (1 + 1e-9);
  }
};

/// The answers of code with one slip: its value with an error of up to a quarter of the allowance.
class Slipped {
 public:
  /// The rows are members of one formula.
  Slipped(const Published& p, const Formula& right, const std::vector<std::size_t>& members) : p_(p) {
    for (const std::size_t r : members) {
      inputs_.push_back(formula_inputs(p.rows[r].question, working));
      approximate_.emplace_back(right, inputs_.back());
    }
  }

  /// The answers to the k-th member.
  std::vector<Outcome> answers(const Formula& f, std::size_t k, std::size_t row,
                               std::mt19937_64& random) const {
    const ReferenceRow& r = p_.rows[row];
    std::vector<Outcome> values;
    try {
      values = exact_values(f, k, row);
    } catch (const Error&) {
      return std::vector<Outcome>(r.values.size(), Outcome::special(Kind::nan));
    }
    std::uniform_real_distribution<double> part(-0.25, 0.25);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].is_number()) continue;
      double noise = 0;
      if (i < r.values.size() && r.values[i].value) {
        const double size = std::abs(middle(values[i].number)), right = std::abs(middle(*r.values[i].value));
        const double share = part(random);
        const double allowed = p_.allowance(row, i, share > 0);
        noise = share * allowed * (right > 0 && size > allowed ? std::max(1.0, size / right) : 1.0);
      }
      // Where roundings may do anything, a value that the format holds is still held with its error.
      const double most = std::ldexp(0.25, static_cast<int>(p_.tolerance.format().max_exponent));
      if (std::isfinite(noise)) values[i].number += Ball::exactly(std::clamp(noise, -most, most), working);
      values[i] = stored(values[i].number, p_.tolerance.format());
    }
    return values;
  }

 private:
  /// Binary64 where its error is far below the allowance, Balls else.
  std::vector<Outcome> exact_values(const Formula& f, std::size_t k, std::size_t row) const {
    std::vector<Outcome> r;
    const std::vector<Approximate> x = approximate_[k].of(f);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t own = std::min(i, p_.rows[row].values.size() - 1);
      const double least = p_.rows[row].values[own].value
                               ? std::min(p_.allowance(row, own, true), p_.allowance(row, own, false))
                               : 0;
      if (!(x[i].error <= least / 1000)) return outcomes(f, inputs_[k], working);
      r.push_back(std::isnan(x[i].value) ? Outcome::special(Kind::nan)
                  : std::isinf(x[i].value)
                      ? Outcome::special(x[i].value > 0 ? Kind::plus_infinity : Kind::minus_infinity)
                      : Outcome::of(Ball::exactly(x[i].value, working)));
    }
    return r;
  }

  const Published& p_;
  std::vector<FormulaInputs> inputs_;
  std::vector<ApproximateFormula> approximate_;
};

struct Count {
  std::size_t mutations = 0, shown = 0, rows = 0, missed = 0, named = 0, candidates = 0;
};

/// One formula: every `step`-th of its mutations.
void run_formula(const Published& p, const std::string& text, std::size_t step, Count& n) {
  std::vector<std::size_t> members;
  std::set<std::string> names;
  for (std::size_t r = 0; r < p.rows.size(); ++r)
    if (formula_text(p.rows[r].question) == text) {
      members.push_back(r);
      for (std::string& name : scalar_names(p.rows[r].question)) names.insert(std::move(name));
    }
  std::mt19937_64 random(15);
  const Formula right = parse_formula(text);
  const std::vector<Mutation> all = mutations(right, {names.begin(), names.end()});
  const Slipped slipped(p, right, members);
  for (std::size_t m = 0; m < all.size(); m += step) {
    ++n.mutations;
    Candidate candidate;
    std::vector<ReferenceRow> asked;
    std::set<std::string> beyond;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const std::size_t r = members[k];
      const std::vector<Outcome> found = slipped.answers(all[m].formula, k, r, random);
      bool wrong = found.size() != p.rows[r].values.size();
      for (std::size_t i = 0; i < found.size() && !wrong; ++i) wrong = p.is_beyond(r, i, found[i]);
      if (wrong) beyond.insert(p.rows[r].id);
      asked.push_back(p.rows[r]);
      candidate.values.emplace(p.rows[r].id, found);
    }
    if (beyond.empty()) continue;
    ++n.shown;
    n.rows += beyond.size();
    const Comparison c = compare(asked, candidate, p.tolerance, 1000000);
    std::set<std::string> caught;
    for (const Finding& f : c.findings)
      if (f.verdict == Verdict::wrong) caught.emplace(f.id);
    for (const std::string& id : beyond) n.missed += caught.contains(id) ? 0 : 1;
    const std::string formula = to_string(all[m].formula);
    const bool named = std::any_of(c.explanations.begin(), c.explanations.end(),
                                   [&](const Explanation& e) { return e.formula == formula; });
    n.named += named ? 1 : 0;
    n.candidates += c.explanations.size();
    if (!named) {
      fmt::print("  not named: {} ({}), {} rows beyond\n", all[m].what, formula, beyond.size());
      for (const Explanation& e : c.explanations) fmt::print("    instead: {} ({})\n", e.what, e.formula);
    }
  }
}

/// Every `step`-th mutation of every `parts`-th formula.
void run(const std::string& cases, const char* arithmetic, std::size_t step, std::size_t part = 0,
         std::size_t parts = 1) {
  const Published p(cases, arithmetic);
  std::set<std::string> texts;
  for (const ReferenceRow& row : p.rows)
    if (const auto text = formula_text(row.question)) texts.insert(*text);
  Count n;
  std::size_t at = 0;
  for (const std::string& text : texts)
    if (at++ % parts == part) run_formula(p, text, step, n);
  fmt::print(
      "{}, {}, part {} of {}: {} mutations, {} change an answer beyond the allowance, in {} rows, of which "
      "{} are not caught; {} named, {:.2f} candidates each\n",
      cases, arithmetic, part, parts, n.mutations, n.shown, n.rows, n.missed, n.named,
      static_cast<double>(n.candidates) / static_cast<double>(std::max<std::size_t>(n.shown, 1)));
  CHECK(n.shown > 10);
  CHECK(n.missed == 0);
  CHECK(100 * n.named >= 95 * n.shown);
}

void run_all(const char* cases, std::size_t parts) {
  for (const char* arithmetic : {"fp32", "fp64", "bf16", "fp16"})
    for (std::size_t part = 0; part < parts; ++part) DYNAMIC_SECTION(arithmetic << " part " << part) {
        run(cases, arithmetic, 1, part, parts);
      }
}

/// The right answers, each a quarter of its allowance away from the truth: nothing is wrong or named.
void run_right(const std::string& cases, const char* arithmetic) {
  const Published p(cases, arithmetic);
  std::mt19937_64 random(16);
  Candidate right;
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    std::vector<Outcome> values;
    if (const auto text = formula_text(p.rows[r].question)) {
      const Formula right_formula = parse_formula(*text);
      values = Slipped(p, right_formula, {r}).answers(right_formula, 0, r, random);
    }
    REQUIRE(values.size() == p.rows[r].values.size());
    right.values.emplace(p.rows[r].id, std::move(values));
  }
  const Comparison c = compare(p.rows, right, p.tolerance);
  CAPTURE(cases, arithmetic);
  for (const Finding& f : c.findings)
    if (f.verdict == Verdict::wrong || f.verdict == Verdict::undecided)
      UNSCOPED_INFO(f.id.substr(0, 200) << " " << f.label << ": " << f.expected << ", " << f.found << ", "
                                        << f.ratio.value_or(-1));
  CHECK(c.conforms());
  CHECK(c.explanations.empty());
}

constexpr const char* published[] = {"implementers-softmax.toml", "implementers-layers.toml",
                                     "attention.toml"};

}  // namespace

TEST_CASE("slips in published questions are caught and named, a sample") {
  run("implementers-softmax.toml", "fp32", 41);
  run("implementers-layers.toml", "fp32", 131);
  run("attention.toml", "fp32", 401);
}
TEST_CASE("right answers to published questions are not put down to a slip") {
  for (const char* cases : published)
    for (const char* arithmetic : {"fp32", "fp64", "bf16", "fp16"}) run_right(cases, arithmetic);
}
TEST_CASE("every slip in published questions on scores is caught and named", "[.long]") {
  run_all("implementers-softmax.toml", 1);
}
TEST_CASE("every slip in published questions on layers and schedules is caught and named", "[.long]") {
  run_all("implementers-layers.toml", 2);
}
TEST_CASE("every slip in published questions on attention is caught and named", "[.long]") {
  run_all("attention.toml", 8);
}

TEST_CASE("binary64 with error bounds encloses the values of slips") {
  std::size_t known = 0, all = 0;
  for (const char* cases : published) {
    const Published p(cases, "fp64");
    std::size_t at = 0;
    for (const ReferenceRow& row : p.rows) {
      const auto text = formula_text(row.question);
      if (!text) continue;
      const Formula right = parse_formula(*text);
      const FormulaInputs inputs = formula_inputs(row.question, working);
      const ApproximateFormula approximate(right, inputs);
      for (const Mutation& m : mutations(right, scalar_names(row.question))) {
        if (at++ % 97 != 0) continue;
        const std::vector<Approximate> found = approximate.of(m.formula);
        const std::vector<Outcome> exact = outcomes(m.formula, inputs, working);
        REQUIRE(found.size() == exact.size());
        for (std::size_t i = 0; i < exact.size(); ++i) {
          ++all;
          if (!found[i].is_known()) continue;
          ++known;
          CAPTURE(row.id, m.what, to_string(m.formula), i, found[i].value, found[i].error);
          if (!std::isfinite(found[i].value)) {
            REQUIRE(exact[i].kind == (std::isnan(found[i].value) ? Kind::nan
                                      : found[i].value > 0       ? Kind::plus_infinity
                                                                 : Kind::minus_infinity));
            continue;
          }
          REQUIRE(exact[i].is_number());
          const Ball difference = abs(exact[i].number - Ball::exactly(found[i].value, working));
          REQUIRE(certainly(less_equal(difference.center(), Ball::exactly(found[i].error, working))));
        }
      }
    }
  }
  fmt::print("{} values of slips, {} known in binary64\n", all, known);
  // Scores of 700 and more are left to Balls.
  CHECK(known > all / 10 * 7);
}
