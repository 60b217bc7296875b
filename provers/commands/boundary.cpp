// `critscale boundary`: exact thresholds, certified transitions at finite n, the inverse question,
// and phase diagrams as cells.
#include "critscale/asymptotics/boundary.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "critscale/asymptotics/diagram.hpp"
#include "critscale/asymptotics/limit_text.hpp"
#include "critscale/asymptotics/roots.hpp"
#include "critscale/number/certify.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/tables/csv.hpp"
#include "inputs/flags.hpp"
#include "output/files.hpp"
#include "output/inputs.hpp"
#include "output/value.hpp"

namespace critscale::cli {

namespace {

using nlohmann::ordered_json;

/// What one n adds.
struct AtLength {
  PowerProduct n;
  std::vector<Ball> transitions, distances;
  std::optional<std::vector<Ball>> solutions;
};

struct Result {
  const Specification* specification;
  GrowthPoint point;
  long digits = 0;
  std::vector<Boundary> boundaries;
  std::vector<Rational> forward_thresholds;
  std::vector<AtLength> by_n;
  std::optional<std::vector<DiagramCell>> cells;
};

struct Flags {
  std::string solve, gamma_range, diagram;
};

/// "inner_products[1]=1/2".
RootQuestion parse_question(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw InputError(
        fmt::format("--solve: expected QUANTITY=VALUE or QUANTITY[BAND]=VALUE, found {}", in_quotes(text)));
  std::string left = text.substr(0, equals);
  RootQuestion q{Quantity::self_weight, 0, {}};
  if (const std::size_t bracket = left.find('['); bracket != std::string::npos) {
    if (!left.ends_with(']'))
      throw InputError(fmt::format("--solve: expected QUANTITY[BAND]=VALUE, found {}", in_quotes(text)));
    q.band = static_cast<std::size_t>(
        read_count({left.substr(bracket + 1, left.size() - bracket - 2), "--solve"}, 0, 1000000));
    left.erase(bracket);
  }
  q.quantity = located("--solve", [&] { return quantity_by_name(left); });
  q.value = located("--solve", [&] { return parse_rational(text.substr(equals + 1)); });
  return q;
}

/// "0:3".
RationalBox parse_gamma_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    throw InputError(fmt::format("--gamma-range: expected from:to like 0:3, found {}", in_quotes(text)));
  return located("--gamma-range", [&] {
    return RationalBox{parse_rational(text.substr(0, colon)), parse_rational(text.substr(colon + 1))};
  });
}

/// "theta1=1/8:7/8:7".
std::vector<DiagramCell> parse_and_draw(const std::string& text, const Profile& profile) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw InputError(fmt::format("--diagram: expected PARAMETER=from:to:steps, found {}", in_quotes(text)));
  return located("--diagram", [&] {
    const DiagramParameter p = parse_diagram_parameter(text.substr(0, equals), profile.size());
    return diagram(profile, p, parse_range(text.substr(equals + 1)));
  });
}

/// The layer at one n.
Configuration at(const LimitConfiguration& c, const PowerProduct& n) {
  Configuration r;
  r.geometry = Simplex{{c.profile[0].r, c.profile[0].r}};
  if (!c.simplex) {
    Bands bands;
    for (const ProfileBand& b : c.profile) bands.bands.push_back({{b.r, b.r}, resolve(b.size, n)});
    r.geometry = bands;
  }
  r.n = n;
  r.scale = critical_scale({0, 0});
  r.alpha = {c.alpha, c.alpha};
  r.q = {c.q, c.q};
  r.d = resolve(c.d, n);
  r.analytic = c.analytic;
  return r;
}

AtLength evaluate_at(const Result& result, const PowerProduct& n, const Flags& flags) {
  const LimitConfiguration& c = result.point.configuration;
  const Configuration configuration = at(c, n);
  validate(configuration);
  AtLength r{n, {}, {}, {}};
  for (const Boundary& b : result.boundaries) {
    r.transitions.push_back(certify_digits(result.digits, [&](Bits bits) { return transition(b, n, bits); }));
    r.distances.push_back(certify_digits(result.digits, [&](Bits bits) { return distance(b, n, bits); }));
  }
  if (!flags.solve.empty())
    r.solutions = gammas_with_value(configuration, parse_question(flags.solve),
                                    parse_gamma_range(flags.gamma_range), result.digits);
  return r;
}

std::vector<PowerProduct> lengths(const Specification& s) {
  std::vector<PowerProduct> r;
  if (const Entry* e = s.find("n"))
    for (const Text& t : e->values)
      for (const Text& v : expand(t))
        r.push_back(located(v.where, [&] { return parse_context_length(v.text); }));
  return r;
}

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

