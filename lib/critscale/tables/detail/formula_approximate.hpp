// Formulas in binary64 with a bound of the error: what decides most slips of a search at a fraction of the
// cost of Balls. Private to tables/; uses formula.hpp.
#pragma once

#include <memory>
#include <vector>

#include "critscale/tables/formula.hpp"

namespace critscale {

/// The value of `evaluate` is within `error` of `value`; an infinity or nan where that is what it is (error
/// 0). An infinite error says nothing: an undecided step, or numbers beyond binary64.
struct Approximate {
  double value = 0, error = 0;

  bool is_known() const { return error < HUGE_VAL; }
  static Approximate unknown() { return {0, HUGE_VAL}; }
};

/// One question's formula and what becomes of it by slips. Keeps the inputs and the right formula's values,
/// which slips share as far as they are the same.
class ApproximateFormula {
 public:
  /// Throws InputError.
  ApproximateFormula(const Formula& right, const FormulaInputs& inputs);
  ApproximateFormula(ApproximateFormula&&) noexcept;
  ApproximateFormula& operator=(ApproximateFormula&&) noexcept;
  ~ApproximateFormula();

  /// The entries of a formula made from the right one. Throws InputError.
  std::vector<Approximate> of(const Formula& f) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace critscale
