// Comparing values with a table.
#include "critscale/tables/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/tables/mistakes.hpp"
#include "critscale/text/print.hpp"

namespace critscale {

namespace {

using Kind = Outcome::Kind;

std::size_t index_of(const BinaryFormat* format) {
  return static_cast<std::size_t>(std::find(formats.begin(), formats.end(), format) - formats.begin());
}

/// The bit pattern of what the candidate gave; nothing for nan.
std::optional<std::uint64_t> pattern(const Outcome& x, const BinaryFormat& format) {
  switch (x.kind) {
    case Kind::nan:
      return std::nullopt;
    case Kind::plus_infinity:
      return round_to(format, Dyadic::infinity());
    case Kind::minus_infinity:
      return round_to(format, -Dyadic::infinity());
    default:
      return round_to(format, x.number.midpoint());
  }
}

/// Position on the line of all numbers of the format; both zeros are 0.
std::int64_t ordinal(const BinaryFormat& format, std::uint64_t bits) {
  const std::uint64_t sign = std::uint64_t{1} << (format.width - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::uint64_t distance(const BinaryFormat& format, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::uint64_t>(ordinal(format, a)),
             y = static_cast<std::uint64_t>(ordinal(format, b));
  return ordinal(format, a) > ordinal(format, b) ? x - y : y - x;
}

std::optional<std::uint64_t> right_pattern(const ReferenceValue& v, const BinaryFormat& format) {
  if (const auto stored = v.rounded[index_of(&format)]) return stored;
  return v.value ? round_to(format, *v.value) : std::nullopt;
}

/// Whether x is within the tolerance of y.
Truth within(const Ball& x, const Ball& y, const Tolerance& t) {
  const Bits bits = std::max(x.precision(), y.precision());
  return less_equal(abs(x - y), Ball(t.atol, bits) + Ball(t.rtol, bits) * abs(y));
}

Verdict verdict(const ReferenceValue& right, const Outcome& x, const Tolerance& t) {
  if (!right.value) return x.kind == Kind::nan ? Verdict::right : Verdict::wrong;
  if (x.kind == Kind::nan) return Verdict::wrong;
  if (x.kind != Kind::number) {
    // An infinity is right only where the right value overflows the format.
    const auto rounded = right_pattern(right, *t.format);
    if (!rounded) return Verdict::undecided;
    return rounded == pattern(x, *t.format) ? Verdict::right : Verdict::wrong;
  }
  const Truth r = within(x.number, *right.value, t);
  return r == Truth::yes ? Verdict::right : r == Truth::no ? Verdict::wrong : Verdict::undecided;
}

std::optional<double> relative_error(const Ball& x, const Ball& y) {
  const Ball r = abs(x - y) / abs(y);
  if (!r.is_finite()) return std::nullopt;
  return arf_get_d(r.upper().raw(), ARF_RND_UP);
}

bool matches(const std::vector<Outcome>& wrong, const std::vector<Outcome>& found, const Tolerance& t) {
  if (wrong.size() != found.size()) return false;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    if (wrong[i].kind != found[i].kind) return false;
    if (wrong[i].is_number() && within(found[i].number, wrong[i].number, t) != Truth::yes) return false;
  }
  return true;
}

/// The mistake that gives these values, or nothing.
std::string explain(const ReferenceRow& row, const std::vector<Outcome>& found, const Tolerance& t) {
  for (const Mistake& m : known_mistakes()) try {
      for (const auto& wrong : m.answers(row.question))
        if (matches(wrong, found, t)) return std::string(m.id);
    } catch (const Error&) {
      // The rule has no meaning for these inputs.
    }
  return {};
}

std::string expected_text(const ReferenceValue& v) {
  if (!v.value) return "nan";
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

/// Larger is worse.
double badness(const Finding& f) {
  if (f.ulps) return static_cast<double>(*f.ulps);
  return f.verdict == Verdict::wrong ? std::numeric_limits<double>::infinity() : -1;
}

void sort_worst_first(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    const bool x = a.verdict != Verdict::right, y = b.verdict != Verdict::right;
    if (x != y) return x;
    if (badness(a) != badness(b)) return badness(a) > badness(b);
    return a.relative_error.value_or(0) > b.relative_error.value_or(0);
  });
}

class Comparer {
 public:
  Comparer(const Tolerance& tolerance, std::size_t most) : t_(tolerance), most_(most) {}

