// Known mistakes: rules that compute the wrong value an implementation would give for any input, so that
// a wrong value can be named. Uses answer.hpp and outcome.hpp.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "critscale/tables/outcome.hpp"
#include "critscale/tables/question.hpp"

namespace critscale {

struct Mistake {
  std::string_view id;
  std::string_view what;
  /// The wrong answers to a question: several where the mistake shows differently by number
  /// format or by the order of operations; none where it does not apply.
  std::function<std::vector<std::vector<Outcome>>(const Question&)> answers;
};

std::span<const Mistake> known_mistakes();

}  // namespace critscale
