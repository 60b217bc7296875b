// Three-valued truth: what a comparison of enclosures can answer. Uses nothing.
#pragma once

namespace critscale {

/// The answer of a comparison whose operands are known only to lie in intervals.
/// `yes` and `no` are proved for every choice of points; `unknown` means that both occur or
/// that the arithmetic could not tell. There is no conversion to bool, so that `unknown`
/// cannot turn into `no`.
enum class Truth { no, unknown, yes };

constexpr Truth truth(bool b) { return b ? Truth::yes : Truth::no; }
constexpr Truth operator!(Truth a) {
  return a == Truth::yes ? Truth::no : a == Truth::no ? Truth::yes : Truth::unknown;
}
/// Kleene's conjunction: the smaller of the two in the order no < unknown < yes.
constexpr Truth operator&(Truth a, Truth b) { return a < b ? a : b; }
/// Kleene's disjunction: the larger of the two in the order no < unknown < yes.
constexpr Truth operator|(Truth a, Truth b) { return a < b ? b : a; }

constexpr bool certainly(Truth a) { return a == Truth::yes; }
constexpr bool possibly(Truth a) { return a != Truth::no; }

}  // namespace critscale
