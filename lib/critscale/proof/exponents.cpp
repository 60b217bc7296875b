// Uses exponents.hpp.
#include "critscale/proof/exponents.hpp"

#include <algorithm>

namespace critscale {

LinearForm operator-(const LinearForm& a, const LinearForm& b) {
  LinearForm r{a.constant - b.constant, a.terms};
  for (const auto& [index, coefficient] : b.terms) {
    const auto same = std::find_if(r.terms.begin(), r.terms.end(),
                                   [i = index](const auto& term) { return term.first == i; });
    if (same == r.terms.end())
      r.terms.emplace_back(index, -coefficient);
    else
      same->second -= coefficient;
  }
  return r;
}

bool LinearForm::is_zero() const {
  return constant == 0 &&
         std::all_of(terms.begin(), terms.end(), [](const auto& t) { return t.second == 0; });
}

RationalBox LinearForm::over(const Box& box) const {
  RationalBox r{constant, constant};
  for (const auto& [index, coefficient] : terms) {
    const RationalBox& x = box[index];
    r.lo += coefficient * (coefficient > 0 ? x.lo : x.hi);
    r.hi += coefficient * (coefficient > 0 ? x.hi : x.lo);
  }
  return r;
}

RationalBox Vanishing::range(const LinearForm& form) const {
  RationalBox r = form.over(leaf_);
  for (const LinearForm& known : nonnegative_)
    if ((form - known).is_zero()) r = {std::max(r.lo, Rational(0)), std::max(r.hi, Rational(0))};
  return r;
}

Difference<Ball> Vanishing::operator()(const LinearForm& e, long j) const {
  const RationalBox exponent = e.over(leaf_);
  // e - min(k_1, k_2, ...) = max(e - k_1, e - k_2, ...).
  RationalBox excess = range(e - k_.front());
  for (std::size_t i = 1; i < k_.size(); ++i) {
    const RationalBox other = range(e - k_[i]);
    excess = {std::max(excess.lo, other.lo), std::max(excess.hi, other.hi)};
  }
  return {Ball(0), power_log({exponent.lo, exponent.hi}, j, tau_),
          power_log({excess.lo, excess.hi}, j - p_, tau_)};
}

}  // namespace critscale
