// Text, JSON, CSV and LaTeX of boundaries. Uses nlohmann/json.
#include "commands/boundary_result.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "critscale/asymptotics/limit_text.hpp"
#include "output/csv_table.hpp"
#include "output/inputs.hpp"
#include "output/results.hpp"
#include "output/value.hpp"
#include "process/files.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;

ordered_json values_json(const std::vector<Ball>& values, long digits) {
  ordered_json r = ordered_json::array();
  for (const Ball& x : values) r.push_back(value_json(x, digits));
  return r;
}

void add_length(ordered_json& r, const AtLength& x, long digits) {
  r["transitions"] = values_json(x.transitions, digits);
  r["distances"] = values_json(x.distances, digits);
  if (x.solutions) r["solutions"] = values_json(*x.solutions, digits);
}

ordered_json to_json(const Boundary& b) {
  ordered_json r{{"threshold", to_string(b.threshold)}, {"before", name(b.flat)}, {"after", name(b.steep)}};
  const auto lead = leading_distance(b);
  r["rate"] = nullptr;
  if (lead) {
    r["rate"] = {{"exponent", to_string(Rational(-lead->power))}, {"log_power", lead->log_power}};
    r["leading_distance"] = text(*lead, Notation::plain);
  }
  return r;
}

ordered_json edge_json(const DiagramEdge& e) {
  const auto end = [](const std::optional<Rational>& v) {
    return v ? to_string(*v) : std::string("infinity");
  };
  return {end(e.at_from), end(e.at_to)};
}

ordered_json to_json(const BoundaryResult& result) {
  ordered_json r;
  r["schema"] = 1;
  if (!result.specification->id.empty()) r["id"] = result.specification->id;
  if (!result.specification->why.empty()) r["why"] = result.specification->why;
  r["inputs"] = inputs_json(result.point.inputs);
  std::vector<Rational> exact;
  r["thresholds"] = ordered_json::array();
  r["boundaries"] = ordered_json::array();
  for (const Boundary& b : result.boundaries) {
    exact.push_back(b.threshold);
    r["thresholds"].push_back(to_string(b.threshold));
    r["boundaries"].push_back(to_json(b));
  }
  if (result.forward_thresholds != exact)
    for (const Rational& v : result.forward_thresholds) r["forward_thresholds"].push_back(to_string(v));
  if (result.by_n.size() == 1) {
    r["inputs"]["n"] = result.by_n[0].n.to_string();
    add_length(r, result.by_n[0], result.digits);
  } else if (result.by_n.size() > 1) {
    for (const AtLength& x : result.by_n) {
      ordered_json entry{{"n", x.n.to_string()}};
      add_length(entry, x, result.digits);
      r["by_n"].push_back(entry);
    }
  }
  if (result.cells)
    for (const DiagramCell& c : *result.cells)
      r["cells"].push_back({{"from", to_string(c.from)},
                            {"to", to_string(c.to)},
                            {"phase", name(c.phase)},
                            {"mass_on", name(c.leader)},
                            {"gamma_lower", edge_json(c.lower)},
                            {"gamma_upper", edge_json(c.upper)}});
  return r;
}

using CellRow = std::vector<std::pair<std::string, std::string>>;

std::vector<CellRow> cell_rows(const std::vector<DiagramCell>& cells) {
  const auto end = [](const std::optional<Rational>& v) {
    return v ? to_string(*v) : std::string("infinity");
  };
  std::vector<CellRow> rows;
  for (const DiagramCell& c : cells)
    rows.push_back({{"from", to_string(c.from)},
                    {"to", to_string(c.to)},
                    {"phase", std::string(name(c.phase))},
                    {"mass_on", name(c.leader)},
                    {"gamma_lower_at_from", end(c.lower.at_from)},
                    {"gamma_lower_at_to", end(c.lower.at_to)},
                    {"gamma_upper_at_from", end(c.upper.at_from)},
                    {"gamma_upper_at_to", end(c.upper.at_to)}});
  return rows;
}

std::string cells_text(const std::vector<DiagramCell>& cells) {
  std::string names, r;
  for (const CellRow& row : cell_rows(cells)) {
    std::string line;
    names.clear();
    for (const auto& [name, cell] : row) {
      names += (names.empty() ? "" : "  ") + name;
      line += (line.empty() ? "" : "  ") + cell;
    }
    r += line + "\n";
  }
  return names + "\n" + r;
}

