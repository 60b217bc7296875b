// The formula of each question and the inputs it is evaluated at. Uses formula.hpp, question.hpp,
// allowance.hpp and schedules/.
#pragma once

#include <optional>
#include <string>

#include "critscale/tables/allowance.hpp"
#include "critscale/tables/formula.hpp"
#include "critscale/tables/question.hpp"

namespace critscale {

/// The text of a question's formula; nothing for grid points of a layer, which have none. Questions with
/// the same text are explained together.
std::optional<std::string> formula_text(const Question& q);

/// Its inputs: those of the question, the defaults of what it leaves out, and the counts `keys` (softmax,
/// rows, layers) and `columns`, which the formula does not use but a slip may.
FormulaInputs formula_inputs(const Question& q, Bits bits);

/// The error that rounding may cause in a schedule's multiplier, by running error analysis of its formula
/// (THEORY-rounding [running-error]).
Allowance schedule_allowance(const Question& q, const Arithmetic& arithmetic);

}  // namespace critscale
