// Cells of phase diagrams. Uses diagram.hpp.
#include "critscale/asymptotics/diagram.hpp"

#include <fmt/format.h>

#include <set>

#include "critscale/number/errors.hpp"
#include "critscale/number/quote.hpp"

namespace critscale {

namespace {

Profile with(Profile p, const DiagramParameter& parameter, const Rational& v) {
  ProfileBand& band = p[parameter.band - 1];
  (parameter.kind == DiagramParameter::Kind::r ? band.r : band.size.exponent) = v;
  return p;
}

/// (b - a) x (c - a): zero where three lines meet in a point (or are parallel).
Rational concurrence(const Line& a, const Line& b, const Line& c) {
  return (b.theta - a.theta) * (c.r - a.r) - (b.r - a.r) * (c.theta - a.theta);
}

/// The parameter values in (from, to) at which three lines meet: the condition is linear in it.
std::set<Rational> special_values(const Profile& p, const DiagramParameter& parameter, const Rational& from,
                                  const Rational& to) {
  const auto at_from = lines(with(p, parameter, from)), at_to = lines(with(p, parameter, to));
  std::set<Rational> r;
  for (std::size_t i = 0; i < at_from.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < j; ++k) {
        const Rational a = concurrence(at_from[i], at_from[j], at_from[k]);
        const Rational b = concurrence(at_to[i], at_to[j], at_to[k]);
        if (a == b) continue;
        const Rational v = from + (to - from) * a / (a - b);
        if (from < v && v < to) r.insert(v);
      }
  return r;
}

/// The line of a group: that of its outermost band.
Line line_of(const Profile& p, const TokenGroup& g) {
  return g.bands.empty() ? lines(p)[0] : lines(p)[g.bands.back()];
}

std::optional<Rational> crossing(const Profile& p, const Boundary& b) {
  const Line flat = line_of(p, b.flat), steep = line_of(p, b.steep);
  if (steep.r == flat.r) return {};
  return (flat.theta - steep.theta) / (steep.r - flat.r);
}

void add_strip(std::vector<DiagramCell>& cells, const Profile& p, const DiagramParameter& parameter,
               const Rational& from, const Rational& to) {
  // The form is the same in the whole strip: read it off in the middle.
  const Profile middle = with(p, parameter, (from + to) / 2);
  const Profile first = with(p, parameter, from), last = with(p, parameter, to);
  const auto all = boundaries(middle);
  const auto thresholds = critscale::thresholds(middle);
  DiagramEdge lower{Rational(0), Rational(0)};
  for (const Boundary& b : all) {
    const DiagramEdge upper{crossing(first, b), crossing(last, b)};
    const Phase phase = &b == &all.front() ? Phase::subcritical : Phase::intermediate;
    cells.push_back({from, to, lower, upper, b.flat, phase});
    lower = upper;
  }
  const Rational beyond = thresholds.empty() ? Rational(1) : Rational(thresholds.back() + 1);
  const Envelope envelope(lines(middle));
  TokenGroup leader = all.empty() ? TokenGroup{} : all.back().steep;
  if (all.empty()) {
    const auto top = envelope.top(beyond);
    leader = {lines(middle)[top.back()].r, {}, {}, {}};
    for (const std::size_t l : top)
      if (l > 0) leader.bands.push_back(l);
    if (leader.r != 1) leader.inner = Size{PowerProduct(1), Rational(0)};
  }
  cells.push_back({from, to, lower, {}, leader, Phase::supercritical});
}

}  // namespace

DiagramParameter parse_diagram_parameter(std::string_view text, std::size_t bands) {
  const auto bad = [&] {
    return InputError(
        fmt::format("{} is not a parameter of the diagram: expected rho, r1 .. r{} or theta1 .. theta{}",
                    in_quotes(text), bands, bands > 1 ? bands - 1 : 1));
  };
  if (text == "rho") return {DiagramParameter::Kind::r, bands};
  const bool theta = text.starts_with("theta");
  if (!theta && !text.starts_with("r")) throw bad();
  const std::string_view digits = text.substr(theta ? 5 : 1);
  if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string_view::npos)
    throw bad();
  const std::size_t band = std::stoul(std::string(digits));
  if (band < 1 || band > bands || (theta && band == bands)) throw bad();
  return {theta ? DiagramParameter::Kind::theta : DiagramParameter::Kind::r, band};
}

std::vector<DiagramCell> diagram(const Profile& profile, const DiagramParameter& parameter,
                                 const std::vector<Rational>& values) {
  if (values.size() < 2) throw InputError("a phase diagram needs at least two values of its parameter");
  std::vector<DiagramCell> cells;
  for (std::size_t i = 0; i < values.size(); ++i) validate(with(profile, parameter, values[i]), true);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    if (values[i] >= values[i + 1]) throw InputError("the values of a phase diagram's parameter must ascend");
    Rational from = values[i];
    for (const Rational& v : special_values(profile, parameter, values[i], values[i + 1])) {
      add_strip(cells, profile, parameter, from, v);
      from = v;
    }
    add_strip(cells, profile, parameter, from, values[i + 1]);
  }
  return cells;
}

}  // namespace critscale
