// A schedule's constants by name, for flags, case files and table questions. Uses schedule.hpp.
#include <fmt/format.h>

#include <array>

#include "critscale/number/quote.hpp"
#include "critscale/schedules/schedule.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

// head_dim comes before entropy_dim, which overrides what head_dim says of the dimension.
constexpr std::array<ScheduleConstant, 12> constants{
    {{"train_length", "Training length L; the step of llama4 and mistral (default 8192)"},
     {"factor", "yarn, longrope: a fixed extension factor (default n/L)"},
     {"coefficient", "c of constant, ssmax, swan, power-of-log (default 1)"},
     {"offset", "b of ssmax, swan, power-of-log (default 0)"},
     {"power", "k of power-of-log (default 1)"},
     {"rate", "Factor of the logarithm in yarn, llama4 and mistral (default 1/10)"},
     {"mscale", "yarn: multiplies the rate (default 1)"},
     {"mscale_all_dim", "yarn: divides by the factor with this mscale (default: no division)"},
     {"attention_factor", "yarn: the factor on queries and on keys, in place of rate*mscale*ln(factor) + 1"},
     {"logit_scale", "Score |q||k| of an aligned pair that the schedule multiplies (default 1)"},
     {"head_dim", "Scores are divided by its square root (default 1)"},
     {"entropy_dim", "infoscale: its d (default: --head-dim, else 128)"}}};

}  // namespace

std::span<const ScheduleConstant> schedule_constants() { return constants; }

Schedule default_schedule(std::string_view name) {
  Schedule s;
  s.law = &schedule_by_name(name);
  s.train_length = PowerProduct(8192);
  s.dimension = 128;
  return s;
}

void set_constant(Schedule& s, std::string_view key, std::string_view text) {
  if (key == "train_length") {
    s.train_length = parse_context_length(text);
    return;
  }
  const Rational v = parse_rational(text);
  if (key == "factor")
    s.factor = v;
  else if (key == "coefficient")
    s.coefficient = v;
  else if (key == "offset")
    s.offset = v;
  else if (key == "power")
    s.power = v;
  else if (key == "rate")
    s.rate = v;
  else if (key == "mscale")
    s.mscale = v;
  else if (key == "mscale_all_dim")
    s.mscale_all_dim = v;
  else if (key == "attention_factor")
    s.attention_factor = v;
  else if (key == "logit_scale")
    s.logit_scale = v;
  else if (key == "head_dim")
    s.head_dim = s.dimension = v;
  else if (key == "entropy_dim")
    s.dimension = v;
  else
    throw InputError(fmt::format("{} is no constant of a schedule", in_quotes(key)));
}

}  // namespace critscale
