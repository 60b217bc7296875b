// Which mutations a table tells apart.
#include <algorithm>
#include <map>
#include <set>

#include "critscale/number/errors.hpp"
#include "critscale/tables/explain.hpp"

namespace critscale {

namespace {

constexpr Bits coverage_bits = 192;

using Values = std::vector<std::vector<Outcome>>;  ///< by row

std::vector<Outcome> values_at(const Formula& f, const FormulaInputs& in) {
  try {
    return outcomes(f, in, coverage_bits);
  } catch (const Error&) {
    return {};
  }
}

/// Whether two answers to a row differ by more than the allowance.
bool differ(const std::vector<Outcome>& a, const std::vector<Outcome>& b, const ReferenceRow& row,
            const std::optional<std::vector<Allowance>>& allowed, const Tolerance& t) {
  if (a.size() != b.size()) return true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].kind != b[i].kind) return true;
    if (!a[i].is_number()) continue;
    const ReferenceValue as_right{row.values[i].label, a[i].number, {}};
    if (judge(as_right, b[i], t, allowed ? &(*allowed)[i] : nullptr).verdict == Verdict::wrong) return true;
  }
  return false;
}

CoverageGroup cover(const std::string& text, const std::vector<const ReferenceRow*>& rows,
                    const Tolerance& t) {
  std::set<std::string> names;
  for (const ReferenceRow* row : rows)
    for (std::string& n : scalar_names(row->question)) names.insert(std::move(n));
  const Formula right = parse_formula(text);
  CoverageGroup g{text, rows.size(), mutations(right, {names.begin(), names.end()}), {}, {}};
  std::vector<std::optional<std::vector<Allowance>>> allowed;
  Values right_values;
  std::vector<FormulaInputs> inputs;
  for (const ReferenceRow* row : rows) {
    inputs.push_back(formula_inputs(row->question, coverage_bits));
    allowed.push_back(row_allowances(*row, t));
    right_values.push_back(values_at(right, inputs.back()));
  }
  std::vector<Values> values;
  for (const Mutation& m : g.mutations) {
    std::size_t told = 0;
    values.emplace_back();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      values.back().push_back(values_at(m.formula, inputs[r]));
      told += differ(right_values[r], values.back().back(), *rows[r], allowed[r], t) ? 1 : 0;
    }
    g.told.push_back(told);
  }
  std::vector<bool> placed(g.mutations.size(), false);
  for (std::size_t a = 0; a < g.mutations.size(); ++a) {
    if (placed[a] || g.told[a] == 0) continue;
    std::vector<std::size_t> group{a};
    for (std::size_t b = a + 1; b < g.mutations.size(); ++b) {
      if (placed[b] || g.told[b] == 0) continue;
      bool apart = false;
      for (std::size_t r = 0; r < rows.size() && !apart; ++r)
        apart = differ(values[a][r], values[b][r], *rows[r], allowed[r], t);
      if (apart) continue;
      placed[b] = true;
      group.push_back(b);
    }
    if (group.size() > 1) g.alike.push_back(std::move(group));
  }
  return g;
}

}  // namespace

std::vector<CoverageGroup> coverage(const std::vector<ReferenceRow>& rows, const Tolerance& t) {
  std::map<std::string, std::vector<const ReferenceRow*>> groups;
  for (const ReferenceRow& row : rows)
    if (const auto text = formula_text(row.question); text && row.is_meant_for(t.format()))
      groups[*text].push_back(&row);
  std::vector<CoverageGroup> r;
  for (const auto& [text, members] : groups) r.push_back(cover(text, members, t));
  return r;
}

}  // namespace critscale
