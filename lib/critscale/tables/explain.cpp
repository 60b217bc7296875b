// Searching for slips.
#include "critscale/tables/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "critscale/number/errors.hpp"
#include "critscale/tables/detail/attention_question.hpp"

namespace critscale {

namespace {

using Kind = Outcome::Kind;

constexpr Bits bits = 192;
/// Entries that are computed for pairs of mutations before the search gives up: of one formula, and of all.
constexpr double most_pair_work = 40000, most_work_of_pairs = 400000;
/// Entries of the wrong rows that each mutation is tried on for a partial explanation.
constexpr double most_partial_work = 4000;
/// More mutations than this that explain the same few rows say nothing.
constexpr std::size_t most_partial = 8;

double size_of(const Ball& x) { return std::abs(arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR)); }

/// What the tolerance allows around one value, as a number.
double allowed_at(const Ball& value, const Allowance* a, const Ball* right, const Tolerance& t) {
  const double size = size_of(value), u = unit_roundoff(t.format());
  if (!a) return 2 * (static_cast<double>(t.atol) + static_cast<double>(t.rtol) * size);
  const double scale = right && size_of(*right) > 0 ? std::max(1.0, size / size_of(*right)) : 1;
  return 2 * scale * std::max(a->worst.down, a->worst.up) + 8 * u * size;
}

/// A row with what its mutations are compared with.
struct Case {
  JudgedRow judged;
  FormulaInputs inputs;
  std::optional<std::vector<Allowance>> allowances;

  std::size_t entries() const { return judged.found->size(); }
  /// Entries of the largest array that the formula goes through, about. Rows of heads cost more than they
  /// have answers.
  double work() const {
    if (judged.row->question.op != "attention") return static_cast<double>(entries());
    double r = 1;
    for (const auto& [axis, size] : inputs.sizes)
      if (axis != 'c') r *= static_cast<double>(size);
    return r / 4;
  }
};

/// A number beyond the format where an infinity was found.
bool overflows_to(const Outcome& mutated, const Outcome& found, const Tolerance& t) {
  if (!mutated.is_number() || found.is_number() || found.kind == Kind::nan) return false;
  const Dyadic stored = from_bits(t.format(), round_to(t.format(), mutated.number.midpoint()));
  const bool negative = arf_sgn(arb_midref(mutated.number.raw())) < 0;
  return !stored.is_finite() && negative == (found.kind == Kind::minus_infinity);
}

bool is_near(const Outcome& mutated, const Outcome& found, const ReferenceValue& right, const Allowance* a,
             const Tolerance& t) {
  if (mutated.kind != found.kind) return overflows_to(mutated, found, t);
  if (!found.is_number()) return true;
  const double allowed = allowed_at(mutated.number, a, right.value ? &*right.value : nullptr, t);
  return size_of(Ball(found.number - mutated.number)) <= allowed;
}

/// At least twice as near as the right answer: what roundings alone might explain is not put down to a slip.
bool is_nearer(const Outcome& mutated, const Outcome& found, const ReferenceValue& right) {
  if (!found.is_number() || !right.value) return true;
  return 2 * size_of(Ball(found.number - mutated.number)) <= size_of(Ball(found.number - *right.value));
}

/// What a row's answers say of a mutation. They are silent where both it and the right formula are about as
/// far away.
enum class Evidence { against, silent, in_favour };

Evidence evidence(const Formula& f, const Case& c, const Tolerance& t) {
  std::vector<Outcome> mutated;
  try {
    mutated = outcomes(f, c.inputs, bits);
  } catch (const Error&) {
    return Evidence::against;
  }
  const std::vector<Outcome>& found = *c.judged.found;
  const std::vector<ReferenceValue>& right = c.judged.row->values;
  if (mutated.size() != found.size() || right.empty()) return Evidence::against;
  bool nearer = !c.judged.is_wrong || right.size() != found.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    // A slip may give an answer of another shape.
    const std::size_t own = std::min(i, right.size() - 1);
    const Allowance* a = c.allowances ? &(*c.allowances)[own] : nullptr;
    if (!is_near(mutated[i], found[i], right[own], a, t)) return Evidence::against;
    if (right.size() != found.size() || nearer) continue;
    const Judgement j = judge(right[i], found[i], t, a);
    nearer = j.verdict == Verdict::wrong && is_nearer(mutated[i], found[i], right[i]);
  }
  return nearer ? Evidence::in_favour : Evidence::silent;
}

