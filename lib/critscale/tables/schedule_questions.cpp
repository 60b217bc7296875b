// Multipliers that tables ask for, and their formulas.
#include "critscale/tables/detail/schedule_questions.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/schedules/law.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

/// Tables ask for the factor on queries and keys, too.
constexpr std::string_view factor_alone = "yarn-attention-factor";

std::string_view law_name(const Question& q) {
  return q.at("schedule") == factor_alone ? "yarn" : std::string_view(q.at("schedule"));
}

PowerProduct length_of(const Question& q) {
  if (q.find("n")) return parse_context_length(q.at("n"));
  const Rational position = number_of(q, "position");
  if (!is_integer(position) || position < 0)
    throw InputError(fmt::format("position must be an integer of at least 0, found {}", to_string(position)));
  return PowerProduct(Rational(position + 1));
}

}  // namespace

Schedule schedule_of(const Question& q) {
  Schedule s = default_schedule(law_name(q));
  for (const ScheduleConstant& c : schedule_constants())
    if (const std::string* text = q.find(c.key)) set_constant(s, c.key, *text);
  if (const std::string* text = q.find("train")) set_constant(s, "train_length", *text);
  validate(s);
  return s;
}

Ball schedule_multiplier(const Question& q, Bits bits) {
  const Schedule s = schedule_of(q);
  const bool has_length = q.find("n") || q.find("position");
  const bool any_length = s.law == &constant_law || s.factor || s.attention_factor;
  if (!has_length && !any_length)
    throw InputError(fmt::format("schedule {} needs n or position", q.at("schedule")));
  const Ball m = multiplier(s, has_length ? length_of(q) : PowerProduct(2), Lift<Ball>(bits));
  // YaRN's attention factor multiplies queries and keys: the multiplier is its square.
  return q.at("schedule") == factor_alone ? sqrt(m) : m;
}

std::string schedule_formula_text(const Question& q) {
  const auto given = [&](std::string_view key) { return q.find(key) != nullptr; };
  const FormulaNames names = given("n") ? FormulaNames{"n", "n", "(n - 1)", given}
                                        : FormulaNames{"position + 1", "(position + 1)", "position", given};
  if (q.at("schedule") == factor_alone) return yarn_factor_symbols(names);
  return schedule_by_name(q.at("schedule")).symbols(names);
}

std::vector<std::pair<std::string, Rational>> schedule_inputs(const Schedule& s) {
  std::vector<std::pair<std::string, Rational>> r{{"coefficient", s.coefficient},
                                                  {"offset", s.offset},
                                                  {"power", s.power},
                                                  {"rate", s.rate},
                                                  {"mscale", s.mscale},
                                                  {"entropy_dim", s.dimension},
                                                  {"train_length", s.train_length.to_rational()}};
  if (s.factor) r.emplace_back("factor", *s.factor);
  if (s.attention_factor) r.emplace_back("attention_factor", *s.attention_factor);
  if (s.mscale_all_dim) r.emplace_back("mscale_all_dim", *s.mscale_all_dim);
  return r;
}

}  // namespace critscale
