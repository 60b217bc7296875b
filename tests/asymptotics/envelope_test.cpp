// Phase diagrams: exact break points, phases and masses, against brute-force comparison.
#include "critscale/asymptotics/envelope.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "critscale/number/errors.hpp"

using namespace critscale;

namespace {

using Exact = std::vector<Rational>;

Rational operator""_r(const char* text, std::size_t size) { return parse_rational({text, size}); }
ProfileBand band(const char* r, const char* size) { return {parse_rational(r), parse_size(size)}; }

/// A random profile; small denominators make coincidences frequent.
Profile random_profile(std::mt19937_64& random) {
  const std::size_t levels = 1 + random() % 8;
  const long grid = 2 + static_cast<long>(random() % 11);
  std::multiset<Rational> theta, r;
  for (std::size_t l = 0; l < levels; ++l) {
    if (l + 1 < levels)
      theta.insert(Rational(static_cast<long>(random() % static_cast<std::uint64_t>(grid + 1)), grid));
    r.insert(Rational(static_cast<long>(random() % static_cast<std::uint64_t>(grid + 1)), grid));
  }
  theta.insert(Rational(1));
  Profile p;
  auto inner_product = r.rbegin();
  // Sizes with one theta double from level to level, ending in n.
  std::vector<Rational> thetas(theta.begin(), theta.end());
  for (std::size_t l = 0; l < levels; ++l) {
    const auto later = std::count(thetas.begin() + static_cast<long>(l) + 1, thetas.end(), thetas[l]);
    const auto earlier = std::count(thetas.begin(), thetas.begin() + static_cast<long>(l), thetas[l]);
    const PowerProduct c = thetas[l] == 1 ? PowerProduct::power(2, Rational(-later))
                                          : PowerProduct::power(2, Rational(earlier + 1));
    p.push_back({*inner_product++, {c, thetas[l]}});
  }
  return p;
}

std::vector<std::size_t> largest(const std::vector<Line>& all, const Rational& gamma) {
  Rational best = all[0].at(gamma);
  for (const Line& line : all) best = std::max(best, line.at(gamma));
  std::vector<std::size_t> r;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].at(gamma) == best) r.push_back(i);
  return r;
}

}  // namespace

TEST_CASE("the simplex has the threshold 1/(1-rho), decided exactly") {
  CHECK(thresholds(simplex_profile("1/3"_r)) == Exact{"3/2"_r});
  CHECK(thresholds(simplex_profile(0)) == Exact{1});
  CHECK(thresholds(simplex_profile(1)).empty());
  const auto t = thresholds(simplex_profile("1/3"_r));
  const Rational tiny(1, pow(Integer(10), 1000));
  CHECK(phase(t, "3/2"_r) == Phase::critical);
  CHECK(phase(t, "3/2"_r + tiny) == Phase::supercritical);
  CHECK(phase(t, "3/2"_r - tiny) == Phase::subcritical);
  CHECK(phase(thresholds(simplex_profile(1)), 5) == Phase::supercritical);
  CHECK(limit_masses(simplex_profile("1/3"_r), "3/2"_r) == Exact{"1/2"_r, "1/2"_r});
  CHECK(limit_masses(simplex_profile("1/3"_r), 1) == Exact{0, 1});
  CHECK(limit_masses(simplex_profile("1/3"_r), 2) == Exact{1, 0});
}

TEST_CASE("three bands: gamma_1 and gamma_2, the missing intermediate phase, three bands meeting") {
  const Profile p{band("4/5", "n^(1/2)"), band("1/5", "n")};
  CHECK(thresholds(p) == Exact{"5/6"_r, "5/2"_r});
  CHECK(phase(thresholds(p), "1"_r) == Phase::intermediate);
  CHECK(limit_masses(p, 1) == Exact{0, 1, 0});
  // (1-theta)(1-r) > theta (r-rho): one boundary, 1/(1-rho).
  CHECK(thresholds({band("2/5", "n^(1/2)"), band("1/5", "n")}) == Exact{"5/4"_r});
  // Equality: the three meet, with masses as the coefficients.
  const Profile meeting{band("3/5", "7*n^(1/2)"), band("1/5", "n")};
  CHECK(thresholds(meeting) == Exact{"5/4"_r});
  CHECK(Envelope(lines(meeting)).top("5/4"_r) == std::vector<std::size_t>{0, 1, 2});
  CHECK(limit_masses(meeting, "5/4"_r) == Exact{"1/9"_r, "7/9"_r, "1/9"_r});
}

