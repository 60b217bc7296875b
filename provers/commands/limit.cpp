// `critscale limit`: phase, exact limit, rate and leading terms of every quantity.
#include "critscale/asymptotics/limit.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "critscale/asymptotics/limit_text.hpp"
#include "critscale/text/certify.hpp"
#include "grids/grid.hpp"
#include "inputs/flags.hpp"
#include "inputs/random_flags.hpp"
#include "jobs/complete.hpp"
#include "output/csv_table.hpp"
#include "output/inputs.hpp"
#include "output/results.hpp"
#include "output/value.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;

struct Result {
  const Specification* specification;
  GrowthPoint point;
  long digits = 0;
  std::vector<Quantity> asked;
  std::optional<LimitResult> limits;
};

Ball certified_value(const Coefficient& c, long digits) {
  return certify_digits(digits, [&](Bits bits) { return c.value(bits); });
}

ordered_json texts(const std::vector<Rational>& values) {
  ordered_json r = ordered_json::array();
  for (const Rational& v : values) r.push_back(to_string(v));
  return r;
}

ordered_json to_json(const PowerLogTerm& t) {
  return {{"coefficient", t.coefficient.text()}, {"power", to_string(t.power)}, {"log_power", t.log_power}};
}

ordered_json closed_form(const Limit& l) {
  return l.closed_form ? ordered_json(l.closed_form->text()) : ordered_json();
}

ordered_json to_json(const Limit& l, long digits) {
  ordered_json r;
  r["limit"] = l.limit ? l.limit->text() : "infinity";
  r["closed_form"] = l.limit ? closed_form(l) : ordered_json();
  r["value"] = l.limit ? value_json(certified_value(*l.limit, digits), digits) : ordered_json();
  r["rate"] = nullptr;
  if (l.limit && !l.terms.empty())
    r["rate"] = {{"exponent", to_string(Rational(-l.terms[0].power))}, {"log_power", l.terms[0].log_power}};
  if (!l.limit) {
    r["leading"] = to_json(l.terms[0]);
    r["leading"]["closed_form"] = closed_form(l);
  }
  r["terms"] = ordered_json::array();
  for (const PowerLogTerm& t : l.terms) r["terms"].push_back(to_json(t));
  r["complete"] = l.complete;
  return r;
}

ordered_json to_json(const Result& result) {
  const LimitResult& limits = *result.limits;
  ordered_json r;
  r["schema"] = 1;
  if (!result.specification->id.empty()) r["id"] = result.specification->id;
  if (!result.specification->why.empty()) r["why"] = result.specification->why;
  r["inputs"] = inputs_json(result.point.inputs);
  r["phase"] = name(limits.phase);
  r["thresholds"] = texts(limits.thresholds);
  if (limits.forward_thresholds != limits.thresholds)
    r["forward_thresholds"] = texts(limits.forward_thresholds);
  ordered_json& quantities = r["quantities"] = ordered_json::object();
  for (const QuantityLimits& q : limits.quantities) {
    ordered_json& v = quantities[std::string(name(q.quantity))];
    if (q.undefined)
      v = {{"limit", nullptr}, {"undefined", *q.undefined}};
    else if (is_per_band(q.quantity))
      for (const Limit& l : q.values) v.push_back(to_json(l, result.digits));
    else
      v = to_json(q.values[0], result.digits);
  }
  return r;
}

std::string list(const std::vector<Rational>& values) {
  std::string r;
  for (const Rational& v : values) r += fmt::format("{}{}", r.empty() ? "" : ", ", to_string(v));
  return r.empty() ? "none" : r;
}

std::string label(const QuantityLimits& q, std::size_t b) {
  return is_per_band(q.quantity) ? fmt::format("{}[{}]", name(q.quantity), b) : std::string(name(q.quantity));
}

std::string to_text(const Result& result) {
  const LimitResult& limits = *result.limits;
  std::string r;
  if (!result.specification->id.empty()) r += result.specification->id + "\n";
  r += inputs_text(result.point.inputs) + "\n";
  r += fmt::format("  {:<18} {} (thresholds: {})\n", "phase", name(limits.phase), list(limits.thresholds));
  if (limits.forward_thresholds != limits.thresholds)
    r += fmt::format("  {:<18} {}\n", "forward thresholds", list(limits.forward_thresholds));
  for (const QuantityLimits& q : limits.quantities) {
    if (q.undefined) r += fmt::format("  {:<18} undefined: {}\n", name(q.quantity), *q.undefined);
    for (std::size_t b = 0; b < q.values.size(); ++b) {
      const Limit& l = q.values[b];
      const std::string exact = l.limit ? l.limit->text() : "infinity";
      std::string line = fmt::format("  {:<18} -> {}", label(q, b), exact);
      if (l.limit && l.closed_form && l.closed_form->text() != exact) line += " = " + l.closed_form->text();
      if (!l.limit && l.closed_form)
        line += " like " + text({*l.closed_form, l.terms[0].power, l.terms[0].log_power}, Notation::plain);
      if (l.limit && !l.limit->rational())
        line += " = " + value_text(certified_value(*l.limit, result.digits), result.digits);
      r += fmt::format("{};  {}\n", line, expansion_text(l, Notation::plain));
    }
  }
  return r;
}