  void add(const ReferenceRow& row, const std::vector<Outcome>& found) {
    ++r_.rows;
    std::vector<Finding> findings;
    bool wrong = found.size() != row.values.size();
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      Finding f{
          row.id, row.values[i].label, &row, Verdict::wrong, expected_text(row.values[i]), "nothing", {}, {},
          {}};
      if (i < found.size()) compare_value(row.values[i], found[i], f);
      ++r_.values;
      r_.wrong += f.verdict == Verdict::wrong ? 1 : 0;
      r_.undecided += f.verdict == Verdict::undecided ? 1 : 0;
      wrong = wrong || f.verdict == Verdict::wrong;
      ++r_.histogram[f.ulps ? histogram_class(*f.ulps) : -1];
      if (f.verdict != Verdict::right || (f.ulps && *f.ulps > 0)) findings.push_back(std::move(f));
    }
    if (found.size() > row.values.size()) {
      ++r_.wrong;
      findings.push_back({row.id,
                          "(number of values)",
                          &row,
                          Verdict::wrong,
                          fmt::to_string(row.values.size()),
                          fmt::to_string(found.size()),
                          {},
                          {},
                          {}});
    }
    if (wrong)
      if (const std::string mistake = explain(row, found, t_); !mistake.empty()) {
        ++r_.mistakes[mistake];
        for (Finding& f : findings) f.mistake = mistake;
      }
    for (Finding& f : findings) r_.findings.push_back(std::move(f));
    if (r_.findings.size() > 4 * most_ + 1000) trim();
  }
  Comparison take() {
    trim();
    return std::move(r_);
  }
  Comparison& result() { return r_; }

 private:
  void compare_value(const ReferenceValue& right, const Outcome& x, Finding& f) {
    f.verdict = verdict(right, x, t_);
    f.found = found_text(x);
    r_.nans += x.kind == Kind::nan ? 1 : 0;
    r_.infinities += x.kind != Kind::nan && !x.is_number() ? 1 : 0;
    if (!right.value) return;
    const auto expected = right_pattern(right, *t_.format), found = pattern(x, *t_.format);
    if (!expected) ++r_.rounding_undecided;
    if (expected && found) f.ulps = distance(*t_.format, *expected, *found);
    if (f.ulps && *f.ulps == 0) ++r_.correctly_rounded;
    if (x.is_number()) f.relative_error = relative_error(x.number, *right.value);
  }
  void trim() {
    sort_worst_first(r_.findings);
    if (r_.findings.size() > most_) r_.findings.resize(most_);
  }

  const Tolerance& t_;
  std::size_t most_;
  Comparison r_;
};

}  // namespace

Tolerance tolerance_by_name(std::string_view name) {
  const auto power = [](long m, long k) {  // m 10^-k
    Rational r(m);
    for (; k > 0; --k) r /= 10;
    return r;
  };
  if (name == "fp64") return {"fp64", &binary64, power(1, 7), power(1, 7)};
  if (name == "fp32") return {"fp32", &binary32, power(13, 7), power(1, 5)};
  if (name == "bf16") return {"bf16", &bfloat16, power(16, 3), power(1, 5)};
  if (name == "fp16") return {"fp16", &binary16, power(1, 3), power(1, 5)};
  throw InputError(fmt::format("{} is not a preset; allowed: fp64, fp32, bf16, fp16", in_quotes(name)));
}

bool Comparison::conforms() const {
  return wrong == 0 && undecided == 0 && missing.empty() && extra.empty() && duplicates.empty();
}

bool Comparison::is_undecided() const {
  return undecided > 0 && wrong == 0 && missing.empty() && extra.empty() && duplicates.empty();
}

Comparison compare(const std::vector<ReferenceRow>& reference, const Candidate& candidate,
                   const Tolerance& tolerance, std::size_t most_findings) {
  Comparer comparer(tolerance, most_findings);
  std::unordered_map<std::string, bool> known;
  for (const ReferenceRow& row : reference) {
    known[row.id] = true;
    if (!row.is_meant_for(*tolerance.format)) {
      ++comparer.result().left_out;
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
