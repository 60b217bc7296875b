// Questions about scaling schedules: which schedule is meant, its multiplier, and its formula as data. Uses
// question.hpp and schedules/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "critscale/schedules/schedule.hpp"
#include "critscale/tables/question.hpp"

namespace critscale {

/// The schedule with the constants of a question. Throws InputError.
Schedule schedule_of(const Question& q);

/// The multiplier asked for; yarn-attention-factor is the factor on queries and on keys, whose square
/// multiplies scores. `n` is the number of keys that the row sees, `position` counts from 0: n = position
/// + 1.
Ball schedule_multiplier(const Question& q, Bits bits);

/// The formula of the multiplier in the question's own symbols. Tests compare it with
/// schedule_multiplier, which is computed by other code.
std::string schedule_formula_text(const Question& q);
/// The constants that the formula may name.
std::vector<std::pair<std::string, Rational>> schedule_inputs(const Schedule& s);

}  // namespace critscale
