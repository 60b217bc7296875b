// Searching for slips.
#include "critscale/tables/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "critscale/tables/detail/attention_question.hpp"
#include "critscale/tables/detail/evidence.hpp"

namespace critscale {

namespace {

/// Entries that are computed for pairs of mutations before the search gives up: of one formula, and of all.
constexpr double most_pair_work = 40000, most_work_of_pairs = 400000;
/// Entries of the wrong rows that each mutation is tried on for a partial explanation.
constexpr double most_partial_work = 4000;
/// More mutations than this that explain the same few rows say nothing.
constexpr std::size_t most_partial = 8;

class Search {
 public:
  Search(std::string text, const std::vector<JudgedRow>& rows, const Tolerance& t, double& pair_work)
      : text_(std::move(text)), right_(parse_formula(text_)), pair_work_(pair_work) {
    for (const JudgedRow& row : rows) (row.is_wrong ? wrong_ : fine_).emplace_back(row, right_, t);
    const auto by_size = [](const EvidenceRow& a, const EvidenceRow& b) { return a.work() < b.work(); };
    std::stable_sort(wrong_.begin(), wrong_.end(), by_size);
    std::stable_sort(fine_.begin(), fine_.end(), by_size);
  }

  std::vector<Explanation> run() {
    std::set<std::string> names;
    for (const EvidenceRow& c : wrong_)
      for (std::string& n : scalar_names(c.row().question)) names.insert(std::move(n));
    const std::vector<std::string> scalars(names.begin(), names.end());
    const std::vector<Mutation> singles = mutations(right_, scalars);
    for (const Mutation& m : singles) try_on_all(m);
    if (r_.empty()) fit(scalars);
    if (r_.empty()) pairs(singles, scalars);
    if (r_.empty()) partly(singles);
    return std::move(r_);
  }

 private:
  static bool is_for(const Formula& f, const EvidenceRow& c) { return c.evidence(f) == Evidence::in_favour; }
  bool contradicted(const Formula& f) const {
    return std::any_of(fine_.begin(), fine_.end(),
                       [&](const EvidenceRow& c) { return c.evidence(f) == Evidence::against; });
  }
  /// Adds a mutation that no answer speaks against and most of the wrong rows speak for.
  void try_on_all(const Mutation& m) {
    std::vector<std::string> ids;
    for (const EvidenceRow& c : wrong_) {
      const Evidence e = c.evidence(m.formula);
      if (e == Evidence::against) return;
      if (e == Evidence::in_favour) ids.push_back(c.row().id);
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

  /// The first wrong number of a row as a function of one input.
  double residual(const EvidenceRow& c, const std::string& name, const Rational& v, std::size_t at) const {
    return c.residual(with_number(right_, name, v), at);
  }

  /// The integer near which the residual changes sign, by bisection between neighbours of a ladder.
  void fit(const std::vector<std::string>& scalars) {
    const EvidenceRow& c = wrong_.front();
    const std::size_t at = c.first_wrong();
    if (at >= c.entries()) return;
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
    for (const EvidenceRow& c : wrong_) values += c.entries();
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
      const auto n =
          std::count_if(wrong_.begin(), end, [&](const EvidenceRow& c) { return is_for(m.formula, c); });
      if (n < most || contradicted(m.formula)) continue;
      if (n > most) best.clear();
      most = n;
      best.push_back(&m);
    }
    if (best.size() > most_partial) return;
    for (const Mutation* m : best) {
      std::vector<std::string> ids;
      for (const EvidenceRow& c : wrong_)
        if (is_for(m->formula, c)) ids.push_back(c.row().id);
      add(*m, std::move(ids));
    }
  }

  std::string text_;
  Formula right_;
  double& pair_work_;
  std::vector<EvidenceRow> wrong_, fine_;
  std::vector<Explanation> r_;
};

std::map<std::string, std::vector<JudgedRow>> by_formula(const std::vector<JudgedRow>& rows) {
  std::map<std::string, std::vector<JudgedRow>> r;
  std::set<std::string> wanted;
  for (const JudgedRow& row : rows)
    if (row.is_wrong)
      if (const auto text = formula_text(row.row->question)) wanted.insert(*text);
  for (const JudgedRow& row : rows) {
    const auto text = formula_text(row.row->question);
    if (text && wanted.contains(*text)) r[*text].push_back(row);
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
  for (const auto& [text, members] : by_formula(rows))
    for (Explanation& e : Search(text, members, t, pair_work).run()) r.push_back(std::move(e));
  return r;
}

}  // namespace critscale
