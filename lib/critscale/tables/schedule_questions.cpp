// Multipliers that tables ask for, and their formulas.
#include "critscale/tables/schedule_questions.hpp"

#include <fmt/format.h>

#include "critscale/number/errors.hpp"
#include "critscale/text/parse.hpp"

namespace critscale {

namespace {

/// Tables name two schedules as implementations do; the others have their own names.
ScheduleKind kind_of(std::string_view schedule) {
  if (schedule == "yarn-attention-factor") return ScheduleKind::yarn;
  if (schedule == "qwen-logn") return ScheduleKind::qwen_log_n;
  return schedule_by_name(schedule);
}

PowerProduct length_of(const Question& q) {
  if (q.find("n")) return parse_context_length(q.at("n"));
  const Rational position = number_of(q, "position");
  if (!is_integer(position) || position < 0)
    throw InputError(fmt::format("position must be an integer of at least 0, found {}", to_string(position)));
  return PowerProduct(Rational(position + 1));
}

/// The factor on queries and keys, as Hugging Face's code has it: an explicit attention_factor replaces all.
std::string yarn_factor(const Question& q, const std::string& length) {
  const std::string ratio = q.find("factor") ? "factor" : length + "/train_length";
  const auto scaled = [&](const char* mscale) {
    return fmt::format("rate*{}*log(max({}, 1)) + 1", mscale, ratio);
  };
  std::string r = scaled("mscale");
  if (q.find("mscale_all_dim")) r = fmt::format("({})/({})", r, scaled("mscale_all_dim"));
  if (!q.find("attention_factor")) return r;
  return q.find("factor") || q.find("n") || q.find("position")
             ? fmt::format("prefer(attention_factor, {})", r)
             : "attention_factor";
}

}  // namespace

Schedule schedule_of(const Question& q) {
  Schedule s = default_schedule(kind_of(q.at("schedule")));
  for (const ScheduleConstant& c : schedule_constants())
    if (const std::string* text = q.find(c.key)) set_constant(s, c.key, *text);
  if (const std::string* text = q.find("train")) set_constant(s, "train_length", *text);
  validate(s);
  return s;
}

Ball schedule_multiplier(const Question& q, Bits bits) {
  const Schedule s = schedule_of(q);
  const bool has_length = q.find("n") || q.find("position");
  const bool any_length = s.kind == ScheduleKind::constant || s.factor || s.attention_factor;
  if (!has_length && !any_length)
    throw InputError(fmt::format("schedule {} needs n or position", q.at("schedule")));
  const Ball m = multiplier(s, has_length ? length_of(q) : PowerProduct(2), Lift<Ball>(bits));
  // YaRN's attention factor multiplies queries and keys: the multiplier is its square.
  return q.at("schedule") == "yarn-attention-factor" ? sqrt(m) : m;
}

std::string schedule_formula_text(const Question& q) {
  const std::string n = q.find("n") ? "n" : "position + 1", divided = q.find("n") ? n : "(" + n + ")";
  const std::string beyond = fmt::format("max(log({})/log(train_length), 1)", n);
  switch (kind_of(q.at("schedule"))) {
    case ScheduleKind::constant:
      return "coefficient";
    case ScheduleKind::log_n:
      return fmt::format("log(max({}, 16))/log(512)", n);
    case ScheduleKind::qwen_log_n:
      return beyond;
    case ScheduleKind::ssmax:
    case ScheduleKind::swan:
      return fmt::format("coefficient*log({}) + offset", n);
    case ScheduleKind::yarn:
      if (q.at("schedule") == "yarn-attention-factor") return yarn_factor(q, divided);
      return fmt::format("m = {}; m^2", yarn_factor(q, divided));
    case ScheduleKind::longrope:
      return q.find("factor") ? "1 + log(max(factor, 1))/log(train_length)" : beyond;
    case ScheduleKind::llama4:
      return fmt::format("1 + rate*log(floor({}/train_length) + 1)", divided);
    case ScheduleKind::mistral:
      return fmt::format("1 + rate*log(floor({}/train_length) + 1)", q.find("n") ? "(n - 1)" : "position");
    case ScheduleKind::infoscale: {
      const auto spread = [](const std::string& x) {
        return fmt::format("(1 - exp(-2*log({})/entropy_dim))", x);
      };
      return fmt::format("({}/{})^(1/2)", spread(n), spread("train_length"));
    }
    case ScheduleKind::gaussian:
      return fmt::format("(2*log({}))^(1/2)", n);
    case ScheduleKind::power_of_log:
      return fmt::format("coefficient*exp(power*log(log({}))) + offset", n);
  }
  return "";
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
