// Answers against slips.
#include "critscale/tables/detail/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "critscale/number/errors.hpp"

namespace critscale {

namespace {

using Kind = Outcome::Kind;

constexpr Bits evidence_bits = 192;
/// Questions with more entries than this are judged in binary64 alone.
constexpr double most_exact_work = 1 << 14;
/// Roundings of what is compared here in binary64.
constexpr double few_roundings = 0x1p-50;

double size_of(const Ball& x) { return std::abs(arf_get_d(arb_midref(x.raw()), ARF_RND_NEAR)); }

/// A number beyond the format where an infinity was found.
bool overflows_to(const Outcome& mutated, Kind found, const Tolerance& t) {
  if (!mutated.is_number() || found == Kind::number || found == Kind::nan) return false;
  const Dyadic stored = from_bits(t.format(), round_to(t.format(), mutated.number.midpoint()));
  const bool negative = arf_sgn(arb_midref(mutated.number.raw())) < 0;
  return !stored.is_finite() && negative == (found == Kind::minus_infinity);
}

Truth compared(double smaller, double larger, double error) {
  if (std::isnan(smaller) || std::isnan(larger)) return Truth::unknown;
  if (smaller + error <= larger) return Truth::yes;
  return smaller - error > larger ? Truth::no : Truth::unknown;
}

double entries_of_largest(const FormulaInputs& in) {
  double r = 1;
  for (const auto& [axis, size] : in.sizes)
    if (axis != 'c') r *= static_cast<double>(size);
  return r / 4;
}

}  // namespace

EvidenceRow::EvidenceRow(const JudgedRow& judged, const Formula& right, const Tolerance& t)
    : judged_(judged),
      t_(&t),
      inputs_(formula_inputs(judged.row->question, evidence_bits)),
      allowances_(critscale::row_allowances(*judged.row, t)),
      approximate_(right, inputs_) {
  const std::vector<ReferenceValue>& values = judged.row->values;
  for (std::size_t i = 0; i < judged.found->size(); ++i) {
    const Outcome& x = (*judged.found)[i];
    // A slip may give an answer of another shape.
    const std::size_t own = std::min(i, values.size() - 1);
    Found f{x.kind, 0, 0, 0, nullptr, false, false};
    if (!values.empty()) {
      if (allowances_) f.allowance = &(*allowances_)[own];
      f.has_right = values[own].value.has_value();
      if (f.has_right) f.size_right = size_of(*values[own].value);
      f.is_wrong = judge(values[own], x, t, f.allowance).verdict == Verdict::wrong;
    }
    if (x.is_number()) {
      f.value = arf_get_d(arb_midref(x.number.raw()), ARF_RND_NEAR);
      if (f.has_right) f.distance = size_of(Ball(x.number - *values[own].value));
    }
    found_.push_back(f);
  }
  work_ = judged.row->question.op == "attention" ? entries_of_largest(inputs_)
                                                 : static_cast<double>(found_.size());
}

bool EvidenceRow::is_exact() const { return entries_of_largest(inputs_) <= most_exact_work; }

std::size_t EvidenceRow::first_wrong() const {
  const auto known = std::min(found_.size(), row().values.size());
  for (std::size_t i = 0; i < known; ++i)
    if (found_[i].kind == Kind::number && found_[i].is_wrong) return i;
  return found_.size();
}

/// What the tolerance allows around a value of this size.
double EvidenceRow::allowed(const Found& x, double size) const {
  if (!x.allowance) return 2 * (static_cast<double>(t_->atol) + static_cast<double>(t_->rtol) * size);
  const double scale = x.has_right && x.size_right > 0 ? std::max(1.0, size / x.size_right) : 1;
  return 2 * scale * std::max(x.allowance->worst.down, x.allowance->worst.up) +
         8 * unit_roundoff(t_->format()) * size;
}

// --- in binary64 ----------------------------------------------------------------------------------------

Truth EvidenceRow::is_near(const Approximate& mutated, const Found& x) const {
  if (!mutated.is_known()) return Truth::unknown;
  const double v = mutated.value;
  if (!std::isfinite(v)) {
    const bool same = std::isnan(v) ? x.kind == Kind::nan
                      : v > 0       ? x.kind == Kind::plus_infinity
                                    : x.kind == Kind::minus_infinity;
    return same ? Truth::yes : Truth::no;
  }
  if (x.kind == Kind::nan) return Truth::no;
  if (x.kind != Kind::number) {
    // Half of the format's largest number does not overflow.
    const bool overflows = std::abs(v) + mutated.error >= std::ldexp(1.0, t_->format().max_exponent);
    return overflows ? Truth::unknown : Truth::no;
  }
  const double size = std::abs(v), least = std::max(size - mutated.error, 0.0), most = size + mutated.error;
  const double difference = std::abs(x.value - v),
               error = mutated.error + few_roundings * (std::abs(x.value) + size) + 0x1p-1070;
  if (compared(difference, allowed(x, least), error) == Truth::yes) return Truth::yes;
  return compared(difference, allowed(x, most), error) == Truth::no ? Truth::no : Truth::unknown;
}

/// At least twice as near as the right answer: what roundings alone might explain is not put down to a slip.
Truth EvidenceRow::is_nearer(const Approximate& mutated, const Found& x) {
  if (x.kind != Kind::number || !x.has_right) return Truth::yes;
  if (!mutated.is_known() || !std::isfinite(mutated.value)) return Truth::unknown;
  const double error =
      mutated.error + few_roundings * (std::abs(x.value) + std::abs(mutated.value)) + 0x1p-1070;
  return compared(2 * std::abs(x.value - mutated.value), x.distance, 2 * error + few_roundings * x.distance);
}

/// Nothing where binary64 does not decide.
std::optional<Evidence> EvidenceRow::approximate_evidence(const Formula& f) const {
  const std::vector<Approximate> mutated = approximate_.of(f);
  const std::size_t right = row().values.size();
  if (mutated.size() != found_.size() || right == 0) return Evidence::against;
  bool open = false, nearer = !is_wrong() || right != found_.size(), maybe_nearer = false;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Truth near = is_near(mutated[i], found_[i]);
    if (near == Truth::no) return Evidence::against;
    open = open || near == Truth::unknown;
    if (nearer || !found_[i].is_wrong) continue;
    const Truth n = is_nearer(mutated[i], found_[i]);
    nearer = n == Truth::yes;
    maybe_nearer = maybe_nearer || n == Truth::unknown;
  }
  if (is_exact() && (open || (!nearer && maybe_nearer))) return std::nullopt;
  return nearer || maybe_nearer ? Evidence::in_favour : Evidence::silent;
}

