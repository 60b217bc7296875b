// Answers about random keys, by question: finite rows, lines, inverse questions, limits.
#include "output/random_answer.hpp"

#include <fmt/format.h>

#include <functional>

#include "critscale/random/detail/functions.hpp"
#include "critscale/random/key_sets.hpp"
#include "critscale/random/limits.hpp"
#include "critscale/random/phases.hpp"
#include "critscale/random/transitions.hpp"
#include "critscale/text/certify.hpp"

namespace critscale::cli {

namespace {

using random::Expectation;
using random::KeyLaw;
using random::Parameter;

/// Collects the lines of one result.
class RandomAnswer {
 public:
  explicit RandomAnswer(const RandomJob& job) : job_(job), digits_(job.options.digits) {}

  RandomResult run() {
    if (job_.question == RandomQuestion::limit)
      as_n_grows();
    else if (job_.inverse)
      inverse();
    else if (job_.n)
      finite();
    else
      limit(Parameter([k = *job_.keys.kappa](Bits bits) { return Ball(k, bits); }), std::nullopt);
    if (job_.terms > 0) series();
    return std::move(result_);
  }

 private:
  void add(const char* group, std::string_view key, const std::function<Ball(Bits)>& f) {
    try {
      result_.lines.push_back(
          {group, std::string(key), certify_digits(digits_, f, job_.options.max_bits), "", ""});
    } catch (const UndefinedError& e) {
      result_.lines.push_back({group, std::string(key), std::nullopt, e.what(), ""});
    }
  }

  void finite() {
    const random::Row row{job_.keys, *job_.n, job_.scale.value_or(LogitScale{{0, 0}, 1, {0, 0}})};
    const bool box = !row.scale.coefficient.is_point() || !row.scale.offset.is_point();
    if (job_.scale) {
      if (box)
        result_.lines.push_back(
            {"", "beta", hull(beta_at(row, false, 128), beta_at(row, true, 128)), "", ""});
      else
        add("", "beta", [&](Bits bits) { return beta_at(row, false, bits); });
      for (const Expectation e : random::all_expectations())
        if (job_.all_quantities && !is_defined(e, job_.keys))
          result_.lines.push_back(
              {"quantities", std::string(name(e)), std::nullopt, "there is no aligned key", ""});
      const std::vector<Ball> values =
          certified_expectations(row, job_.quantities, digits_, job_.options.max_bits);
      for (std::size_t i = 0; i < values.size(); ++i)
        result_.lines.push_back({"quantities", std::string(name(job_.quantities[i])), values[i], "", ""});
    }
    const Parameter kappa = [&](Bits bits) {
      return job_.keys.kappa ? Ball(*job_.keys.kappa, bits)
                             : Ball(dimension_of(job_.keys, *job_.n, bits) / log(*job_.n, bits));
    };
    std::optional<Parameter> g;
    if (job_.scale && !box)
      g = [&, row](Bits bits) {
        return beta_at(row, false, bits) * Ball(Rational(1 - job_.keys.rho), bits) / log(*job_.n, bits);
      };
    limit(kappa, g);
    if (job_.transitions) {
      if (job_.keys.aligned)
        result_.lines.push_back(
            {"transitions", "self", self_transition(job_.keys, *job_.n, digits_), "", ""});
      result_.lines.push_back(
          {"transitions", "annealed", annealed_transition(job_.keys, *job_.n, digits_), "", ""});
    }
    if (job_.draws > 0) result_.drawn = draw_rows(row, job_.draws, static_cast<std::uint64_t>(job_.seed));
    if (job_.sets > 0) result_.drawn = draw_sets(row, job_.sets, static_cast<std::uint64_t>(job_.seed));
  }

  /// The diagram at kappa, and the phase at g where it is known.
  void limit(const Parameter& kappa, std::optional<Parameter> g) {
    if (!job_.keys.kappa) add("", "kappa", kappa);
    const KeyLaw law = job_.keys.law;
    if (!g && job_.scale && !job_.n)
      g = [this](Bits bits) {
        return Ball(Rational(job_.scale->coefficient.lo * (1 - job_.keys.rho)), bits);
      };
    if (g) add("", "g", *g);
    const auto self = [&](Bits bits) {
      const auto x = random::self_line(law, kappa, bits);
      if (!x) throw UndefinedError("Gaussian keys with kappa < 2 outdo the aligned key at any g");
      return *x;
    };
    const auto condensed = [&](Bits bits) { return random::condensation_line(law, kappa, bits); };
    add("thresholds", "g_self", self);
    add("thresholds", "g_cond", condensed);
    if (job_.keys.rho != 0) {
      const auto scaled = [this](auto f) {
        return [this, f](Bits bits) { return f(bits) / Ball(Rational(1 - job_.keys.rho), bits); };
      };
      add("thresholds", "gamma_self", scaled(self));
      add("thresholds", "gamma_cond", scaled(condensed));
    }
    if (!g) return;
    const random::RandomPhase phase = random::phase_at(law, job_.keys.aligned, kappa, *g);
    result_.phase = random::name(phase);
    if (!job_.n)
      add("limits", "collision",
          [&](Bits bits) { return random::collision_limit(law, phase, kappa, *g, bits); });
  }

  void inverse() {
    const Parameter g = [this](Bits bits) { return Ball(*job_.inverse, bits); };
    const KeyLaw law = job_.keys.law;
    if (*job_.inverse <= 0) throw InputError("g must be positive, found " + to_string(*job_.inverse));
    add("kappas", "g_self", [&](Bits bits) {
      const auto x = random::kappa_on_self_line(law, g, bits);
      if (!x) throw UndefinedError("no kappa has this g on the self line");
      return *x;
    });
    const std::size_t count = random::kappas_on_condensation_line(law, g, 64).size();
    for (std::size_t i = 0; i < count; ++i)
      add("kappas", fmt::format("g_cond[{}]", i),
          [&](Bits bits) { return random::kappas_on_condensation_line(law, g, bits).at(i); });
  }

  /// `limit`: what the row's weights tend to.
  void as_n_grows() {
    const random::RowLimits limits = random::row_limits(job_.keys, *job_.scale);
    result_.phase = random::name(limits.phase);
    result_.reason = limits.reason;
    const auto put = [&](const char* key, const random::LimitValue& x) {
      if (x.value)
        add("quantities", key, *x.value);
      else
        result_.lines.push_back({"quantities", key, std::nullopt, "infinite", ""});
      result_.lines.back().note = x.theorem ? "theorem" : "condensation picture";
    };
    if (limits.self_weight) put("self_weight", *limits.self_weight);
    put("collision", limits.collision);
    put("log_partition/log_n", limits.log_partition_over_log_n);
  }

  void series() {
    const auto terms = static_cast<std::size_t>(job_.terms);
    result_.series = {
        {"g_self", "kappa -> infinity", "1/kappa", "", random::self_line_at_infinity(terms)},
        {"g_cond", "kappa -> infinity", "1/kappa", "(2 kappa)^(1/2)",
         random::condensation_line_at_infinity(terms)},
        {"g_self", "kappa -> 0", "X = exp(1 - 2/kappa)", "kappa/X", random::self_line_at_zero(terms)},
        {"g_cond", "kappa -> 0", "Y = exp(-2/kappa)", "kappa/Y", random::condensation_line_at_zero(terms)}};
  }

  const RandomJob& job_;
  long digits_;
  RandomResult result_;
};

}  // namespace

RandomResult answer_random(const RandomJob& job) { return RandomAnswer(job).run(); }

}  // namespace critscale::cli