TEST_CASE("exact ties share the self mass; a size that is a fixed part of n counts what it adds") {
  const Profile ties{band("1", "3"), band("1/3", "n")};
  CHECK(thresholds(ties) == Exact{"3/2"_r});
  CHECK(limit_masses(ties, "3/2"_r) == Exact{"1/4"_r, "1/2"_r, "1/4"_r});
  CHECK(limit_masses(ties, 2) == Exact{"1/3"_r, "2/3"_r, 0});
  const Profile half{band("1/2", "1/4*n"), band("1/2", "1/2*n"), band("1/4", "n")};
  CHECK(limit_masses(half, 0) == Exact{0, "1/4"_r, "1/4"_r, "1/2"_r});
  CHECK(limit_masses(half, "1/10"_r) == Exact{0, "1/2"_r, "1/2"_r, 0});
  CHECK(limit_masses(half, 2) == Exact{"2/3"_r, "1/6"_r, "1/6"_r, 0});
  CHECK(limit_masses(half, 3) == Exact{1, 0, 0, 0});
  CHECK(limit_masses({band("1", "n^(1/2)"), band("0", "n")}, 3) == Exact{0, 1, 0});
}

TEST_CASE("at outermost inner product 0 the output has thresholds of its own") {
  CHECK(forward_thresholds(simplex_profile(0), false) == Exact{"1/2"_r});
  CHECK(forward_thresholds(simplex_profile(0), true) == Exact{1});
  CHECK(forward_thresholds(simplex_profile("1/3"_r), false) == Exact{"3/2"_r});
  // Near band against far: n^(1/2 + gamma/2) and n^(3/4).
  CHECK(forward_thresholds({band("1/2", "n^(1/2)"), band("0", "n")}, false) == Exact{"1/2"_r, 1});
}

TEST_CASE("envelopes of random profiles agree with brute force on a fine grid") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 150; ++i) {
    const Profile p = random_profile(random);
    const std::vector<Line> all = lines(p);
    const Envelope e(all);
    INFO("profile " << i << " with " << p.size() << " bands");
    REQUIRE_NOTHROW(validate(p));
    REQUIRE(e.pieces().size() == e.breaks().size() + 1);
    CHECK(std::is_sorted(e.breaks().begin(), e.breaks().end()));
    std::set<Rational> grid(e.breaks().begin(), e.breaks().end());
    for (long k = 1; k <= 200; ++k) grid.insert(Rational(k, 37));
    for (const Rational& gamma : grid) {
      const auto expected = largest(all, gamma);
      REQUIRE(e.top(gamma) == expected);
      const auto position = std::lower_bound(e.breaks().begin(), e.breaks().end(), gamma);
      const auto k = static_cast<std::size_t>(position - e.breaks().begin());
      const bool on_break = position != e.breaks().end() && *position == gamma;
      // On a break point the lines differ in slope; elsewhere all that lead coincide.
      std::set<Rational> slopes;
      for (const std::size_t l : expected) slopes.insert(all[l].r);
      REQUIRE((slopes.size() > 1) == on_break);
      if (!on_break) REQUIRE(e.pieces()[k].top == expected);
      const auto masses = limit_masses(p, gamma);
      Rational sum = 0;
      for (std::size_t l = 0; l < masses.size(); ++l) {
        sum += masses[l];
        REQUIRE((masses[l] > 0) == (std::count(expected.begin(), expected.end(), l) == 1));
      }
      REQUIRE(sum == 1);
    }
  }
}

TEST_CASE("profiles that make no sense are refused") {
  CHECK_THROWS_AS(validate({}), InputError);
  CHECK_THROWS_AS(validate(simplex_profile("4/3"_r)), InputError);
  CHECK_THROWS_AS(validate(simplex_profile("-1/3"_r)), InputError);
  CHECK_THROWS_AS(validate({band("1/5", "n^(1/2)"), band("4/5", "n")}), InputError);
  CHECK_THROWS_AS(validate({band("4/5", "n"), band("1/5", "n")}), InputError);
  CHECK_THROWS_AS(validate({band("4/5", "1"), band("1/5", "n")}), InputError);
  CHECK_THROWS_AS(validate({band("4/5", "n^(1/2)")}), InputError);
  CHECK_THROWS_AS(validate({band("4/5", "2/3*n"), band("1/5", "n")}), InputError);
  CHECK_NOTHROW(validate({band("4/5", "2/3*n"), band("1/5", "n")}, true));
  CHECK_NOTHROW(validate({band("4/5", "10^12"), band("1/5", "n")}));
}