class Search {
 public:
  Search(std::string text, std::vector<Case> cases, const Tolerance& t, double& pair_work)
      : text_(std::move(text)), right_(parse_formula(text_)), t_(t), pair_work_(pair_work) {
    for (Case& c : cases) (c.judged.is_wrong ? wrong_ : fine_).push_back(std::move(c));
    const auto by_size = [](const Case& a, const Case& b) { return a.work() < b.work(); };
    std::stable_sort(wrong_.begin(), wrong_.end(), by_size);
    std::stable_sort(fine_.begin(), fine_.end(), by_size);
  }

  std::vector<Explanation> run() {
    std::set<std::string> names;
    for (const Case& c : wrong_)
      for (std::string& n : scalar_names(c.judged.row->question)) names.insert(std::move(n));
    const std::vector<std::string> scalars(names.begin(), names.end());
    const std::vector<Mutation> singles = mutations(right_, scalars);
    for (const Mutation& m : singles) try_on_all(m);
    if (r_.empty()) fit(scalars);
    if (r_.empty()) pairs(singles, scalars);
    if (r_.empty()) partly(singles);
    return std::move(r_);
  }

 private:
  bool is_for(const Formula& f, const Case& c) const { return evidence(f, c, t_) == Evidence::in_favour; }
  bool contradicted(const Formula& f) const {
    return std::any_of(fine_.begin(), fine_.end(),
                       [&](const Case& c) { return evidence(f, c, t_) == Evidence::against; });
  }
  /// Adds a mutation that no answer speaks against and most of the wrong rows speak for.
  void try_on_all(const Mutation& m) {
    std::vector<std::string> ids;
    for (const Case& c : wrong_) {
      const Evidence e = evidence(m.formula, c, t_);
      if (e == Evidence::against) return;
      if (e == Evidence::in_favour) ids.push_back(c.judged.row->id);
    }
    if (2 * ids.size() > wrong_.size() && !contradicted(m.formula)) add(m, std::move(ids));
  }

  void add(const Mutation& m, std::vector<std::string> ids) {
    const std::string formula = to_string(m.formula);
    for (const Explanation& e : r_)
      if (e.formula == formula) return;
    const std::size_t rows = ids.size();
    r_.push_back({m.id, m.what, formula, text_, rows, wrong_.size(), std::move(ids)});
  }

  // --- one input with another value ----------------------------------------------------------------

  /// The first wrong number of a case as a function of one input.
  double residual(const Case& c, const std::string& name, const Rational& v, std::size_t at) const {
    try {
      const std::vector<Outcome> r = outcomes(with_number(right_, name, v), c.inputs, 128);
      if (!r[at].is_number()) return std::nan("");
      const Ball d = r[at].number - (*c.judged.found)[at].number;
      return arf_get_d(arb_midref(d.raw()), ARF_RND_NEAR);
    } catch (const Error&) {
      return std::nan("");
    }
  }

  /// The integer near which the residual changes sign, by bisection between neighbours of a ladder.
  void fit(const std::vector<std::string>& scalars) {
    const Case& c = wrong_.front();
    const auto at =
        static_cast<std::size_t>(std::find_if(c.judged.found->begin(), c.judged.found->end(),
                                              [&](const Outcome& x) {
                                                const auto i =
                                                    static_cast<std::size_t>(&x - c.judged.found->data());
                                                return x.is_number() && i < c.judged.row->values.size() &&
                                                       judge(c.judged.row->values[i], x, t_,
                                                             c.allowances ? &(*c.allowances)[i] : nullptr)
                                                               .verdict == Verdict::wrong;
                                              }) -
                                 c.judged.found->begin());
    if (at >= c.entries() || at >= c.judged.row->values.size()) return;
    for (const std::string& name : scalars) {
      const bool used = std::any_of(right_.nodes.begin(), right_.nodes.end(), [&](const FormulaNode& n) {
        return n.op == FormulaOp::input && n.name == name && n.axes.empty();
      });
      if (!used) continue;
      Integer low = 1;
      double first = residual(c, name, Rational(low), at);
      for (int k = 1; k < 48; ++k) {
        Integer high = Integer(1) << k;
        const double last = residual(c, name, Rational(high), at);
        if (first * last <= 0) {
          Integer a = low, b = high;
          double fa = first;
          while (b - a > 1) {
            const Integer middle = (a + b) / 2;
            const double fm = residual(c, name, Rational(middle), at);
            if (fa * fm <= 0) {
              b = middle;
            } else {
              a = middle;
              fa = fm;
            }
          }
          for (const Integer& v : {a, b}) try_number(name, Rational(v));
          break;
        }
        low = high;
        first = last;
      }
    }
  }
  void try_number(const std::string& name, const Rational& v) {
    try_on_all({fmt::format("value {}", name),
                fmt::format("{} = {} in place of the one given", name, critscale::to_string(v)),
                with_number(right_, name, v)});
  }

