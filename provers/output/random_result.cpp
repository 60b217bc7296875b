// Answers about random keys as text, JSON and CSV.
#include "output/random_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "output/csv_table.hpp"
#include "output/inputs.hpp"
#include "output/results.hpp"
#include "output/value.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;

/// A limit: exact where it is a rational that the enclosure holds exactly.
ordered_json limit_json(const RandomLine& l, long digits) {
  const bool exact = l.value && l.value->is_exact();
  return {{"limit", !l.value ? ordered_json("infinity")
                    : exact  ? ordered_json(value_text(*l.value, digits))
                             : ordered_json()},
          {"value", l.value ? value_json(*l.value, digits) : ordered_json()},
          {"rests_on", l.note}};
}

/// "g_cond = (2 kappa)^(1/2) (1 + 3/2 x + ...), x = 1/kappa, as kappa -> infinity".
std::string series_text(const RandomSeries& s) {
  const std::string x = s.variable.starts_with("X") ? "X" : s.variable.starts_with("Y") ? "Y" : "x";
  std::string sum;
  for (std::size_t j = 0; j < s.coefficients.size(); ++j) {
    const Rational& c = s.coefficients[j];
    if (c == 0) continue;
    const Rational size = c < 0 ? Rational(-c) : c;
    sum += sum.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
    if (j == 0 || size != 1) sum += to_string(size);
    if (j > 0) sum += fmt::format("{}{}", size != 1 ? " " : "", j == 1 ? x : fmt::format("{}^{}", x, j));
  }
  const std::string where = x == "x" ? "x = " + s.variable : s.variable;
  return fmt::format("  {} = {}{} + ...{}, {}, as {}\n", s.line, s.factor.empty() ? "" : s.factor + " (", sum,
                     s.factor.empty() ? "" : ")", where, s.end);
}

ordered_json to_json(const RandomJob& job, const RandomResult& result) {
  ordered_json r = {{"schema", 1}};
  if (!job.id.empty()) r["id"] = job.id;
  if (!job.why.empty()) r["why"] = job.why;
  r["inputs"] = inputs_json(job.inputs);
  for (const RandomLine& l : result.lines) {
    ordered_json& place = l.group.empty() ? r : r[l.group];
    if (l.note.empty())
      place[l.key] = l.value ? value_json(*l.value, job.options.digits) : undefined_json(l.undefined);
    else
      place[l.key] = limit_json(l, job.options.digits);
  }
  if (!result.phase.empty()) r["phase"] = result.phase;
  if (!result.reason.empty()) r["reason"] = result.reason;
  for (const RandomSeries& s : result.series) {
    ordered_json coefficients = ordered_json::array();
    for (const Rational& c : s.coefficients) coefficients.push_back(to_string(c));
    r["series"].push_back({{"line", s.line},
                           {"as", s.end},
                           {"variable", s.variable},
                           {"factor", s.factor.empty() ? "1" : s.factor},
                           {"coefficients", std::move(coefficients)}});
  }
  if (result.drawn) {
    ordered_json& d = r["drawn"] = {{"rows", result.drawn->rows}};
    for (const auto& [e, m] : result.drawn->means)
      d[std::string(name(e))] = {{"mean", fmt::format("{:.10g}", m.mean)},
                                 {"standard_error", fmt::format("{:.3g}", m.standard_error)}};
  }
  return r;
}

std::string to_text(const RandomJob& job, const RandomResult& result) {
  std::string r = job.id.empty() ? "" : job.id + "\n";
  r += inputs_text(job.inputs) + "\n";
  for (const RandomLine& l : result.lines) {
    const std::string label = l.group == "transitions"
                                  ? "g at " + std::string(l.key == "self" ? "E A_ii = 1/2" : "E W = 1")
                              : l.group == "kappas" ? "kappa on " + l.key
                              : l.group == "limits" ? "lim " + l.key
                                                    : l.key;
    if (!l.note.empty())
      r += fmt::format("  {:<20} -> {} ({})\n", label,
                       l.value ? value_text(*l.value, job.options.digits) : "infinity", l.note);
    else
      r += l.value ? fmt::format("  {:<20} {}\n", label, value_text(*l.value, job.options.digits))
                   : fmt::format("  {:<20} undefined: {}\n", label, l.undefined);
    if (!result.drawn) continue;
    for (const auto& [e, m] : result.drawn->means)
      if (l.group == "quantities" && l.key == name(e))
        r += fmt::format("  {:<20}   drawn {:.8g} +- {:.2g}\n", "", m.mean, m.standard_error);
  }
  if (!result.phase.empty())
    r += fmt::format("  {:<20} {}{}\n", "phase", result.phase,
                     result.reason.empty() ? "" : "; " + result.reason);
  for (const RandomSeries& s : result.series) r += series_text(s);
  return r;
}

/// One row a result.
std::string to_csv(const std::vector<RandomJob>& jobs, const std::vector<RandomResult>& results) {
  CsvTable table({"id"});
  for (std::size_t i = 0; i < results.size(); ++i) {
    table.add_row();
    table.set("id", jobs[i].id);
    table.set(jobs[i].inputs);
    for (const RandomLine& l : results[i].lines) {
      table.set(l.key, l.value ? &*l.value : nullptr, jobs[i].options.digits);
      if (!l.note.empty()) table.set(l.key + ".rests_on", l.note);
    }
    if (!results[i].phase.empty()) table.set("phase", results[i].phase);
    if (results[i].drawn)
      for (const auto& [e, m] : results[i].drawn->means) {
        table.set(fmt::format("drawn.{}.mean", name(e)), fmt::format("{:.10g}", m.mean));
        table.set(fmt::format("drawn.{}.standard_error", name(e)), fmt::format("{:.3g}", m.standard_error));
      }
  }
  return table.text();
}

}  // namespace

std::string render_random(const std::vector<RandomJob>& jobs, const std::vector<RandomResult>& results,
                          Format format, bool list) {
  if (format == Format::csv) return to_csv(jobs, results);
  if (format == Format::json)
    return results_json(jobs.size(), jobs.size() != 1 || list,
                        [&](std::size_t i) { return to_json(jobs[i], results[i]); });
  return results_text(jobs.size(), [&](std::size_t i) { return to_text(jobs[i], results[i]); });
}

}  // namespace critscale::cli