/// One display per quantity: the limit, then the expansion.
std::string to_latex(const Result& result) {
  const LimitResult& limits = *result.limits;
  std::string r = fmt::format("% {}\n% phase: {}; thresholds: {}\n\\begin{{align*}}\n",
                              inputs_text(result.point.inputs), name(limits.phase), list(limits.thresholds));
  for (const QuantityLimits& q : limits.quantities)
    for (std::size_t b = 0; b < q.values.size(); ++b) {
      const Limit& l = q.values[b];
      const std::string symbol = latex_symbol(q.quantity, b + 1);
      std::string limit = l.limit ? l.limit->latex() : "\\infty";
      if (l.limit && l.closed_form && l.closed_form->latex() != limit)
        limit = l.closed_form->latex() + " = " + limit;
      r += fmt::format("  {} &\\to {}, & {} &= {} \\\\\n", symbol, limit, symbol,
                       expansion_text(l, Notation::latex));
    }
  return r + "\\end{align*}\n";
}

std::string to_csv(const std::vector<Result>& results) {
  CsvTable table({"id", "inputs", "phase", "quantity", "limit", "closed_form", "value", "lo", "hi",
                  "rate_exponent", "rate_log_power", "expansion"});
  for (const Result& result : results)
    for (const QuantityLimits& q : result.limits->quantities)
      for (std::size_t b = 0; b < q.values.size(); ++b) {
        const Limit& l = q.values[b];
        table.add_row();
        table.set({{"id", result.specification->id},
                   {"inputs", inputs_text(result.point.inputs)},
                   {"phase", std::string(name(result.limits->phase))},
                   {"quantity", label(q, b)},
                   {"limit", l.limit ? l.limit->text() : "infinity"},
                   {"expansion", expansion_text(l, Notation::plain)}});
        if (!l.limit) continue;
        if (l.closed_form) table.set("closed_form", l.closed_form->text());
        const Ball value = certified_value(*l.limit, result.digits);
        table.set("", &value, result.digits);
        if (l.terms.empty()) continue;
        table.set("rate_exponent", to_string(Rational(-l.terms[0].power)));
        table.set("rate_log_power", std::to_string(l.terms[0].log_power));
      }
  return table.text();
}

std::string render(const std::vector<Result>& results, bool several, Format format) {
  if (format == Format::csv) return to_csv(results);
  if (format == Format::json)
    return results_json(results.size(), several, [&](std::size_t i) { return to_json(results.at(i)); });
  return results_text(results.size(), [&](std::size_t i) {
    return format == Format::latex ? to_latex(results[i]) : to_text(results[i]);
  });
}

std::vector<Result> points_of(const SharedFlags& flags, const std::vector<Specification>& specifications) {
  const TimeGuard guard(flags.run_options(specifications.front()).time_limit);
  std::vector<Result> results;
  for (const Specification& s : specifications) {
    const Grid grid(s, {.with_n = false});
    require_room(results.size() + grid.size(), flags.run_options(s).digits);
    for (std::size_t i = 0; i < grid.size(); ++i)
      results.push_back({&s, grid.growth(i), flags.run_options(s).digits, quantities_of(s), {}});
  }
  return results;
}

int limit(const SharedFlags& flags, const RandomFlags& random_keys, const std::string& terms_flag) {
  const std::vector<Specification> specifications = flags.specifications();
  if (asks_random_keys(specifications, random_keys))
    return write_random_answers(flags, random_keys.jobs(flags, specifications));
  Output output(flags.output(), flags.force());
  const auto terms =
      static_cast<std::size_t>(read_count({terms_flag, "--terms"}, 1, static_cast<long>(max_limit_terms)));
  std::vector<Result> results = points_of(flags, specifications);
  const bool several = results.size() > 1 || flags.list();
  const auto derive = [&](std::size_t i) {
    Result& r = results[i];
    r.limits = located(r.specification->where, [&] { return limits(r.point.configuration, r.asked, terms); });
  };
  run_and_write(results.size(), flags.run_options(specifications.front()), derive,
                [&](const std::vector<std::size_t>& complete) {
                  output.write(render(chosen(results, complete), several, flags.format()));
                });
  return done;
}

}  // namespace

void add_limit(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("limit", "Phase, exact limit, rate and leading terms as n grows");
  const auto flags = std::make_shared<SharedFlags>(*command, true);
  const auto random_keys = std::make_shared<RandomFlags>(*command, RandomQuestion::limit);
  const auto terms = std::make_shared<std::string>("2");
  command->add_option("--terms", *terms, "Correction terms, 1 to 64 (default 2)");
  command->footer(
      "Derived exactly from the layer's formulas; n plays no part where it is given. d grows as c*n^k with\n"
      "k >= 1 (default n), beta is c*log n + b.\n\n"
      "Examples: critscale limit --rho 1/3 --gamma critical\n"
      "          critscale limit --rho 1/3 --beta '3/2*log n + 2' --quantities self_weight\n"
      "          critscale limit --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --gamma 1 --format latex\n"
      "          critscale limit --geometry sphere --kappa 5 --rho 1/3 --gamma 3/2");
  command->callback(
      [flags, random_keys, terms, &exit_code] { exit_code = limit(*flags, *random_keys, *terms); });
}

}  // namespace critscale::cli
