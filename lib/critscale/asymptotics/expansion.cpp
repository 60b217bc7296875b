// Arithmetic of expansions. Uses expansion.hpp.
#include "critscale/asymptotics/expansion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace critscale {

namespace {

using Sum = std::map<Rational, Coefficient, std::greater<>>;

void add(Sum& sum, const Rational& exponent, const Coefficient& c) {
  const auto [position, is_new] = sum.try_emplace(exponent, c);
  if (is_new) return;
  position->second = position->second + c;
  if (position->second.is_zero()) sum.erase(position);
}

void raise(std::optional<Rational>& cutoff, const std::optional<Rational>& other) {
  if (other && (!cutoff || *cutoff < *other)) cutoff = other;
}

/// The coefficient that a division needs to be different from zero.
const Coefficient& require_nonzero(const Coefficient& c) {
  const auto parts = c.by_power_of_log_n();
  if (!parts.back().second.is_certainly_nonzero())
    throw LimitError(
        fmt::format("whether {} is zero is not decided with 4096 bits", parts.back().second.text()));
  return c;
}

}  // namespace

Expansion::Expansion(Coefficient coefficient, const Rational& exponent, std::size_t max_terms)
    : symbols_(coefficient.symbols().shared_from_this()), max_terms_(max_terms) {
  if (!coefficient.is_zero()) terms_.push_back({exponent, std::move(coefficient)});
}

/// Takes the table of symbols and the number of terms from the operands.
void Expansion::adopt(const Expansion& a, const Expansion& b) {
  symbols_ = a.symbols_ ? a.symbols_ : b.symbols_;
  max_terms_ = std::max(a.max_terms_, b.max_terms_);
}

void Expansion::truncate() {
  if (cutoff_)
    while (!terms_.empty() && terms_.back().exponent <= *cutoff_) terms_.pop_back();
  if (terms_.size() <= max_terms_) return;
  cutoff_ = terms_[max_terms_].exponent;
  terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(max_terms_), terms_.end());
}

Expansion operator+(const Expansion& a, const Expansion& b) {
  Expansion r;
  r.adopt(a, b);
  raise(r.cutoff_, a.cutoff_);
  raise(r.cutoff_, b.cutoff_);
  auto i = a.terms_.begin(), j = b.terms_.begin();
  while (i != a.terms_.end() || j != b.terms_.end()) {
    if (j == b.terms_.end() || (i != a.terms_.end() && i->exponent > j->exponent)) {
      r.terms_.push_back(*i++);
    } else if (i == a.terms_.end() || j->exponent > i->exponent) {
      r.terms_.push_back(*j++);
    } else {
      Coefficient sum = i->coefficient + j->coefficient;
      if (!sum.is_zero()) r.terms_.push_back({i->exponent, std::move(sum)});
      ++i;
      ++j;
    }
  }
  r.truncate();
  return r;
}

Expansion Expansion::operator-() const {
  Expansion r = *this;
  for (Term& t : r.terms_) t.coefficient = -t.coefficient;
  return r;
}

Expansion operator*(const Expansion& a, const Expansion& b) {
  Expansion r;
  r.adopt(a, b);
  if (a.is_exactly_zero() || b.is_exactly_zero()) return r;
  if (a.cutoff_) raise(r.cutoff_, Rational(*a.cutoff_ + b.leading_exponent()));
  if (b.cutoff_) raise(r.cutoff_, Rational(*b.cutoff_ + a.leading_exponent()));
  Sum sum;
  for (const auto& s : a.terms_)
    for (const auto& t : b.terms_) {
      const Rational e = s.exponent + t.exponent;
      if (r.cutoff_ && e <= *r.cutoff_) break;
      add(sum, e, s.coefficient * t.coefficient);
    }
  for (auto& [e, c] : sum) r.terms_.push_back({e, std::move(c)});
  r.truncate();
  return r;
}

Expansion operator/(const Expansion& a, const Expansion& b) {
  if (b.is_exactly_zero()) throw UndefinedError("an expansion is divided by zero");
  Expansion r;
  r.adopt(a, b);
  if (a.is_exactly_zero()) return r;
  if (b.terms_.empty()) throw TooFewTerms("an expansion without a known term stands in a denominator");
  const auto& lead = b.terms_.front();
  require_nonzero(lead.coefficient);
  if (a.cutoff_) raise(r.cutoff_, Rational(*a.cutoff_ - lead.exponent));
  if (b.cutoff_)
    raise(r.cutoff_, Rational(a.leading_exponent() - lead.exponent + *b.cutoff_ - lead.exponent));
  Sum rest;
  for (const auto& t : a.terms_) rest.emplace(t.exponent, t.coefficient);
  while (!rest.empty()) {
    const Rational e = rest.begin()->first - lead.exponent;
    if (r.cutoff_ && e <= *r.cutoff_) break;
    if (r.terms_.size() == r.max_terms_) {
      r.cutoff_ = e;
      break;
    }
    Coefficient c = rest.begin()->second / lead.coefficient;
    rest.erase(rest.begin());
    for (std::size_t j = 1; j < b.terms_.size(); ++j)
      add(rest, e + b.terms_[j].exponent, -(c * b.terms_[j].coefficient));
    r.terms_.push_back({e, std::move(c)});
  }
  r.truncate();
  return r;
}

Expansion Expansion::plus(const Rational& v) const {
  return *this + Expansion(symbols_->constant(v), Rational(0), max_terms_);
}

Expansion Expansion::times(const Rational& v) const {
  Expansion r = *this;
  if (v == 0) {
    r.terms_.clear();
    r.cutoff_.reset();
  }
  for (Term& t : r.terms_) t.coefficient = t.coefficient * symbols_->constant(v);
  return r;
}

Expansion Expansion::divide_into(const Rational& v) const {
  return Expansion(symbols_->constant(v), Rational(0), max_terms_) / *this;
}

Expansion log1p(const Expansion& x) {
  const Expansion z = x + 1;
  if (z.terms_.empty()) throw TooFewTerms("the logarithm of an expansion without a known term");
  for (const auto& t : z.terms_)
    if (t.coefficient.contains(0)) throw Error("the logarithm of an expansion in powers of ln n");
  // z = c n^e (1 + y), and n d/dn ln(1 + y) = n y'/(1 + y), term by term.
  const auto& lead = z.terms_.front();
  Symbols& symbols = *z.symbols_;
  const Expansion one_plus_y =
      z / Expansion(lead.coefficient, lead.exponent, std::max<std::size_t>(z.max_terms_, 1));
  Expansion slope = one_plus_y;
  slope.terms_.erase(slope.terms_.begin());
  for (auto& t : slope.terms_) t.coefficient = t.coefficient * symbols.constant(t.exponent);
  Expansion r = slope / one_plus_y;
  for (auto& t : r.terms_) t.coefficient = t.coefficient / symbols.constant(t.exponent);
  const Coefficient c =
      symbols.exponent(lead.exponent) * symbols.log_n() + symbols.logarithm(lead.coefficient);
  return r + Expansion(c, Rational(0), z.max_terms_);
}

}  // namespace critscale