ordered_json to_json(const Result& result) {
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

std::string cells_text(const std::vector<DiagramCell>& cells, const char* separator, bool header) {
  const auto end = [](const std::optional<Rational>& v) {
    return v ? to_string(*v) : std::string("infinity");
  };
  std::vector<std::vector<std::string>> rows;
  if (header)
    rows.push_back({"from", "to", "phase", "mass_on", "gamma_lower_at_from", "gamma_lower_at_to",
                    "gamma_upper_at_from", "gamma_upper_at_to"});
  for (const DiagramCell& c : cells)
    rows.push_back({to_string(c.from), to_string(c.to), std::string(name(c.phase)), name(c.leader),
                    end(c.lower.at_from), end(c.lower.at_to), end(c.upper.at_from), end(c.upper.at_to)});
  std::string r;
  for (const auto& row : rows) {
    std::string line;
    for (const std::string& cell : row) line += (line.empty() ? "" : separator) + csv_cell(cell);
    r += line + "\n";
  }
  return r;
}

std::string to_text(const Result& result) {
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
  if (result.cells) r += cells_text(*result.cells, "  ", true);
  return r;
}

std::string to_latex(const Result& result) {
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

std::string to_csv(const std::vector<Result>& results) {
  if (results[0].cells) {
    std::string r;
    for (const Result& result : results) r += cells_text(*result.cells, ",", r.empty());
    return r;
  }
  std::string r =
      "id,inputs,n,threshold,before,after,transition.value,transition.lo,transition.hi,"
      "distance.value,distance.lo,distance.hi\n";
  for (const Result& result : results)
    for (std::size_t k = 0; k < result.boundaries.size(); ++k) {
      const Boundary& b = result.boundaries[k];
      const auto row = [&](const AtLength* x) {
        PrintedValue t, d;
        if (x) t = print(x->transitions[k], result.digits), d = print(x->distances[k], result.digits);
        std::string line;
        for (const std::string& cell :
             {result.specification->id, inputs_text(result.point.inputs), x ? x->n.to_string() : "",
              to_string(b.threshold), name(b.flat), name(b.steep), t.value.value_or(""), t.lo, t.hi,
              d.value.value_or(""), d.lo, d.hi})
          line += csv_cell(cell) + ",";
        line.back() = '\n';
        r += line;
      };
      if (result.by_n.empty()) row(nullptr);
      for (const AtLength& x : result.by_n) row(&x);
    }
  return r;
}

std::string render(const std::vector<Result>& results, Format format) {
  if (format == Format::csv) return to_csv(results);
  if (format == Format::json) {
    if (results.size() == 1) return to_json(results[0]).dump(2) + "\n";
    ordered_json r = {{"schema", 1}, {"results", ordered_json::array()}};
    for (const Result& result : results) r["results"].push_back(to_json(result));
    return r.dump(2) + "\n";
  }
  std::string r;
  for (const Result& result : results)
    r += (r.empty() ? "" : "\n") + (format == Format::latex ? to_latex(result) : to_text(result));
  return r;
}

int boundary(const SharedFlags& shared, const Flags& flags) {
  if (!shared.output().empty()) require_writable(shared.output(), shared.force());
  if (flags.solve.empty() != flags.gamma_range.empty())
    throw InputError("--solve and --gamma-range belong together");
  const std::vector<Specification> specifications = shared.specifications();
  std::vector<Result> results;
  for (const Specification& s : specifications) {
    const Grid grid(s, {.with_n = false, .with_scale = false});
    const std::vector<PowerProduct> all_n = lengths(s);
    if (!flags.solve.empty() && all_n.empty()) throw InputError("--solve needs n");
    for (std::size_t i = 0; i < grid.size(); ++i)
      located(s.where, [&] {
        Result r{&s, grid.growth(i), shared.run_options(s).digits, {}, {}, {}, {}};
        const LimitConfiguration& c = r.point.configuration;
        LimitConfiguration growing = c;
        growing.d = Size{PowerProduct(1), Rational(1)};
        validate(growing);
        r.boundaries = boundaries(c.profile);
        r.forward_thresholds = forward_thresholds(c.profile, c.alpha != 0);
        for (const PowerProduct& n : all_n) r.by_n.push_back(evaluate_at(r, n, flags));
        if (!flags.diagram.empty()) r.cells = parse_and_draw(flags.diagram, c.profile);
        results.push_back(std::move(r));
      });
  }
  const std::string text = render(results, shared.format());
  if (shared.output().empty())
    write_stdout(text);
  else
    write_whole(shared.output(), text);
  return done;
}

}  // namespace

void add_boundary(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("boundary", "Exact thresholds, and certified transitions at finite n");
  const auto shared = std::make_shared<SharedFlags>(*command, true);
  const auto flags = std::make_shared<Flags>();
  command->add_option("--solve", flags->solve,
                      "Every gamma at which a quantity has a value: self_weight=1/2, inner_products[0]=1/2");
  command->add_option("--gamma-range", flags->gamma_range, "Where --solve looks: from:to");
  command->add_option("--diagram", flags->diagram,
                      "Cells over gamma and one parameter (rho, r1, theta1, ...): theta1=1/8:7/8:7");
  command->footer(
      "A transition gamma*(n) is where the two groups of tokens that meet at a threshold have equal mass.\n\n"
      "Examples: critscale boundary --rho 1/3 --n 1000 --n '10^(10^15)'\n"
      "          critscale boundary --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --n 10^12 --format json\n"
      "          critscale boundary --rho 1/3 --n 10^6 --solve inner_products=1/2 --gamma-range 0:3\n"
      "          critscale boundary --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --diagram "
      "theta1=1/8:7/8:4 "
      "--format csv");
  command->callback([shared, flags, &exit_code] { exit_code = boundary(*shared, *flags); });
}

}  // namespace critscale::cli
