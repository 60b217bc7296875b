// Wrong code is caught: every mutation of every formula of the published tables, answered in binary32 as
// an implementation with that slip alone would, is caught in each row where it changes the value beyond the
// allowance, and named.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "critscale/number/errors.hpp"
#include "critscale/tables/columns.hpp"
#include "critscale/tables/compare.hpp"
#include "provers/program.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

std::vector<Outcome> stored(const std::vector<Outcome>& values, const BinaryFormat& format) {
  std::vector<Outcome> r;
  for (const Outcome& v : values)
    r.push_back(v.is_number() ? parse_outcome(rounded_text(format, round_to(format, v.number.midpoint())))
                              : v);
  return r;
}

struct Count {
  std::size_t mutations = 0, shown = 0, caught = 0, named = 0;
};

/// One formula's rows: each mutation that some row shows.
void run_group(const CoverageGroup& g, const std::vector<ReferenceRow>& rows, const Tolerance& t, Count& n) {
  std::vector<const ReferenceRow*> members;
  for (const ReferenceRow& row : rows)
    if (row.is_meant_for(t.format()) && formula_text(row.question) == g.formula) members.push_back(&row);
  for (std::size_t i = 0; i < g.mutations.size(); ++i) {
    ++n.mutations;
    if (g.told[i] == 0) continue;
    ++n.shown;
    Candidate c;
    std::vector<ReferenceRow> asked;
    for (const ReferenceRow* row : members) {
      asked.push_back(*row);
      std::vector<Outcome> wrong;
      try {
        wrong = outcomes(g.mutations[i].formula, formula_inputs(row->question, 192), 192);
      } catch (const Error&) {
        wrong.assign(row->values.size(), Outcome::special(Outcome::Kind::nan));
      }
      c.values.emplace(row->id, stored(wrong, t.format()));
    }
    const Comparison r = compare(asked, c, t);
    std::set<std::string> wrong_rows;
    for (const Finding& f : r.findings)
      if (f.verdict == Verdict::wrong) wrong_rows.insert(f.id);
    if (wrong_rows.size() >= g.told[i]) ++n.caught;
    // The mutation itself, or one whose answers are the same on every row.
    std::set<std::string> names{to_string(g.mutations[i].formula)};
    for (const auto& group : g.alike)
      if (std::find(group.begin(), group.end(), i) != group.end())
        for (const std::size_t k : group) names.insert(to_string(g.mutations[k].formula));
    const bool named = std::any_of(r.explanations.begin(), r.explanations.end(),
                                   [&](const Explanation& e) { return names.contains(e.formula); });
    if (named)
      ++n.named;
    else
      fmt::print("not named: {} ({})\n", g.mutations[i].what, to_string(g.mutations[i].formula));
    CHECK(wrong_rows.size() >= g.told[i]);
  }
}

void run(const std::string& cases) {
  const std::string folder = scratch("mutations");
  REQUIRE(program(fmt::format("table {}/cases/{} --force -o {}/t.csv", CRITSCALE_SOURCE_DIR, cases, folder))
              .code == 0);
  const std::vector<ReferenceRow> rows = read_reference(folder + "/t.csv");
  const Tolerance t = make_tolerance("rounding", Arithmetic::parse("fp32"));
  Count n;
  for (const CoverageGroup& g : coverage(rows, t)) run_group(g, rows, t, n);
  fmt::print("{}: {} mutations, {} change an answer, {} caught in every such row, {} named\n", cases,
             n.mutations, n.shown, n.caught, n.named);
  CHECK(n.shown > 100);
  CHECK(n.caught == n.shown);
  CHECK(100 * n.named >= 95 * n.shown);
  // No mutation is named for correct answers.
  Candidate right;
  for (const ReferenceRow& row : rows) {
    std::vector<Outcome> values;
    for (const ReferenceValue& v : row.values)
      values.push_back(v.value ? Outcome::of(v.value->center()) : Outcome::special(v.special));
    right.values.emplace(row.id, stored(values, t.format()));
  }
  const Comparison c = compare(rows, right, t);
  CHECK(c.conforms());
  CHECK(c.explanations.empty());
}

}  // namespace

TEST_CASE("every slip in the questions on scores is caught and named") { run("implementers-softmax.toml"); }
TEST_CASE("every slip in the questions on layers and schedules is caught and named") {
  run("implementers-layers.toml");
}
