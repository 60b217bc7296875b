// Formulas as data: what a question's answer is, written in the question's own symbols, so that slips can be
// made in it (mutations.hpp). A formula is read from text:
//
//   e = exp(logits[j]); e/sum[j](e)
//
// Lines end with `;`, the last one is the answer. Inputs carry their indices (i rows, j keys, c, d and b
// columns, g key heads, h the query heads of one); operands of different indices combine entry by entry.
// There are + - * / ^ (a rational exponent), exp, log, tanh, floor, max, sum[INDEX], xlogx (0 at 0), over (a
// quotient that is 0 where both are 0), first (a number of keys; 0 beyond it), beyond (the others), prefer
// (its first argument; the second is what it replaces) and instead (its first argument; the second is what is
// taken by mistake). Uses outcome.hpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/number/rounding.hpp"
#include "critscale/tables/outcome.hpp"

namespace critscale {

enum class FormulaOp {
  input,
  number,
  line,  ///< the value of an earlier line
  add,
  subtract,
  multiply,
  divide,
  over,
  negate,
  power,
  exp,
  log,
  tanh,
  floor,
  ceil,
  max,
  min,
  sum,
  xlogx,
  first,
  first_complement,  ///< what `first` leaves out: an inverted mask
  same,              ///< its argument: what is left of an operation that was lost
  unmask,            ///< the second argument where the first is minus infinity
  prefer,
  instead
};

/// Terms that a sum leaves out or counts twice.
enum class SumSlip {
  none,
  without_first,
  without_last,
  first_twice,
  last_twice,
  without_own,
  only_first,
  only_last
};

struct FormulaNode {
  FormulaOp op = FormulaOp::number;
  std::vector<std::size_t> args = {};  ///< earlier nodes
  std::string name = {};               ///< of an input or a line; the index of a sum
  std::string axes = {};               ///< an input's indices
  Rational value = 0;                  ///< a number, an exponent
  /// exp and log: 0 is natural, b is base b, -b is the conversion to base b made without need.
  int base = 0;
  /// The format this node's value (and a sum's partial sums) is rounded to.
  const BinaryFormat* held = nullptr;
  /// A held sum of terms that were first divided by the largest, as after subtracting the maximum.
  bool is_shifted = false;
  SumSlip slip = SumSlip::none;

  bool operator==(const FormulaNode&) const = default;
};

struct Formula {
  std::vector<FormulaNode> nodes;
  std::vector<std::pair<std::string, std::size_t>> lines;  ///< the last one has no name
  /// All entries have the value of entry 0 (or of the last one) along the rows of the answer, or its first
  /// index where it has none.
  enum class Spread { none, first, last } spread = Spread::none;
  /// Query heads are dealt to key heads in turn, not group by group.
  bool is_interleaved = false;

  std::size_t result() const { return lines.back().second; }
};

/// Throws InputError.
Formula parse_formula(std::string_view text);
/// The text that gives this formula; slips that have no syntax are written in words.
std::string to_string(const Formula& f);

/// A number, an infinity or nan, as floating-point arithmetic has them.
struct Extended {
  Outcome::Kind kind = Outcome::Kind::number;
  Ball number;
};

/// Entries over indices, the last index fastest.
template <class Number>
struct FormulaTensorOf {
  std::string axes;  ///< in the order g, h, i, j, d, c, b
  std::vector<Number> entries;
};
using FormulaTensor = FormulaTensorOf<Extended>;

template <class Number>
struct FormulaInputsOf {
  std::map<std::string, FormulaTensorOf<Number>> values;
  std::map<char, std::size_t> sizes;
};
using FormulaInputs = FormulaInputsOf<Extended>;

/// The formula's value at this precision. Where a step is not decided (a floor, a maximum), or a node is
/// held in a format, midpoints decide: right for all but ties.
FormulaTensor evaluate(const Formula& f, const FormulaInputs& inputs, Bits bits);

}  // namespace critscale
