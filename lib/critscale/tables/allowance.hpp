// What rounding may do to a correct implementation's answer, value by value (THEORY-rounding
// [rounding-model]). Uses question.hpp and arithmetic.hpp.
#pragma once

#include <optional>
#include <vector>

#include "critscale/tables/arithmetic.hpp"
#include "critscale/tables/question.hpp"

namespace critscale {

/// A correct answer lies in [right - down, right + up].
struct Margin {
  double down = 0, up = 0;
};

/// Beyond `worst` an answer is certainly wrong; between `likely` and `worst` it is suspicious: roundings
/// of one sign would explain it, roundings of random signs hardly ever do (THEORY-rounding
/// [likely-rounding]).
struct Allowance {
  Margin worst, likely;
};

/// The allowances of a question's values, in the order of answer_labels; nothing for operations without
/// a rounding theory (jacobian_norm, grid points of a layer). Takes time in proportion to the inputs.
std::optional<std::vector<Allowance>> allowances(const Question& q, const Arithmetic& arithmetic);

}  // namespace critscale