// --- in Balls -------------------------------------------------------------------------------------------

Evidence EvidenceRow::exact_evidence(const Formula& f) const {
  const std::vector<Outcome> mutated = outcomes(f, inputs_, evidence_bits);
  const std::vector<Outcome>& found = *judged_.found;
  const std::size_t right = row().values.size();
  bool nearer = !is_wrong() || right != found.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Found& x = found_[i];
    if (mutated[i].kind != x.kind) {
      if (!overflows_to(mutated[i], x.kind, *t_)) return Evidence::against;
    } else if (x.kind == Kind::number) {
      const double difference = size_of(Ball(found[i].number - mutated[i].number));
      if (!(difference <= allowed(x, size_of(mutated[i].number)))) return Evidence::against;
    }
    if (nearer || !x.is_wrong) continue;
    nearer = x.kind != Kind::number || !x.has_right ||
             2 * size_of(Ball(found[i].number - mutated[i].number)) <= x.distance;
  }
  return nearer ? Evidence::in_favour : Evidence::silent;
}

Evidence EvidenceRow::evidence(const Formula& f) const {
  try {
    const std::optional<Evidence> r = approximate_evidence(f);
    return r ? *r : exact_evidence(f);
  } catch (const Error&) {
    return Evidence::against;
  }
}

double EvidenceRow::residual(const Formula& f, std::size_t entry) const {
  try {
    if (is_exact()) {
      const std::vector<Outcome> r = outcomes(f, inputs_, 128);
      if (!r[entry].is_number()) return std::nan("");
      const Ball d = r[entry].number - judged_.found->at(entry).number;
      return arf_get_d(arb_midref(d.raw()), ARF_RND_NEAR);
    }
    const std::vector<Approximate> all = approximate_.of(f);
    const Approximate& x = all[entry];
    return x.is_known() && std::isfinite(x.value) ? x.value - found_[entry].value : std::nan("");
  } catch (const Error&) {
    return std::nan("");
  }
}

}  // namespace critscale
