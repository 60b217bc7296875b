// Transitions at finite n, the inverse question, and phase diagrams.
#include "critscale/asymptotics/boundary.hpp"

#include <catch2/catch.hpp>

#include "critscale/asymptotics/diagram.hpp"
#include "critscale/asymptotics/roots.hpp"
#include "critscale/text/print.hpp"

using namespace critscale;

namespace {

Rational operator""_r(const char* text, std::size_t size) { return parse_rational({text, size}); }
ProfileBand band(const char* r, const char* size) { return {parse_rational(r), parse_size(size)}; }
PowerProduct read_n(const char* text) { return parse_context_length(text); }

Configuration simplex_at(const Rational& rho, const PowerProduct& n) {
  return {Simplex{{rho, rho}}, n, critical_scale({1, 1}), {0, 0}, {1, 1}, n, false};
}

bool within(const Ball& x, const Ball& y, long bits) {
  return certainly(less(abs(x - y), scaled(abs(y) + Ball(1, 64), Integer(-bits))));
}

}  // namespace

TEST_CASE("the simplex's transition is ln(n-1)/(delta ln n), its distance log1p(-1/n)/(delta ln n)") {
  const Boundary b = boundaries(simplex_profile("1/3"_r)).at(0);
  CHECK(b.threshold == "3/2"_r);
  CHECK(name(b.flat) == "band 1");
  CHECK(name(b.steep) == "self");
  const Ball three_halves("3/2"_r, 256);
  for (const char* text : {"3", "1000", "10^40"}) {
    const PowerProduct n = read_n(text);
    const Ball expected = three_halves * log(Ball(Integer(n.to_integer() - 1), 256)) / log(n, 256);
    CHECK(within(transition(b, n, 256), expected, 240));
    CHECK(within(distance(b, n, 256) + expected, three_halves, 240));
  }
  CHECK(certainly(transition(b, read_n("2"), 128).is_zero()));
  // At n = 10^(10^15) the distance is n^-1/(delta ln n), and it keeps its digits.
  const PowerProduct huge = read_n("10^(10^15)");
  const Ball d = distance(b, huge, 256);
  CHECK(d.accurate_bits() > 200);
  CHECK(within(d * value(huge, 256) * log(huge, 256), three_halves, 200));
  const PowerLogTerm lead = leading_distance(b).value();
  CHECK(lead.coefficient.text() == "3/2");
  CHECK(lead.power == -1);
  CHECK(lead.log_power == -1);
}

TEST_CASE("at a transition both groups have equal mass") {
  const Profile p{band("4/5", "n^(1/2)"), band("1/5", "n")};
  const auto all = boundaries(p);
  REQUIRE(all.size() == 2);
  CHECK(all[0].threshold == "5/6"_r);
  CHECK(name(all[0].flat) == "band 2");
  CHECK(name(all[0].steep) == "band 1");
  CHECK(name(all[1].flat) == "band 1");
  CHECK(name(all[1].steep) == "self");
  const PowerProduct n = read_n("10^12");
  for (std::size_t k = 0; k < 2; ++k) {
    const Ball gamma = transition(all[k], n, 400);
    const RationalBox box{gamma.lower().to_rational(), gamma.upper().to_rational()};
    const Configuration c{Bands{{{{"4/5"_r, "4/5"_r}, read_n("10^6")}, {{"1/5"_r, "1/5"_r}, n}}},
                          n,
                          critical_scale({box.lo, box.lo}),
                          {0, 0},
                          {1, 1},
                          n,
                          false};
    const Quantity both[] = {Quantity::self_weight, Quantity::band_masses};
    const Evaluation e = evaluate(c, both, 300);
    const Ball& near = e.quantities[1].values[0];
    const Ball& other = k == 0 ? e.quantities[1].values[1] : e.quantities[0].values[0];
    CHECK(within(near, other, 200));
  }
  // Far n - n^(1/2) against near n^(1/2) - 1: the ratio is n^(1/2) exactly, so no distance at all.
  CHECK_FALSE(leading_distance(all[0]));
  CHECK(certainly(distance(all[0], n, 128).is_zero()));
  CHECK(certainly(distance(all[0], read_n("10^(10^15)"), 128).is_zero()));
  CHECK(leading_distance(all[1]).value().power == "-1/2"_r);
}

TEST_CASE("distances tend to their leading term, at lengths too large to be formed") {
  for (const char* size : {"n^(1/3)", "n^(3/4)", "3*n^(1/4)", "1/5*n"})
    for (const Boundary& b : boundaries({band("4/5", size), band("1/5", "n")})) {
      INFO(size << " at " << b.threshold);
      const PowerProduct n = read_n("10^(10^5)");
      const PowerLogTerm lead = leading_distance(b).value();
      CHECK(within(distance(b, n, 400) / value(lead, n, 400), Ball(1, 64), 50));
      const Ball sum = transition(b, n, 400000) + distance(b, n, 400000);
      CHECK(within(sum, Ball(b.threshold, 400000), 390000));
    }
}

TEST_CASE("factors and ties shift a transition by their logarithm") {
  const Boundary ties = boundaries({band("1", "3"), band("1/3", "n")}).at(0);
  CHECK(name(ties.steep) == "self with band 1");
  CHECK(leading_distance(ties).value().coefficient.text() == "3*ln(3)/2");
  CHECK(leading_distance(ties).value().power == 0);
  const PowerProduct n = read_n("10^30");
  CHECK(within(distance(ties, n, 200) * log(n, 200), Ball("3/2"_r, 200) * log(Ball(3, 200)), 90));
  // Bands with one inner product are one group.
  const auto merged = boundaries({band("1/2", "1/4*n"), band("1/2", "1/2*n"), band("1/4", "n")});
  REQUIRE(merged.size() == 1);
  CHECK(name(merged[0].flat) == "bands 1, 2");
  CHECK_THROWS_AS(
      transition(boundaries({band("4/5", "n^(1/2)"), band("1/5", "n")}).at(1), PowerProduct(1), 64),
      InputError);
}

