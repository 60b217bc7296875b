// Crossings of schedules among random keys, against a search in binary64 that knows neither the cells nor the
// growth argument: the critical b by bisection of the annealed equation's limit, the schedules by their
// formulas.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "critscale/random/detail/functions.hpp"
#include "critscale/random/schedule_verdict.hpp"
#include "critscale/schedules/curve.hpp"
#include "random/support.hpp"

namespace critscale::random {

namespace {

using Constants = std::vector<std::pair<const char*, const char*>>;

Schedule schedule(const char* name, const Constants& constants) {
  Schedule s = default_schedule(name);
  for (const auto& [key, text] : constants) set_constant(s, key, text);
  validate(s);
  return s;
}
double number(const Rational& x) { return static_cast<double>(x); }

/// beta(x), x = ln n, from the formulas in print.
double plain_beta(const Schedule& s, double x) {
  const double factor = number(s.logit_scale) / std::sqrt(number(s.head_dim));
  const double l = s.train_length.is_one() ? 0 : rough(log(s.train_length, 64));
  const std::string_view law = name(s);
  if (law == "constant") return factor * number(s.coefficient);
  if (law == "log-n") return factor * std::max(x, std::log(16.0)) / std::log(512.0);
  if (law == "qwen-log-n") return factor * std::max(1.0, x / l);
  if (law == "ssmax") return factor * (number(s.coefficient) * x + number(s.offset));
  if (law == "yarn") return factor * std::pow(number(s.rate) * std::max(0.0, x - l) + 1, 2);
  if (law == "infoscale") {
    const double d = number(s.dimension);
    return factor * std::sqrt((1 - std::exp(-2 * x / d)) / (1 - std::exp(-2 * l / d)));
  }
  if (law == "gaussian") return factor * std::sqrt(2 * x);
  if (law == "power-of-log")
    return factor * (number(s.coefficient) * std::pow(x, number(s.power)) + number(s.offset));
  throw Error("no plain formula");
}

/// The critical b at x: the zero in v of the exponent where E W = 1, or the largest v among n keys.
double plain_line(const Keys& keys, double x) {
  const double m = keys.kappa   ? number(*keys.kappa) * x
                   : keys.sigma ? 1 / number(*keys.sigma * *keys.sigma)
                                : number(*keys.dimension);
  if (keys.law == KeyLaw::gaussian) return std::sqrt(2 * m * x);
  if (!keys.aligned) {
    // x + m/2 ln(1 - v^2) = 0.
    const double v = std::sqrt(-std::expm1(-2 * x / m));
    return m * v * std::exp(2 * x / m);
  }
  double lo = 1e-12, hi = 1 - 1e-15;
  for (int i = 0; i < 60; ++i) {
    const double v = (lo + hi) / 2, b = m * v / (1 - v * v);
    (x + m / 2 * std::log1p(-v * v) + b * (v - 1) > 0 ? lo : hi) = v;
  }
  return m * lo / (1 - lo * lo);
}

/// The line on a fine grid of x from ln 2 on.
constexpr double grid_end = 3000;
constexpr int grid_steps = 20000;
double grid_x(int i) {
  const double start = std::log(2.0);
  return start * std::pow(grid_end / start, i / static_cast<double>(grid_steps));
}
std::vector<double> plain_grid(const Keys& keys) {
  std::vector<double> r;
  for (int i = 0; i <= grid_steps; ++i) r.push_back(plain_line(keys, grid_x(i)));
  return r;
}

/// Sign changes on the grid, as (x, upward).
std::vector<std::pair<double, bool>> plain_crossings(const Schedule& s, const Keys& keys,
                                                     const std::vector<double>& line) {
  std::vector<std::pair<double, bool>> r;
  const double share = 1 - number(keys.rho);
  bool before = share * plain_beta(s, grid_x(0)) > line[0];
  for (int i = 1; i <= grid_steps; ++i) {
    const bool now = share * plain_beta(s, grid_x(i)) > line[static_cast<std::size_t>(i)];
    if (now != before) r.emplace_back((grid_x(i - 1) + grid_x(i)) / 2, now);
    before = now;
  }
  return r;
}

Keys keys_of(const char* kind, const char* value, bool aligned, const char* rho = "0") {
  Keys k;
  const std::string name = kind;
  if (name == "kappa") k.kappa = parse_rational(value);
  if (name == "dim") k.dimension = parse_rational(value);
  if (name == "sigma") {
    k.sigma = parse_rational(value);
    k.law = KeyLaw::gaussian;
  }
  k.aligned = aligned;
  k.rho = parse_rational(rho);
  return k;
}

}  // namespace

TEST_CASE("random schedules: crossings are those of a search in binary64") {
  const std::vector<Keys> all{keys_of("dim", "8", true),          keys_of("dim", "128", true, "1/3"),
                              keys_of("dim", "512", true),        keys_of("dim", "8", false),
                              keys_of("dim", "64", false, "1/4"), keys_of("kappa", "5", true, "1/3"),
                              keys_of("sigma", "1", false),       keys_of("sigma", "1/3", false)};
  const std::vector<std::pair<const char*, Constants>> schedules{
      {"constant", {{"coefficient", "10"}}},
      {"log-n", {{"logit_scale", "10"}}},
      {"log-n", {{"logit_scale", "12"}}},
      {"qwen-log-n", {{"logit_scale", "16"}}},
      {"ssmax", {{"coefficient", "3/2"}, {"offset", "2"}}},
      {"ssmax", {{"coefficient", "5/2"}, {"offset", "-4"}}},
      {"ssmax", {{"coefficient", "7/4"}}},
      {"yarn", {{"logit_scale", "9"}, {"train_length", "1024"}}},
      {"yarn", {{"logit_scale", "9"}, {"train_length", "1024"}, {"rate", "1/4"}}},
      {"yarn", {{"logit_scale", "13"}, {"train_length", "8192"}, {"rate", "1/10"}}},
      {"infoscale", {{"logit_scale", "14"}}},
      {"gaussian", {{"logit_scale", "7/2"}}},
      {"gaussian", {{"logit_scale", "8"}, {"head_dim", "3"}}},
      {"power-of-log", {{"coefficient", "1/4"}, {"power", "2"}}},
      {"power-of-log", {{"coefficient", "1/4"}, {"power", "2"}, {"offset", "5"}}},
      {"power-of-log", {{"coefficient", "1"}, {"power", "3/2"}, {"offset", "-1"}}},
      {"power-of-log", {{"coefficient", "3"}, {"power", "1/2"}, {"offset", "1"}}},
      {"power-of-log", {{"coefficient", "1/50"}, {"power", "3"}, {"offset", "3"}}}};
  int found = 0;
  for (const Keys& keys : all) {
    const std::vector<double> line = plain_grid(keys);
    for (const auto& [name, constants] : schedules) {
      const Schedule s = schedule(name, constants);
      const ScheduleCrossings c = schedule_crossings(s, keys, 10);
      INFO(name << " " << formula(s) << ", logit scale " << to_string(s.logit_scale) << ", line " << c.line
                << " dim " << (keys.dimension ? to_string(*keys.dimension) : "-") << " aligned "
                << keys.aligned);
      const auto expected = plain_crossings(s, keys, line);
      std::vector<LineCrossing> near;
      for (const LineCrossing& x : c.points)
        if (rough(x.log_n) < grid_end) near.push_back(x);
      REQUIRE(near.size() == expected.size());
      CHECK(c.count == c.points.size());
      for (std::size_t i = 0; i < near.size(); ++i, ++found) {
        CHECK(near[i].upward == expected[i].second);
        CHECK(std::abs(rough(near[i].log_n) / expected[i].first - 1) < 1e-3);
        CHECK(has_digits(near[i].n, 10));
        CHECK(overlaps(exp(near[i].log_n.at(200)), near[i].n));
      }
      // The final sign is that of the search's end, where nothing crosses later.
      if (near.size() == c.points.size() && c.finally != 0)
        CHECK((c.finally > 0) == (number(Rational(1 - keys.rho)) * plain_beta(s, grid_end) > line.back()));
    }
  }
  // Not a test of curves that never meet.
  CHECK(found > 60);
}

TEST_CASE("random schedules: steps are counted as a search over every step finds them") {
  // Rates on both sides of rate ln(step) = 1, steps of 2 and more, both laws, every line.
  const std::vector<Keys> all{keys_of("dim", "64", true),         keys_of("dim", "12", false),
                              keys_of("dim", "40", false, "1/4"), keys_of("kappa", "5", true, "1/3"),
                              keys_of("kappa", "1", false),       keys_of("sigma", "1", false),
                              keys_of("sigma", "1/2", false)};
  const std::vector<std::tuple<const char*, const char*, const char*>> constants{
      {"5", "1/10", "16"}, {"6", "1/10", "16"}, {"4", "1/5", "16"}, {"4", "1/4", "16"}, {"5/2", "1/2", "16"},
      {"9", "2/5", "3"},   {"3", "1", "2"},     {"8", "1/8", "40"}, {"2", "3/5", "7"},  {"3/2", "9/10", "5"}};
  constexpr long last_step = 20000;
  long found = 0, several_rises = 0;
  for (const Keys& keys : all)
    for (const char* law : {"llama4", "mistral"})
      for (const auto& [scale, rate, step] : constants) {
        const Schedule s = schedule(law, {{"logit_scale", scale}, {"rate", rate}, {"train_length", step}});
        const ScheduleCrossings c = schedule_crossings(s, keys, 10);
        INFO(law << ", logit scale " << scale << ", rate " << rate << ", step " << step << ", line " << c.line
                 << " dim " << (keys.dimension ? to_string(*keys.dimension) : "-") << ", "
                 << to_string(c.count) << " crossings");
        // Every step by itself: n from j L + o on, the first from 2.
        const double L = std::stod(step), o = std::string_view(law) == "mistral" ? 1 : 0;
        const double share = 1 - number(keys.rho);
        std::vector<std::pair<double, bool>> expected;
        std::optional<bool> before;
        for (long j = 0; j < last_step; ++j) {
          const double start = std::max(2.0, L * static_cast<double>(j) + o),
                       end = L * static_cast<double>(j + 1) + o;
          if (end <= 2) continue;
          const double beta =
              share * number(s.logit_scale) * (1 + number(s.rate) * std::log(static_cast<double>(j + 1)));
          const bool at_start = beta > plain_line(keys, std::log(start)),
                     at_end = beta > plain_line(keys, std::log(end));
          if (before && *before != at_start) expected.emplace_back(start, true);
          if (at_start != at_end) expected.emplace_back(std::sqrt(start * end), false);
          before = at_end;
        }
        // Where crossings go on beyond the search their number is compared up to there only by the points.
        if (!c.points.empty() && rough(c.points.back().n) > L * (last_step - 2)) {
          CHECK(c.count >= expected.size());
          continue;
        }
        REQUIRE(c.count == expected.size());
        CHECK((c.finally > 0) == *before);
        found += static_cast<long>(expected.size());
        if (expected.size() > 2 && c.finally > 0) ++several_rises;
        const std::size_t shown = std::min<std::size_t>(4, expected.size());
        REQUIRE(c.points.size() == shown);
        for (std::size_t i = 0; i < shown; ++i) {
          const auto& [n, upward] = expected[i < 2 ? i : expected.size() - shown + i];
          CHECK(c.points[i].upward == upward);
          if (upward)
            CHECK(rough(c.points[i].n) == n);
          else
            CHECK(std::abs(rough(c.points[i].n) / n - 1) < std::max(0.6, L / n));
          CHECK(overlaps(exp(c.points[i].log_n.at(200)), c.points[i].n));
        }
      }
  CHECK(found > 100);
  CHECK(several_rises > 3);
}

TEST_CASE("random schedules: the curves through starts and ends of steps, as enclosures") {
  for (const char* law : {"llama4", "mistral"})
    for (const char* rate : {"1/10", "3/4"}) {
      const Schedule s = schedule(law, {{"rate", rate}, {"train_length", "9"}});
      const double r = number(s.rate), o = std::string_view(law) == "mistral" ? 1 : 0;
      const auto starts = curve_of_starts(s), ends = curve_of_ends(s);
      for (const auto& [curve, ahead] : {std::pair{starts.get(), 1.0}, std::pair{ends.get(), 0.0}}) {
        INFO(law << ", rate " << rate << ", " << (ahead > 0 ? "starts" : "ends"));
        const auto plain = [&, ahead = ahead](double n) { return 1 + r * std::log((n - o) / 9 + ahead); };
        for (double x = std::log(10.0); x < 30; x *= 1.4) {
          const Ball lo = Ball::exactly(x, 100), hi = Ball::exactly(1.3 * x, 100);
          const Ball over = curve->over(lo, hi), slopes = curve->slopes(lo, hi),
                     growth = curve->growth_from(lo);
          const bool settled = curve->excess_holds_from(lo);
          const auto holds = [](const Ball& range, double y) {
            return rough(Ball::exactly(range.lower(), 100)) <= y + 1e-6 &&
                   rough(Ball::exactly(range.upper(), 100)) >= y - 1e-6;
          };
          for (int i = 1; i < 40; ++i) {
            const double y = x * (1 + 0.03 * i), step = 1e-5 * x;
            const double slope = (plain(std::exp(y + step)) - plain(std::exp(y - step))) / (2 * step);
            const double here = y * slope / plain(std::exp(y));
            if (i < 10) CHECK(holds(over, plain(std::exp(y))));
            if (i < 10) CHECK(holds(slopes, slope));
            CHECK(holds(growth, here));
            if (settled) CHECK((here > 1) == (curve->excess() > 0));
          }
        }
      }
    }
}

TEST_CASE("random schedules: a tie, curves that stay equal, and what is refused") {
  // sqrt(2 ln n) is the critical beta of N(0, 1) scores itself.
  const ScheduleCrossings tie =
      schedule_crossings(schedule("gaussian", {}), keys_of("sigma", "1", false), 10);
  CHECK(tie.points.empty());
  CHECK(tie.finally == 0);
  const ScheduleCrossings above =
      schedule_crossings(schedule("gaussian", {{"logit_scale", "2"}}), keys_of("sigma", "1", false), 10);
  CHECK(above.finally == 1);
  CHECK_THROWS_WITH(schedule_curve(schedule("mistral", {})), Catch::Contains("has steps"));
  CHECK_THROWS_WITH(curve_of_ends(schedule("yarn", {})), Catch::Contains("has no steps"));
}

TEST_CASE("random schedules: values, slopes and growth of beta as enclosures") {
  for (const auto& [name, constants] : std::vector<std::pair<const char*, Constants>>{
           {"yarn", {{"train_length", "1000"}, {"rate", "1/4"}}},
           {"power-of-log", {{"coefficient", "2"}, {"power", "3/2"}, {"offset", "-1"}}},
           {"infoscale", {}},
           {"log-n", {}},
           {"gaussian", {}}}) {
    const Schedule s = schedule(name, constants);
    const auto held = schedule_curve(s);
    const ScheduleCurve& curve = *held;
    INFO(name);
    for (double x = 1; x < 400; x *= 1.7) {
      const Ball lo = Ball::exactly(x, 100), hi = Ball::exactly(1.3 * x, 100);
      const Ball over = curve.over(lo, hi), slopes = curve.slopes(lo, hi), growth = curve.growth_from(lo);
      const auto holds = [](const Ball& range, double y) {
        const double slack = 1e-5 * (1 + std::abs(y));
        return rough(Ball::exactly(range.lower(), 100)) <= y + slack &&
               rough(Ball::exactly(range.upper(), 100)) >= y - slack;
      };
      for (int i = 0; i <= 10; ++i) {
        const double y = x * (1 + 0.03 * i), step = 1e-5 * x;
        CHECK(holds(over, plain_beta(s, y)));
        if (i == 0 || i == 10) continue;
        const double slope = (plain_beta(s, y + step) - plain_beta(s, y - step)) / (2 * step);
        CHECK(holds(slopes, slope));
        if (growth.is_finite()) CHECK(holds(growth, y * slope / plain_beta(s, y)));
      }
    }
  }
}

}  // namespace critscale::random
