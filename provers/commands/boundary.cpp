// `critscale boundary`: exact thresholds, certified transitions at finite n, the inverse question,
// and phase diagrams as cells.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/boundary_result.hpp"
#include "commands/commands.hpp"
#include "critscale/asymptotics/roots.hpp"
#include "critscale/number/quote.hpp"
#include "critscale/text/certify.hpp"
#include "inputs/flags.hpp"
#include "inputs/random_flags.hpp"
#include "process/files.hpp"
#include "process/limits.hpp"

namespace critscale::cli {

namespace {

struct Flags {
  std::string solve, gamma_range, diagram, terms;
};

/// "inner_products[1]=1/2".
RootQuestion parse_question(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw InputError(
        fmt::format("--solve: expected QUANTITY=VALUE or QUANTITY[BAND]=VALUE, found {}", in_quotes(text)));
  const auto [name, band] = located("--solve", [&] { return parse_subscripted(text.substr(0, equals)); });
  RootQuestion q{Quantity::self_weight, band.value_or(0), {}};
  q.quantity = located("--solve", [&, &name = name] { return quantity_by_name(name); });
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
    const std::vector<Rational> values = parse_range(text.substr(equals + 1));
    // Cells of some numbers each, as text.
    constexpr double bytes_per_value = 4000;
    require_memory(fmt::format("a diagram of {} steps", values.size()),
                   bytes_per_value * static_cast<double>(values.size()));
    return diagram(profile, p, values);
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

AtLength evaluate_at(const BoundaryResult& result, const PowerProduct& n, const Flags& flags) {
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

/// Random keys: the lines at kappa, with their series, or transitions at n.
int random_boundary(const SharedFlags& shared, const RandomFlags& random_keys,
                    std::vector<Specification> specifications, const Flags& flags) {
  if (!flags.solve.empty() || !flags.gamma_range.empty() || !flags.diagram.empty())
    throw InputError("--solve, --gamma-range and --diagram are for the simplex and bands");
  if (!flags.terms.empty())
    for (Specification& s : specifications) s.entries.push_back({"terms", {{flags.terms, "--terms"}}});
  return write_random_answers(shared, random_keys.jobs(shared, std::move(specifications)));
}

int boundary(const SharedFlags& shared, const RandomFlags& random_keys, const Flags& flags) {
  const std::vector<Specification> specifications = shared.specifications();
  if (asks_random_keys(specifications, random_keys))
    return random_boundary(shared, random_keys, specifications, flags);
  if (!flags.terms.empty()) throw InputError("--terms is for the lines of random keys");
  Output output(shared.output(), shared.force());
  if (flags.solve.empty() != flags.gamma_range.empty())
    throw InputError("--solve and --gamma-range belong together");
  const TimeGuard guard(shared.run_options(specifications.front()).time_limit);
  std::vector<BoundaryResult> results;
  for (const Specification& s : specifications) {
    const Grid grid(s, {.with_n = false, .with_scale = false});
    require_room(results.size() + grid.size(), shared.run_options(s).digits);
    const std::vector<PowerProduct> all_n = lengths(s);
    if (!flags.solve.empty() && all_n.empty()) throw InputError("--solve needs n");
    for (std::size_t i = 0; i < grid.size(); ++i)
      located(s.where, [&] {
        BoundaryResult r{&s, grid.growth(i), shared.run_options(s).digits, {}, {}, {}, {}};
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
  const std::string text = render(results, shared.format(), shared.list());
  output.write(text);
  return done;
}

}  // namespace

void add_boundary(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("boundary", "Exact thresholds, and certified transitions at finite n");
  const auto shared = std::make_shared<SharedFlags>(*command, true);
  const auto random_keys = std::make_shared<RandomFlags>(*command, RandomQuestion::boundary);
  const auto flags = std::make_shared<Flags>();
  command->add_option("--solve", flags->solve,
                      "Every gamma at which a quantity has a value: self_weight=1/2, inner_products[0]=1/2");
  command->add_option("--gamma-range", flags->gamma_range, "Where --solve looks: from:to");
  command->add_option("--diagram", flags->diagram,
                      "Cells over gamma and one parameter (rho, r1, theta1, ...): theta1=1/8:7/8:7");
  command->add_option("--terms", flags->terms,
                      "Random keys: terms of the lines' series at both ends, 1 to 64");
  command->footer(
      "A transition gamma*(n) is where the two groups of tokens that meet at a threshold have equal mass.\n\n"
      "Examples: critscale boundary --rho 1/3 --n 1000 --n '10^(10^15)'\n"
      "          critscale boundary --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --n 10^12 --format json\n"
      "          critscale boundary --rho 1/3 --n 10^6 --solve inner_products=1/2 --gamma-range 0:3\n"
      "          critscale boundary --band 'r=4/5,size=n^(1/2)' --band r=1/5,size=n --diagram "
      "theta1=1/8:7/8:4 "
      "--format csv\n"
      "          critscale boundary --geometry sphere --dim 128 --rho 1/3 --n 10^6\n"
      "          critscale boundary --geometry sphere --kappa 2 --terms 4");
  command->callback(
      [shared, random_keys, flags, &exit_code] { exit_code = boundary(*shared, *random_keys, *flags); });
}

}  // namespace critscale::cli
