// What tells one scaling schedule from another ([schedules]). Each schedule is a ScheduleLaw in a file of
// its own, and laws.cpp lists them: a new one needs its file, its name below and a line there. Uses
// pieces.hpp and curve.hpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "critscale/schedules/curve.hpp"
#include "critscale/schedules/pieces.hpp"
#include "critscale/schedules/schedule.hpp"

namespace critscale {

/// What a multiplier's formula calls its inputs; a constant is called by its own name (schedule_constants()).
struct FormulaNames {
  std::string n;                                ///< the number of keys that the row sees
  std::string n_factor;                         ///< the same, in brackets where it is a sum
  std::string before;                           ///< n - 1 as a factor
  std::function<bool(std::string_view)> given;  ///< whether a constant was given
};

struct ScheduleLaw {
  std::string_view name;
  std::string_view alias = {};  ///< what implementations call it; may be empty
  bool uses_train_length = false;
  /// m(n), for both certified kinds of number.
  Ball (*ball)(const Schedule&, const PowerProduct& n, const Lift<Ball>&) = nullptr;
  Interval (*interval)(const Schedule&, const PowerProduct& n, const Lift<Interval>&) = nullptr;
  /// m(n) as text with this schedule's constants.
  std::string (*formula)(const Schedule&) = nullptr;
  /// m(n) in the language of table formulas, with the constants' names.
  std::string (*symbols)(const FormulaNames&) = nullptr;
  /// gamma_eff where it is constant in n from n on; for n = nullptr the limit, where that is a constant.
  /// Null: never.
  std::optional<ExactGamma> (*constant_gamma)(const Schedule&, const PowerProduct* n) = nullptr;
  /// Whether gamma_eff grows beyond all bounds. Null: never.
  bool (*unbounded)(const Schedule&) = nullptr;
  /// m(n) minus its part linear in ln n as n grows, where gamma_eff has a constant limit. Null: 0.
  Ball (*offset)(const Schedule&, const Lift<Ball>&) = nullptr;
  /// Throws InputError for constants that this schedule does not take; those of all are checked elsewhere.
  void (*validate)(const Schedule&) = nullptr;
  /// The pieces from n = 2 on. Null for a schedule with steps.
  std::vector<Piece> (*pieces)(const Schedule&) = nullptr;
  /// m as a function of real ln n. Null for a schedule with steps.
  MultiplierFormula (*curve)(const Schedule&) = nullptr;
  /// For a schedule with steps: step j > 0 starts at n = j train_length + this.
  std::optional<long> first_of_step = std::nullopt;
};

extern const ScheduleLaw constant_law, log_n_law, qwen_log_n_law, ssmax_law, swan_law, yarn_law, longrope_law,
    llama4_law, mistral_law, infoscale_law, gaussian_law, power_of_log_law;

/// All schedules, in the order in which they are listed to users.
std::span<const ScheduleLaw* const> schedule_laws();

bool beyond_training(const Schedule& s, const PowerProduct& n);

/// The multiplier at n = 2 for all n.
MultiplierFormula constant_curve(const Schedule& s);

/// c (ln n) + b and its kind with a power k, as text without what is 0 or 1.
std::string power_law_text(const Rational& c, const Rational& k, const Rational& b);

/// c x^k + b at x = ln n.
template <class Real>
Real power_law(const Rational& c, const Rational& k, const Rational& b, const Real& log_n,
               const Lift<Real>& lift) {
  if (k == 0 || c == 0) return lift(Rational((k == 0 ? c : Rational(0)) + b));
  const Real power = k == 1                ? log_n
                     : k == Rational(1, 2) ? Real(sqrt(log_n))
                                           : Real(exp(Real(lift(k) * log(log_n))));
  return lift(c) * power + lift(b);
}

/// gamma_eff = c logit_scale/sqrt(head_dim), and logit_scale/(sqrt(head_dim) ln base).
ExactGamma linear_gamma(const Schedule& s, const Rational& c);
ExactGamma gamma_over_log(const Schedule& s, const PowerProduct& base);

/// The factor that YaRN puts on queries and on keys, in the language of table formulas.
std::string yarn_factor_symbols(const FormulaNames& names);

}  // namespace critscale
