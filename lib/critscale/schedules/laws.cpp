// The list of schedules, and what their laws share.
#include <fmt/format.h>

#include <array>

#include "critscale/schedules/law.hpp"
#include "critscale/text/detail/nearest.hpp"

namespace critscale {

std::span<const ScheduleLaw* const> schedule_laws() {
  static constexpr std::array<const ScheduleLaw*, 12> laws{
      &constant_law, &log_n_law,  &qwen_log_n_law, &ssmax_law,     &swan_law,     &yarn_law,
      &longrope_law, &llama4_law, &mistral_law,    &infoscale_law, &gaussian_law, &power_of_log_law};
  return laws;
}

const ScheduleLaw& schedule_by_name(std::string_view text) {
  std::vector<std::string> names;
  for (const ScheduleLaw* law : schedule_laws()) {
    if (law->name == text || (!law->alias.empty() && law->alias == text)) return *law;
    names.emplace_back(law->name);
  }
  throw InputError(not_among(text, "schedule", names));
}

std::vector<std::string_view> schedule_names() {
  std::vector<std::string_view> names;
  for (const ScheduleLaw* law : schedule_laws()) names.push_back(law->name);
  return names;
}

std::string_view name(const Schedule& s) { return s.law->name; }

bool beyond_training(const Schedule& s, const PowerProduct& n) { return compare(n, s.train_length) > 0; }

MultiplierFormula constant_curve(const Schedule& s) {
  return constant_formula([s](Bits bits) { return multiplier(s, PowerProduct(2), Lift<Ball>(bits)); });
}

std::string power_law_text(const Rational& c, const Rational& k, const Rational& b) {
  std::string r = c == 1 ? "" : to_string(c) + " ";
  r += "ln(n)";
  if (k != 1) r += fmt::format("^({})", to_string(k));
  if (b != 0) r += fmt::format(" + {}", to_string(b));
  return r;
}

ExactGamma linear_gamma(const Schedule& s, const Rational& c) {
  return {Rational(c * s.logit_scale), s.head_dim, std::nullopt};
}

ExactGamma gamma_over_log(const Schedule& s, const PowerProduct& base) {
  return {s.logit_scale, s.head_dim, base};
}

}  // namespace critscale