std::string to_text(const BoundaryResult& result) {
  std::string r;
  if (!result.specification->id.empty()) r += result.specification->id + "\n";
  r += inputs_text(result.point.inputs) + "\n";
  if (result.boundaries.empty()) r += "  no thresholds: the mass always stays on the token's exact ties\n";
  for (std::size_t k = 0; k < result.boundaries.size(); ++k) {
    const Boundary& b = result.boundaries[k];
    const auto lead = leading_distance(b);
    r +=
        fmt::format("  threshold {}: {} before, {} after; threshold - gamma*(n) {}\n", to_string(b.threshold),
                    name(b.flat), name(b.steep), lead ? "~ " + text(*lead, Notation::plain) : "= 0");
    for (const AtLength& x : result.by_n)
      r +=
          fmt::format("    n = {}: gamma*(n) = {}, threshold - gamma*(n) = {}\n", x.n.to_string(),
                      value_text(x.transitions[k], result.digits), value_text(x.distances[k], result.digits));
  }
  std::vector<Rational> exact;
  for (const Boundary& b : result.boundaries) exact.push_back(b.threshold);
  if (result.forward_thresholds != exact)
    for (const Rational& v : result.forward_thresholds)
      r += fmt::format("  forward threshold {}: the output's inner products change there\n", to_string(v));
  for (const AtLength& x : result.by_n)
    if (x.solutions) {
      r += fmt::format("  n = {}: {} solution{}\n", x.n.to_string(), x.solutions->size(),
                       x.solutions->size() == 1 ? "" : "s");
      for (const Ball& v : *x.solutions) r += fmt::format("    gamma = {}\n", value_text(v, result.digits));
    }
  if (result.cells) r += cells_text(*result.cells);
  return r;
}

std::string to_latex(const BoundaryResult& result) {
  std::string r = fmt::format("% {}\n\\begin{{align*}}\n", inputs_text(result.point.inputs));
  for (std::size_t k = 0; k < result.boundaries.size(); ++k) {
    const auto lead = leading_distance(result.boundaries[k]);
    const Rational& gamma = result.boundaries[k].threshold;
    r += fmt::format("  \\gamma_{{{0}}} &= {1}, & \\gamma_{{{0}}} - \\gamma_{{{0}}}^*(n) &{2} \\\\\n", k + 1,
                     is_integer(gamma) ? to_string(gamma)
                                       : fmt::format("\\frac{{{}}}{{{}}}", to_string(numerator(gamma)),
                                                     to_string(denominator(gamma))),
                     lead ? "\\sim " + text(*lead, Notation::latex) : "= 0");
    for (const AtLength& x : result.by_n)
      r += fmt::format("  \\gamma_{{{}}}^*({}) &= {} \\\\\n", k + 1, x.n.to_string(),
                       value_text(x.transitions[k], result.digits));
  }
  return r + "\\end{align*}\n";
}

/// The cells of a phase diagram, one a row.
std::string cells_csv(const std::vector<BoundaryResult>& results) {
  CsvTable table;
  for (const BoundaryResult& result : results)
    for (const auto& row : cell_rows(*result.cells)) {
      table.add_row();
      table.set(row);
    }
  return table.text();
}

std::string to_csv(const std::vector<BoundaryResult>& results) {
  if (results[0].cells) return cells_csv(results);
  CsvTable table({"id", "inputs", "n", "threshold", "before", "after", "transition.value", "transition.lo",
                  "transition.hi", "distance.value", "distance.lo", "distance.hi"});
  for (const BoundaryResult& result : results)
    for (std::size_t k = 0; k < result.boundaries.size(); ++k) {
      const Boundary& b = result.boundaries[k];
      const auto row = [&](const AtLength* x) {
        table.add_row();
        table.set({{"id", result.specification->id},
                   {"inputs", inputs_text(result.point.inputs)},
                   {"n", x ? x->n.to_string() : ""},
                   {"threshold", to_string(b.threshold)},
                   {"before", name(b.flat)},
                   {"after", name(b.steep)}});
        table.set("transition", x ? &x->transitions[k] : nullptr, result.digits);
        table.set("distance", x ? &x->distances[k] : nullptr, result.digits);
      };
      if (result.by_n.empty()) row(nullptr);
      for (const AtLength& x : result.by_n) row(&x);
    }
  return table.text();
}

}  // namespace

std::string render(const std::vector<BoundaryResult>& results, Format format, bool list) {
  if (format == Format::csv) return to_csv(results);
  if (format == Format::json)
    return results_json(results.size(), results.size() != 1 || list,
                        [&](std::size_t i) { return to_json(results[i]); });
  return results_text(results.size(), [&](std::size_t i) {
    return format == Format::latex ? to_latex(results[i]) : to_text(results[i]);
  });
}

}  // namespace critscale::cli
