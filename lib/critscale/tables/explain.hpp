// Which slip explains wrong answers: the single mutation of a question's formula, else one input with
// another value, else a pair of mutations, that gives every answer of the questions with this formula, the
// right ones too. Uses mutations.hpp, formulas.hpp and tolerance.hpp.
#pragma once

#include <string>
#include <vector>

#include "critscale/tables/formulas.hpp"
#include "critscale/tables/mutations.hpp"
#include "critscale/tables/tolerance.hpp"

namespace critscale {

/// A row that was compared.
struct JudgedRow {
  const ReferenceRow* row = nullptr;
  const std::vector<Outcome>* found = nullptr;
  bool is_wrong = false;
};

struct Explanation {
  std::string id, what;
  std::string formula;                   ///< the mutated formula in the question's symbols
  std::string right;                     ///< the right one
  std::size_t rows = 0, wrong_rows = 0;  ///< explains so many of so many wrong rows
  std::vector<std::string> ids;          ///< those it explains
};

/// Explanations by formula; several of one formula where the answers do not tell them apart. Nothing for
/// formulas without a wrong row. A mutation that explains only some of the wrong rows is given where none
/// explains all and no right answer speaks against it.
std::vector<Explanation> explain(const std::vector<JudgedRow>& rows, const Tolerance& t);

/// The names of single numbers that may be taken for one another in this question.
std::vector<std::string> scalar_names(const Question& q);

/// A formula's value as outcomes.
std::vector<Outcome> outcomes(const Formula& f, const FormulaInputs& inputs, Bits bits);

/// What a table's rows say of a mutation: told from the right formula; the right formula in other words;
/// roundings that this arithmetic has itself; or a hole, a slip that the rows do not show.
enum class Standing { told, same, own_rounding, hole };

/// What mutations of a table's formulas its rows can tell apart in this tolerance. That two formulas are the
/// same function is judged at inputs of no table, drawn at random.
struct CoverageGroup {
  std::string formula;
  std::size_t rows = 0;
  std::vector<Mutation> mutations;
  std::vector<Standing> standing;
  std::vector<std::size_t> told;  ///< rows whose answer each mutation changes beyond the allowance
  /// Mutations that no row tells apart, two or more, one for each function that they are; the others.
  std::vector<std::vector<std::size_t>> alike;
  std::vector<std::size_t> repeated;  ///< mutations that are the same function as an earlier one
};
std::vector<CoverageGroup> coverage(const std::vector<ReferenceRow>& rows, const Tolerance& t);

}  // namespace critscale