TEST_CASE("every gamma with a given value is found, and certified") {
  const PowerProduct n = read_n("10^100");
  const Configuration c = simplex_at("1/3"_r, n);
  const auto half = gammas_with_value(c, {Quantity::self_weight, 0, "1/2"_r}, {0, 3}, 40);
  REQUIRE(half.size() == 1);
  CHECK(overlaps(half[0], transition(boundaries(simplex_profile("1/3"_r))[0], n, 256)));
  CHECK(has_digits(half[0], 40));
  const auto inner = gammas_with_value(c, {Quantity::inner_products, 0, "1/2"_r}, {0, 3}, 30);
  REQUIRE(inner.size() == 1);
  CHECK(certainly(greater(inner[0], half[0])));
  CHECK(gammas_with_value(c, {Quantity::inner_products, 0, "1/4"_r}, {0, 3}, 30).empty());
  // The near band's mass rises and falls: two solutions.
  const Configuration bands{Bands{{{{"4/5"_r, "4/5"_r}, read_n("10^50")}, {{"1/5"_r, "1/5"_r}, n}}},
                            n,
                            critical_scale({1, 1}),
                            {0, 0},
                            {1, 1},
                            n,
                            false};
  const auto near = gammas_with_value(bands, {Quantity::band_masses, 0, "1/3"_r}, {"1/10"_r, 4}, 30);
  REQUIRE(near.size() == 2);
  const auto all = boundaries({band("4/5", "n^(1/2)"), band("1/5", "n")});
  CHECK(within(near[0], Ball(all[0].threshold, 64), 6));
  CHECK(within(near[1], Ball(all[1].threshold, 64), 6));
  // At n = 10^(10^9) a transition is 10^-9 wide.
  const auto far = gammas_with_value(simplex_at("1/3"_r, read_n("10^(10^9)")),
                                     {Quantity::inner_products, 0, "1/2"_r}, {0, 3}, 30);
  REQUIRE(far.size() == 1);
  CHECK(within(far[0], Ball("3/2"_r, 64), 25));
}

TEST_CASE("what cannot be isolated is named") {
  const Configuration c = simplex_at("1/3"_r, read_n("10^6"));
  // A root at the end of the range is found: at gamma = 0 every weight is 1/n.
  const auto at_end = gammas_with_value(c, {Quantity::self_weight, 0, Rational(1, 1000000)}, {0, 1}, 20);
  REQUIRE(at_end.size() == 1);
  CHECK(at_end[0].contains_zero());
  CHECK_THROWS_WITH(gammas_with_value(simplex_at("1/3"_r, read_n("10^(10^20)")),
                                      {Quantity::self_weight, 0, "1/2"_r}, {0, 3}, 20),
                    Catch::Contains("interval arithmetic"));
  CHECK_THROWS_AS(gammas_with_value(c, {Quantity::self_weight, 0, "1/2"_r}, {2, 1}, 20), InputError);
  CHECK_THROWS_AS(gammas_with_value(c, {Quantity::self_weight, 1, "1/2"_r}, {0, 1}, 20), InputError);
}

TEST_CASE("phase diagrams have exact cells") {
  const Profile p{band("4/5", "n^(1/2)"), band("1/5", "n")};
  const auto cells = diagram(p, parse_diagram_parameter("theta1", 2), {"1/8"_r, "7/8"_r});
  // The intermediate phase begins where (1-theta)(1-r) = theta (r-rho): theta = 1/4.
  REQUIRE(cells.size() == 5);
  CHECK(cells[0].to == "1/4"_r);
  CHECK(cells[2].from == "1/4"_r);
  CHECK(*cells[0].upper.at_from == "5/4"_r);
  CHECK(*cells[0].upper.at_to == "5/4"_r);
  CHECK(*cells[2].upper.at_from == "5/4"_r);
  CHECK(*cells[2].upper.at_to == "5/24"_r);
  CHECK(cells[3].phase == Phase::intermediate);
  CHECK(name(cells[3].leader) == "band 1");
  CHECK(*cells[3].upper.at_to == "35/8"_r);
  CHECK_FALSE(cells[4].upper.at_to);
  // Every cell's leader has all mass inside the cell.
  for (const DiagramCell& cell : cells) {
    const Rational theta = (cell.from + cell.to) / 2;
    Profile middle = p;
    middle[0].size.exponent = theta;
    const auto t = thresholds(middle);
    std::vector<Rational> edges{0};
    edges.insert(edges.end(), t.begin(), t.end());
    edges.push_back(edges.back() + 1);
    const std::size_t k = cell.phase == Phase::subcritical    ? 0
                          : cell.phase == Phase::intermediate ? 1
                                                              : t.size();
    const auto masses = limit_masses(middle, (edges[k] + edges[k + 1]) / 2);
    CHECK(masses[cell.leader.bands.empty() ? 0 : cell.leader.bands[0]] == 1);
  }
  const auto simplex = diagram(simplex_profile(0), parse_diagram_parameter("rho", 1), {"0"_r, "1"_r});
  REQUIRE(simplex.size() == 2);
  CHECK(*simplex[0].upper.at_from == 1);
  CHECK_FALSE(simplex[0].upper.at_to);
  CHECK_THROWS_AS(parse_diagram_parameter("theta2", 2), InputError);
  CHECK_THROWS_AS(parse_diagram_parameter("gamma", 2), InputError);
  CHECK_THROWS_AS(diagram(p, parse_diagram_parameter("r1", 2), {"0"_r, "1"_r}), InputError);
}