  // --- two slips ----------------------------------------------------------------------------------

  void pairs(const std::vector<Mutation>& singles, const std::vector<std::string>& scalars) {
    std::size_t values = 0;
    double work = 0;
    for (const Case& c : wrong_) values += c.entries();
    // A single wrong number is explained by some pair by chance.
    if (values < 2) return;
    for (const Mutation& one : singles)
      for (const Mutation& two : mutations(one.formula, scalars)) {
        work += wrong_.front().work();
        pair_work_ += wrong_.front().work();
        if (work > most_pair_work || pair_work_ > most_work_of_pairs) return;
        if (!is_for(two.formula, wrong_.front())) continue;
        try_on_all({one.id + " and " + two.id, one.what + ", and " + two.what, two.formula});
        if (r_.size() >= 8) return;
      }
  }

  /// The mutations that explain most of the smaller wrong rows, as many of these as the work allows.
  void partly(const std::vector<Mutation>& singles) {
    double work = 0;
    auto end = wrong_.begin();
    while (end != wrong_.end() && (work += end->work()) <= most_partial_work) ++end;
    std::ptrdiff_t most = 2;
    std::vector<const Mutation*> best;
    for (const Mutation& m : singles) {
      const auto n = std::count_if(wrong_.begin(), end, [&](const Case& c) { return is_for(m.formula, c); });
      if (n < most || contradicted(m.formula)) continue;
      if (n > most) best.clear();
      most = n;
      best.push_back(&m);
    }
    if (best.size() > most_partial) return;
    for (const Mutation* m : best) {
      std::vector<std::string> ids;
      for (const Case& c : wrong_)
        if (is_for(m->formula, c)) ids.push_back(c.judged.row->id);
      add(*m, std::move(ids));
    }
  }

  std::string text_;
  Formula right_;
  const Tolerance& t_;
  double& pair_work_;
  std::vector<Case> wrong_, fine_;
  std::vector<Explanation> r_;
};

std::map<std::string, std::vector<Case>> by_formula(const std::vector<JudgedRow>& rows, const Tolerance& t) {
  std::map<std::string, std::vector<Case>> r;
  std::set<std::string> wanted;
  for (const JudgedRow& row : rows)
    if (row.is_wrong)
      if (const auto text = formula_text(row.row->question)) wanted.insert(*text);
  for (const JudgedRow& row : rows) {
    const auto text = formula_text(row.row->question);
    if (text && wanted.contains(*text))
      r[*text].push_back({row, formula_inputs(row.row->question, bits), row_allowances(*row.row, t)});
  }
  return r;
}

}  // namespace

std::vector<std::string> scalar_names(const Question& q) {
  if (q.op == "attention") return attention_scalars(attention_of(q));
  std::vector<std::string> r;
  for (const auto& [key, text] : q.inputs)
    if (key != "schedule" && shape_of(q.op, key) == InputShape::single)
      r.push_back(key == "train" ? "train_length" : key);
  if (q.op != "schedule") r.emplace_back("keys");
  if (q.op == "layer" || q.op == "jacobian_norm" || q.op == "attention_row") r.emplace_back("columns");
  return r;
}

std::vector<Outcome> outcomes(const Formula& f, const FormulaInputs& inputs, Bits working) {
  std::vector<Outcome> r;
  for (Extended& x : evaluate(f, inputs, working).entries) r.push_back({x.kind, std::move(x.number), {}});
  return r;
}

std::vector<Explanation> explain(const std::vector<JudgedRow>& rows, const Tolerance& t) {
  std::vector<Explanation> r;
  double pair_work = 0;
  for (auto& [text, cases] : by_formula(rows, t))
    for (Explanation& e : Search(text, std::move(cases), t, pair_work).run()) r.push_back(std::move(e));
  return r;
}

}  // namespace critscale
