// Random false claims, as in random_claims_test.cpp, about rows of which only counts and bounds are known:
// interval bands, and two to five nested ones. `test_proof "[.long]"` makes 20,000.
#include "checker/random_claims.hpp"

using namespace critscale;
using namespace critscale::test;
using nlohmann::json;

namespace {

/// A mass that one row of interval bands does not reach.
int false_row(Random& random) {
  struct Size {
    long cluster, n;
    Rational theta;
  };
  static const std::array<Size, 6> sizes{
      {{2, 4, {1, 2}}, {3, 9, {1, 2}}, {4, 16, {1, 2}}, {2, 8, {1, 3}}, {4, 8, {2, 3}}, {9, 27, {2, 3}}}};
  const auto& [cluster, n, theta] = sizes[random() % sizes.size()];
  const std::string phase = std::array{"far", "near", "self"}[random() % 3];
  const Rational gamma = fraction(random, 1, 240, 40), near_lo = fraction(random, -20, 39, 40),
                 near_hi = std::min(Rational(1), Rational(near_lo + fraction(random, 0, 8, 40))),
                 far_lo = fraction(random, -40, 36, 40),
                 far_hi = std::min(Rational(1), Rational(far_lo + fraction(random, 0, 8, 40)));
  const bool far = phase == "far", self = phase == "self";
  const Rational first = far    ? Rational(1 - theta - gamma * (near_hi - far_lo))
                         : self ? Rational(gamma * (1 - near_hi) - theta)
                                : Rational(gamma * (near_lo - far_hi) - (1 - theta)),
                 second = far    ? Rational(1 - gamma * (1 - far_lo))
                          : self ? Rational(gamma * (1 - far_hi) - 1)
                                 : Rational(theta - gamma * (1 - near_lo));
  const Rational least = std::min(first, second), most = std::max(first, second);
  const Rational r = phase == "near" ? near_lo : near_hi, rho = far ? far_lo : far_hi;
  if (least <= 0 || rho < 0 || r < rho) return 0;  // the witness is made of three bands
  // The keys where the dominating band weighs least and the others most, some of them anywhere.
  Vector inner;
  for (long j = 1; j < n; ++j) {
    const bool near_key = j < cluster, leads = near_key ? phase == "near" : far;
    const Real lo = real(near_key ? near_lo : far_lo), hi = real(near_key ? near_hi : far_hi);
    inner.push_back(random() % 8 == 0 ? lo + (hi - lo) * real(fraction(random, 0, 8, 8)) : leads ? lo : hi);
  }
  const Real log_n = std::log(static_cast<Real>(n));
  const ExplicitLayer layer = row_of(inner, real(gamma) * log_n);
  Real missing = 0;  // of the dominating mass
  for (long j = 0; j < n; ++j) {
    const bool leads = j == 0 ? self : j < cluster ? phase == "near" : far;
    if (!leads) missing += layer.A[0][static_cast<std::size_t>(j)];
  }
  if (missing < 1e-13L) return 0;
  json box{{"theta", point_range(theta)}, {"gap", {text_of(least), text_of(most)}}};
  if (random() % 3 == 0) box["gap"] = {text_of(least / 2), text_of(most + 1)};
  if (random() % 3 == 0) box["theta"] = {text_of(theta / 2), text_of((1 + theta) / 2)};
  const std::string mass = self ? "self_weight" : phase + "_mass";
  json claim{{"class", {{"name", "interval-bands"}, {"phase", phase}, {"box", box}}},
             {"quantity", mass},
             {"relation", ">="},
             {"bound", text_of(1 - near(missing * 0.999L))},
             {"N", std::to_string(n)}};
  const json witness{
      {"theta", text_of(theta)}, {"r", text_of(r)}, {"rho", text_of(rho)}, {"gamma", text_of(gamma)}};
  INFO(claim.dump());
  REQUIRE_FALSE(accepted("class", "C.2", claim, evidence_of({"theta", "gap", "x"}, witness, random)));
  claim["quantity"] = mass + "-1", claim["k"] = "gap", claim["p"] = 0;
  claim["bound"] = text_of(-near(missing * std::exp(real(least) * log_n) * 0.999L));
  REQUIRE_FALSE(accepted("class", "C.2", claim, evidence_of({"theta", "gap", "x"}, witness, random)));
  return 1;
}

/// A mass that one row of two to five bands does not reach. All sizes are powers of 2.
int false_nested_row(Random& random) {
  static const std::array<std::vector<long>, 6> all{
      {{1, 2}, {1, 3}, {1, 2, 4}, {1, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}}};
  const std::vector<long>& powers = all[random() % all.size()];  // of the clusters' sizes
  const std::size_t bands = powers.size(), lead = random() % (bands + 1);
  const long last = powers.back(), n = 1L << last;
  const Rational gamma = fraction(random, 1, 240, 40);
  std::vector<Rational> lo(bands), hi(bands), theta;
  json witness{{"gamma", text_of(gamma)}};
  for (std::size_t b = 0; b < bands; ++b) {
    theta.emplace_back(powers[b], last);
    lo[b] = (b == 0 ? Rational(1) : lo[b - 1]) * fraction(random, 8, 40, 40);
    hi[b] = std::min(Rational(1), Rational(lo[b] + fraction(random, 0, 4, 40)));
    // Of the interval, the end that the gaps speak of.
    witness[fmt::format("r[{}]", b)] = text_of(b + 1 == lead ? lo[b] : hi[b]);
    if (b + 1 < bands) witness[fmt::format("theta[{}]", b)] = text_of(theta[b]);
  }
  for (std::size_t b = 1; b < bands; ++b)  // the witness is made of nested bands
    if ((b == lead ? hi[b - 1] : b + 1 == lead ? lo[b - 1] : hi[b - 1]) < (b + 1 == lead ? lo[b] : hi[b]))
      return 0;
  const Rational leading = lead == 0 ? gamma : Rational(theta[lead - 1] + gamma * lo[lead - 1]);
  Rational gap = 1000;
  if (lead > 0) gap = leading - gamma;
  for (std::size_t b = 0; b < bands; ++b)
    if (b + 1 != lead) gap = std::min(gap, Rational(leading - theta[b] - gamma * hi[b]));
  if (gap <= 0) return 0;
  Vector inner;
  for (std::size_t b = 0; b < bands; ++b)
    for (long j = b == 0 ? 1 : 1L << powers[b - 1]; j < 1L << powers[b]; ++j)
      inner.push_back(real(random() % 8 == 0 ? Rational((lo[b] + hi[b]) / 2)
                           : b + 1 == lead   ? lo[b]
                                             : hi[b]));
  const Real log_n = std::log(static_cast<Real>(n));
  const ExplicitLayer layer = row_of(inner, real(gamma) * log_n);
  Real missing = 0;
  for (long j = 0; j < n; ++j) {
    std::size_t group = 0;
    while (group <= bands && j >= (group == 0 ? 1 : 1L << powers[group - 1])) ++group;
    if (group != lead) missing += layer.A[0][static_cast<std::size_t>(j)];
  }
  if (missing < 1e-13L) return 0;
  json box{{"gap", point_range(gap)}};
  if (random() % 3 == 0) box["gap"] = {text_of(gap / 2), text_of(gap + 1)};
  std::vector<std::string> coordinates;
  for (std::size_t b = 0; b + 1 < bands; ++b) {
    coordinates.push_back(fmt::format("theta[{}]", b));
    box[coordinates.back()] = point_range(theta[b]);
    if (random() % 3 == 0)
      box[coordinates.back()] = {text_of(theta[b] - Rational(1, 20)), text_of(theta[b] + Rational(1, 20))};
  }
  coordinates.insert(coordinates.end(), {"gap", "x"});
  json claim{{"class",
              {{"name", "nested-bands"},
               {"phase", lead == 0 ? std::string("self") : fmt::format("band[{}]", lead - 1)},
               {"box", box}}},
             {"quantity", "leading_mass"},
             {"relation", ">="},
             {"bound", text_of(1 - near(missing * 0.999L))},
             {"N", std::to_string(n)}};
  INFO(claim.dump());
  REQUIRE_FALSE(accepted("class", "C.2", claim, evidence_of(coordinates, witness, random)));
  claim["quantity"] = "leading_mass-1", claim["k"] = "gap", claim["p"] = 0;
  claim["bound"] = text_of(-near(missing * std::exp(real(gap) * log_n) * 0.999L));
  REQUIRE_FALSE(accepted("class", "C.2", claim, evidence_of(coordinates, witness, random)));
  return 1;
}

long check(long claims) {
  Random random(19);
  long made = 0;
  for (long i = 0; made < claims && i < 400 * claims; ++i)
    made += i % 4 == 0 ? false_row(random) : false_nested_row(random);
  return made;
}

}  // namespace

TEST_CASE("random claims about rows of bands that are false are rejected") { REQUIRE(check(600) >= 600); }

TEST_CASE("20,000 random claims about rows of bands that are false are rejected", "[.long]") {
  REQUIRE(check(20000) >= 20000);
}
