// Answers about random keys: certified values for one job. Uses inputs/random_flags.hpp and
// lib/critscale/random.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "critscale/random/draws.hpp"
#include "inputs/random_flags.hpp"

namespace critscale::cli {

/// A labelled value: certified, or a reason why there is none.
struct RandomLine {
  std::string group, key;
  std::optional<Ball> value;
  std::string undefined;
  std::string note;  ///< what the value rests on, where that is said
};

struct RandomSeries {
  std::string line, end, variable, factor;  ///< factor (a_0 + a_1 variable + ...)
  std::vector<Rational> coefficients;
};

struct RandomResult {
  std::vector<RandomLine> lines;
  std::string phase, reason;
  std::vector<RandomSeries> series;
  std::optional<random::DrawnRows> drawn;
};

RandomResult answer_random(const RandomJob& job);

}  // namespace critscale::cli
