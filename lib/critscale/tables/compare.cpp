// Comparing values with a table.
#include "critscale/tables/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "critscale/text/print.hpp"

namespace critscale {

namespace {

using Kind = Outcome::Kind;

std::optional<double> relative_error(const Ball& x, const Ball& y) {
  const Ball r = abs(x - y) / abs(y);
  if (!r.is_finite()) return std::nullopt;
  return arf_get_d(r.upper().raw(), ARF_RND_UP);
}

std::string expected_text(const ReferenceValue& v) {
  if (!v.value) return v.special == Kind::minus_infinity ? "-inf" : "nan";
  const PrintedValue p = print(*v.value, 30);
  return p.value ? *p.value : fmt::format("[{}, {}]", p.lo, p.hi);
}

std::string found_text(const Outcome& x) {
  if (!x.text.empty()) return x.text;
  return print(x.number, 17).value.value_or("0");
}

/// 0, 1, 2, 4, 8, ...: the upper end of the class of a distance.
double histogram_class(std::uint64_t ulps) {
  return ulps == 0 ? 0 : static_cast<double>(std::bit_ceil(std::min(ulps, std::uint64_t{1} << 62)));
}

int rank(const Finding& f) {
  return f.verdict == Verdict::right ? 0 : f.verdict == Verdict::suspicious ? 1 : 2;
}

/// Larger is worse.
double badness(const Finding& f) {
  if (f.ratio) return *f.ratio;
  return f.verdict == Verdict::wrong ? std::numeric_limits<double>::infinity() : -1;
}

void sort_worst_first(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    if (rank(a) != rank(b)) return rank(a) > rank(b);
    if (badness(a) != badness(b)) return badness(a) > badness(b);
    return a.relative_error.value_or(0) > b.relative_error.value_or(0);
  });
}

class Comparer {
 public:
  Comparer(const Tolerance& tolerance, std::size_t most) : t_(tolerance), most_(most) {}

  void add(const ReferenceRow& row, const std::vector<Outcome>& found) {
    ++r_.rows;
    const auto allowed = row_allowances(row, t_);
    bool wrong = found.size() != row.values.size();
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      Finding f = finding(row, row.values[i].label, expected_text(row.values[i]));
      if (i < found.size()) compare_value(row.values[i], found[i], allowed ? &(*allowed)[i] : nullptr, f);
      count(f);
      wrong = wrong || f.verdict == Verdict::wrong;
      if (f.verdict != Verdict::right || (f.ulps && *f.ulps > 0)) r_.findings.push_back(std::move(f));
    }
    if (found.size() > row.values.size()) {
      ++r_.wrong;
      Finding f = finding(row, "(number of values)", fmt::to_string(row.values.size()));
      f.found = fmt::to_string(found.size());
      r_.findings.push_back(std::move(f));
    }
    judged_.push_back({&row, &found, wrong});
    if (r_.findings.size() > 4 * most_ + 1000) trim();
  }
  Comparison take() {
    trim();
    r_.explanations = explain(judged_, t_);
    for (const JudgedRow& row : judged_)
      if (row.is_wrong && !formula_text(row.row->question)) ++r_.not_sought;
    return std::move(r_);
  }
  Comparison& result() { return r_; }

 private:
  static Finding finding(const ReferenceRow& row, std::string label, std::string expected) {
    return {row.id, std::move(label), &row, Verdict::wrong, std::move(expected), "nothing", {}, {}, {}};
  }
  void count(const Finding& f) {
    ++r_.values;
    r_.wrong += f.verdict == Verdict::wrong ? 1 : 0;
    r_.suspicious += f.verdict == Verdict::suspicious ? 1 : 0;
    r_.undecided += f.verdict == Verdict::undecided ? 1 : 0;
    if (f.verdict == Verdict::right && f.ratio) {
      r_.largest_ratio = std::max(r_.largest_ratio, *f.ratio);
      r_.mean_ratio += (*f.ratio - r_.mean_ratio) / static_cast<double>(++ratios_);
    }
    ++r_.histogram[f.ulps ? histogram_class(*f.ulps) : -1];
  }
  void compare_value(const ReferenceValue& right, const Outcome& x, const Allowance* allowed, Finding& f) {
    const Judgement j = judge(right, x, t_, allowed);
    f.verdict = j.verdict;
    f.ratio = j.ratio;
    f.found = found_text(x);
    r_.nans += x.kind == Kind::nan ? 1 : 0;
    r_.infinities += x.kind != Kind::nan && !x.is_number() ? 1 : 0;
    r_.without_theory += t_.rule == Tolerance::Rule::rounding && !allowed ? 1 : 0;
    if (!right.value && right.special == Kind::nan) return;
    const auto expected = right_pattern(right, t_.format()), found = pattern(x, t_.format());
    if (!expected) ++r_.rounding_undecided;
    if (expected && found) f.ulps = distance(t_.format(), *expected, *found);
    if (f.ulps && *f.ulps == 0) ++r_.correctly_rounded;
    if (x.is_number() && right.value) f.relative_error = relative_error(x.number, *right.value);
  }
  void trim() {
    sort_worst_first(r_.findings);
    if (r_.findings.size() > most_) r_.findings.resize(most_);
  }

  const Tolerance& t_;
  std::size_t most_, ratios_ = 0;
  Comparison r_;
  std::vector<JudgedRow> judged_;
};

}  // namespace

bool Comparison::conforms() const {
  return values > 0 && wrong == 0 && undecided == 0 && missing.empty() && extra.empty() && duplicates.empty();
}

bool Comparison::is_undecided() const {
  return (undecided > 0 || values == 0) && wrong == 0 && missing.empty() && extra.empty() &&
         duplicates.empty();
}

Comparison compare(const std::vector<ReferenceRow>& reference, const Candidate& candidate,
                   const Tolerance& tolerance, std::size_t most_findings) {
  Comparer comparer(tolerance, most_findings);
  std::unordered_map<std::string, bool> known;
  for (const ReferenceRow& row : reference) {
    known[row.id] = true;
    if (!row.is_meant_for(tolerance.format())) {
      comparer.result().left_out.push_back(row.id);
      continue;
    }
    const auto it = candidate.values.find(row.id);
    if (it == candidate.values.end())
      comparer.result().missing.push_back(row.id);
    else
      comparer.add(row, it->second);
  }
  for (const auto& [id, values] : candidate.values)
    if (!known.contains(id)) comparer.result().extra.push_back(id);
  std::sort(comparer.result().extra.begin(), comparer.result().extra.end());
  comparer.result().duplicates = candidate.duplicates;
  return comparer.take();
}

}  // namespace critscale
