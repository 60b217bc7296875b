// Which mutations a table tells apart.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
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
    // Two answers of a shape of their own may have more values than the row.
    const std::size_t own = std::min(i, row.values.size() - 1);
    const ReferenceValue as_right{row.values[own].label, a[i].number, {}};
    if (judge(as_right, b[i], t, allowed ? &(*allowed)[own] : nullptr).verdict == Verdict::wrong) return true;
  }
  return false;
}

/// What stays as it is.
bool is_count(const std::string& name) {
  constexpr std::array<std::string_view, 13> names{
      "keys",      "columns", "visible",   "mask[j]",   "row[i]",     "queries", "head_dim",
      "value_dim", "heads",   "key_heads", "model_dim", "hidden[ij]", "window"};
  return name.starts_with("unit") || std::find(names.begin(), names.end(), name) != names.end();
}

/// Inputs near those of some rows, but of no table: numbers moved at random, ties and masks kept.
class Probes {
 public:
  explicit Probes(const std::vector<const ReferenceRow*>& rows) {
    std::mt19937_64 random(7);
    // Every so many rows would all have one value of the keys that vary fastest.
    std::vector<const ReferenceRow*> chosen;
    constexpr std::ptrdiff_t most = 24;
    std::sample(rows.begin(), rows.end(), std::back_inserter(chosen), most, random);
    for (const ReferenceRow* row : chosen) {
      inputs_.push_back(formula_inputs(row->question, coverage_bits));
      // Tokens by row and by key are the same numbers.
      std::map<std::string, const FormulaTensor*> known;
      for (auto& [name, tensor] : inputs_.back().values) {
        // Counts stay what they are.
        if (is_count(name)) continue;
        const auto [same, is_new] = known.try_emplace(name.substr(0, name.find('[')), &tensor);
        if (!is_new && same->second->entries.size() == tensor.entries.size())
          tensor.entries = same->second->entries;
        else
          move(tensor, random);
      }
    }
  }
  Values of(const Formula& f) const {
    Values r;
    for (const FormulaInputs& in : inputs_) r.push_back(values_at(f, in));
    return r;
  }

 private:
  static void move(FormulaTensor& tensor, std::mt19937_64& random) {
    for (Extended& x : tensor.entries)
      if (x.kind == Outcome::Kind::number)
        x.number = x.number * Ball(moved(random), coverage_bits) + Ball(moved(random) - 1, coverage_bits);
  }
  /// 1 and a little more.
  static Rational moved(std::mt19937_64& random) {
    return 1 + Rational(static_cast<long>(random() % 1000003), 8000009);
  }
  std::vector<FormulaInputs> inputs_;
};

/// Whether two formulas agree at all probes to 2^-60, or to less than any format holds: exp(-10000) for a
/// masked key's 0 is nothing that an answer could show.
bool are_same(const Values& a, const Values& b) {
  const Ball least = Ball(Rational(1, Integer(1) << 1080), coverage_bits);
  for (std::size_t r = 0; r < a.size(); ++r) {
    if (a[r].size() != b[r].size()) return false;
    for (std::size_t i = 0; i < a[r].size(); ++i) {
      const Outcome &x = a[r][i], &y = b[r][i];
      if (x.kind != y.kind) return false;
      if (!x.is_number()) continue;
      const Ball scale = abs(x.number) + abs(y.number) + least * Ball(Integer(1) << 60, coverage_bits);
      if (certainly(Ball(abs(Ball(x.number - y.number)) * Ball(Integer(1) << 60, coverage_bits) - scale)
                        .is_positive()))
        return false;
    }
  }
  return true;
}

/// Whether all that is held in a format is held in one as wide as this arithmetic's own, or wider. Without
/// the maximum subtracted, exp overflows in every format: that is none.
bool has_own_rounding(const Mutation& m, const Tolerance& t) {
  const Arithmetic& a = t.arithmetic;
  if (m.id.starts_with("no-shift")) return false;
  bool any = false;
  for (const FormulaNode& n : m.formula.nodes) {
    if (!n.held) continue;
    any = true;
    const BinaryFormat& own = n.op == FormulaOp::sum ? *a.accumulate : *a.elementwise;
    if (n.held->precision < own.precision || n.held->max_exponent < own.max_exponent) return false;
  }
  return any;
}

CoverageGroup cover(const std::string& text, const std::vector<const ReferenceRow*>& rows,
                    const Tolerance& t) {
  std::set<std::string> names;
  for (const ReferenceRow* row : rows)
    for (std::string& n : scalar_names(row->question)) names.insert(std::move(n));
  const Formula right = parse_formula(text);
  CoverageGroup g{text, rows.size(), mutations(right, {names.begin(), names.end()}), {}, {}, {}, {}};
  std::vector<std::optional<std::vector<Allowance>>> allowed;
  Values right_values;
  std::vector<FormulaInputs> inputs;
  for (const ReferenceRow* row : rows) {
    inputs.push_back(formula_inputs(row->question, coverage_bits));
    allowed.push_back(row_allowances(*row, t));
    right_values.push_back(values_at(right, inputs.back()));
  }
  const Probes probes(rows);
  const Values right_probed = probes.of(right);
  std::vector<Values> values, probed;
  for (const Mutation& m : g.mutations) {
    std::size_t told = 0;
    values.emplace_back();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      values.back().push_back(values_at(m.formula, inputs[r]));
      told += differ(right_values[r], values.back().back(), *rows[r], allowed[r], t) ? 1 : 0;
    }
    probed.push_back(probes.of(m.formula));
    g.told.push_back(told);
    g.standing.push_back(told > 0                                ? Standing::told
                         : are_same(probed.back(), right_probed) ? Standing::same
                         : has_own_rounding(m, t)                ? Standing::own_rounding
                                                                 : Standing::hole);
  }
  std::vector<bool> placed(g.mutations.size(), false);
  for (std::size_t a = 0; a < g.mutations.size(); ++a) {
    if (placed[a] || g.standing[a] != Standing::told) continue;
    std::vector<std::size_t> group{a};
    for (std::size_t b = a + 1; b < g.mutations.size(); ++b) {
      if (placed[b] || g.standing[b] != Standing::told) continue;
      bool apart = false;
      for (std::size_t r = 0; r < rows.size() && !apart; ++r)
        apart = differ(values[a][r], values[b][r], *rows[r], allowed[r], t);
      if (apart) continue;
      placed[b] = true;
      const bool repeats = std::any_of(group.begin(), group.end(),
                                       [&](std::size_t c) { return are_same(probed[b], probed[c]); });
      (repeats ? g.repeated : group).push_back(b);
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
