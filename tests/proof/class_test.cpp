// Proved class claims hold on explicit configurations of the class, random and made as bad as can be; false
// ones are refuted. `test_proof "[.long]"` takes 10,000 configurations.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "critscale/layer/detail/gram.hpp"
#include "critscale/proof/class_claim.hpp"
#include "proof/claims.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

using Random = std::mt19937_64;
Rational fraction(Random& random, const RationalBox& range) {
  const auto kind = random() % 4;
  const Rational t = kind == 0   ? Rational(0)
                     : kind == 1 ? Rational(1)
                                 : Rational(static_cast<long>(random() % 65), 64);
  return range.lo + t * (range.hi - range.lo);
}

ClassClaim near_simplex(const std::string& theorem, const std::string& quantity, long N) {
  ClassClaim c;
  c.theorem = theorem;
  c.name = "near-simplex";
  c.quantity = quantity;
  c.relation = class_relation(quantity);
  c.N = N;
  c.box = {{"rho1", {R("1/5"), R("2/5")}}, {"spread", {0, R("1/5")}}, {"q", {R("1/2"), 2}}};
  c.box["alpha"] = theorem == "2.5" ? RationalBox{0, 0} : RationalBox{0, 2};
  c.box[class_ratio(quantity)] =
      class_ratio(quantity) == "gamma*(1-rho1)" ? RationalBox{0, R("9/10")} : RationalBox{R("11/10"), 5};
  return c;
}

/// A configuration of n tokens, every number exact. G = rho1 + (1 - rho1) H: H has ones on its diagonal and
/// is a convex mixture of the identity and Gram matrices of clusters, with entries up to spread/(1 - rho1).
struct Tokens {
  Rational rho1, spread, g, alpha;
  std::vector<Rational> norm;            ///< r_i, squares within q
  std::vector<std::vector<int>> groups;  ///< of each clustering, the cluster of every token
  std::vector<Rational> share;           ///< how much of the spread each clustering has, together at most 1
  Rational d_over_n;

  Rational product(std::size_t i, std::size_t j) const {
    if (i == j) return 1;
    Rational G = rho1;
    for (std::size_t k = 0; k < groups.size(); ++k)
      if (groups[k][i] == groups[k][j]) G += spread * share[k];
    return G;
  }
};

Tokens random_tokens(const ClassClaim& claim, Random& random) {
  const std::size_t n = 8 + random() % 5;
  Tokens t;
  t.rho1 = fraction(random, claim.box.at("rho1"));
  t.spread = fraction(random, claim.box.at("spread"));
  t.g = fraction(random, claim.box.at(class_ratio(claim.quantity)));
  t.alpha = fraction(random, claim.box.at("alpha"));
  t.d_over_n = 1 + static_cast<long>(random() % 3);
  // 5/7 and 7/5 are a little inside of sqrt(1/2) and sqrt 2.
  for (std::size_t i = 0; i < n; ++i) t.norm.push_back(fraction(random, {R("5/7"), R("7/5")}));
  Rational left = 1;
  for (std::size_t k = 1 + random() % 2; k > 0; --k) {
    std::vector<int> group;
    const int clusters = 1 + static_cast<int>(random() % 4);
    for (std::size_t i = 0; i < n; ++i)
      group.push_back(static_cast<int>(random() % static_cast<unsigned>(clusters)));
    t.groups.push_back(group);
    t.share.push_back(k == 1 ? left : fraction(random, {0, left}));
    left -= t.share.back();
  }
  return t;
}

/// One thing about a configuration changed.
Tokens changed(Tokens t, const ClassClaim& claim, Random& random) {
  const std::size_t i = random() % t.norm.size();
  switch (random() % 7) {
    case 0:
      t.rho1 = fraction(random, claim.box.at("rho1"));
      break;
    case 1:
      t.spread = fraction(random, claim.box.at("spread"));
      break;
    case 2:
      t.g = fraction(random, claim.box.at(class_ratio(claim.quantity)));
      break;
    case 3:
      t.alpha = fraction(random, claim.box.at("alpha"));
      break;
    case 4:
      t.norm[i] = fraction(random, {R("5/7"), R("7/5")});
      break;
    default:
      t.groups[random() % t.groups.size()][i] = static_cast<int>(random() % 4);
  }
  return t;
}

template <class Real>
GramLayer<Real> layer(const Tokens& t, const Real& beta, const Rational& alpha, const Real& d,
                      const std::function<Real(const Rational&)>& real) {
  const std::size_t n = t.norm.size();
  GramInputs<Real> in{SquareMatrix<Real>(n), {}, d, beta, real(alpha), SquareMatrix<bool>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    in.norm.push_back(real(t.norm[i]));
    for (std::size_t j = 0; j < n; ++j) in.G(i, j) = real(t.product(i, j)), in.tied(i, j) = i == j;
  }
  return GramLayer<Real>(std::move(in));
}

/// The worst value of the claim's quantity over all tokens and pairs.
template <class Real>
std::vector<Real> values(const ClassClaim& claim, const Tokens& t, const Real& log_n,
                         const std::function<Real(const Rational&)>& real) {
  const std::string& q = claim.quantity;
  const bool below = class_ratio(q) == "gamma*(1-rho1)";
  const long n = static_cast<long>(t.norm.size());
  const Real beta = real(t.g / (1 - t.rho1 - (below ? Rational(0) : t.spread))) * log_n;
  const Rational d = t.d_over_n * n;
  const auto L = layer<Real>(t, beta, t.alpha, real(d), real);
  if (q == "jacobian_norm/(1-1/d)") return {Real(L.jacobian_norm() / real(1 - 1 / d))};
  if (q.starts_with("jacobian_norm")) {
    const Real b = real(t.g) * log_n;
    return {Real(L.jacobian_norm() - b * b / real(claim.box.at("q").lo * d))};
  }
  std::vector<Real> all;
  for (std::size_t i = 0; i < t.norm.size(); ++i) {
    if (q == "attention_displacement") {
      // |m_i - y_i|^2 = Y_i - 2 <m_i, y_i> + 1, where |m_i + r_i y_i|^2 = Y_i + 2 r_i <m_i, y_i> + r_i^2.
      const auto plain = layer<Real>(t, beta, 0, real(d), real),
                 moved = layer<Real>(t, beta, 1, real(d), real);
      const Real r = real(t.norm[i]), Y = plain.output_norm2(i),
                 p = (moved.output_norm2(i) - Y - r * r) / (2 * r);
      all.push_back(sqrt(Real(Y - 2 * p + 1)));
      continue;
    }
    for (std::size_t j = 0; j < i; ++j) {
      const Real inner = L.inner_product(i, j), before = real(t.product(i, j));
      all.push_back(q == "inner_product_change" ? Real(abs(Real(inner - before)))
                                                : Real(inner - real(t.rho1)));
    }
  }
  return all;
}

/// How far the claim is from being violated, roughly.
double slack(const ClassClaim& claim, const Tokens& t) {
  constexpr Bits bits = 64;
  const std::function<Ball(const Rational&)> real = [](const Rational& v) { return Ball(v, bits); };
  const double bound = claim.bound.convert_to<double>();
  double worst = 1e300;
  for (const Ball& value : values<Ball>(claim, t, log(Ball(static_cast<long>(t.norm.size()), bits)), real)) {
    const double v = arf_get_d(value.upper().raw(), ARF_RND_NEAR);
    worst = std::min(worst, claim.relation == "<=" ? bound - v : v - bound);
  }
  return worst;
}

void check(const ClassClaim& claim, const Tokens& t) {
  constexpr Bits bits = 192;
  const std::function<Ball(const Rational&)> real = [](const Rational& v) { return Ball(v, bits); };
  const Ball bound(claim.bound, bits), log_n = log(Ball(static_cast<long>(t.norm.size()), bits));
  for (const Ball& v : values<Ball>(claim, t, log_n, real)) {
    INFO(claim.quantity << " with n = " << t.norm.size() << ", rho1 = " << to_string(t.rho1)
                        << ", spread = " << to_string(t.spread) << ", ratio " << to_string(t.g) << ", alpha "
                        << to_string(t.alpha));
    REQUIRE(certainly(claim.relation == "<=" ? less_equal(v, bound) : greater_equal(v, bound)));
  }
}

int check_class(ClassClaim claim, int configurations) {
  const ClassResult result = decide_class(claim, false, {});
  INFO(claim.quantity << ": " << result.detail);
  REQUIRE(result.proved);
  claim = result.claim;
  Random random(3);
  double least = 1e300;
  // A tenth as climbs of ten steps towards the bound.
  for (int i = 0; i < configurations; ++i) {
    Tokens t = random_tokens(claim, random);
    if (i % 10 == 0) {
      double at = slack(claim, t);
      for (int step = 0; step < 30; ++step) {
        Tokens other = changed(t, claim, random);
        const double there = slack(claim, other);
        if (there < at) at = there, t = std::move(other);
      }
      least = std::min(least, at);
    }
    check(claim, t);
  }
  WARN(claim.quantity << " " << claim.relation << " " << to_string(claim.bound) << ", least slack " << least);
  return configurations;
}

/// A row of interval bands: keys anywhere in their intervals, both exponent gaps at least the claim's.
void check_row(const ClassClaim& claim, Random& random) {
  const Bits bits = 256;
  const long root = 4 + static_cast<long>(random() % 60), n = root * root;  // n^(1/2) = root
  const Rational theta(1, 2), m = claim.box.at("gap").lo, more = fraction(random, {0, R("1/10")});
  const Rational width = fraction(random, {0, R("1/20")});
  // The ends of the intervals that the gaps of the phase speak of; the other ends lie beside them.
  Rational gamma = 3, near_lo, near_hi, far_lo, far_hi;
  if (claim.phase == "near") {
    near_lo = 1 - (theta - m - more) / gamma, near_hi = std::min(Rational(1), Rational(near_lo + width));
    far_hi = near_lo - (1 - theta + m + more) / gamma, far_lo = far_hi - width;
  } else if (claim.phase == "far") {
    far_lo = 1 - (1 - m - more) / gamma, far_hi = far_lo + width;
    near_hi = far_lo + (1 - theta - m - more) / gamma, near_lo = near_hi - width;
  } else {
    near_hi = 1 - (theta + m + more) / gamma, near_lo = near_hi - width;
    far_hi = 1 - (1 + m + more) / gamma, far_lo = far_hi - width;
  }
  const Ball beta = Ball(gamma, bits) * log(Ball(n, bits));
  const auto mass = [&](long keys, const RationalBox& range) {
    Ball sum(0, bits);
    for (long left = keys; left > 0;) {
      const long some = random() % 3 == 0 ? left : 1 + static_cast<long>(random()) % left;
      const long taken = std::max(1L, std::min(left, std::abs(some)));
      sum += taken * exp(beta * Ball(fraction(random, range), bits));
      left -= taken;
    }
    return sum;
  };
  const Ball self = exp(beta), near = mass(root - 1, {near_lo, near_hi}),
             far = mass(n - root, {far_lo, far_hi});
  const Ball leading = claim.phase == "near" ? near : claim.phase == "far" ? far : self;
  INFO(claim.phase << " n = " << n << " gap " << to_string(m + more) << " width " << to_string(width));
  REQUIRE(certainly(greater_equal(leading / (self + near + far), Ball(claim.bound, bits))));
}

int check_rows(const std::string& phase, int rows) {
  ClassClaim c;
  c.theorem = "C.2";
  c.name = "interval-bands";
  c.phase = phase;
  c.quantity = phase == "self" ? "self_weight" : phase + "_mass";
  c.relation = ">=";
  c.N = 16;
  c.box = {{"theta", {R("1/2"), R("1/2")}}, {"gap", {R("1/10"), 40}}};
  const ClassResult result = decide_class(c, false, {});
  REQUIRE(result.proved);
  Random random(5);
  for (int i = 0; i < rows; ++i) check_row(result.claim, random);
  return rows;
}

int check_classes(int each) {
  int all = 0;
  for (const char* quantity : {"inner_products-rho1", "attention_displacement", "inner_product_change"})
    all += check_class(near_simplex("2.3", quantity, 8), each);
  for (const char* quantity : {"jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", "jacobian_norm/(1-1/d)"})
    all += check_class(near_simplex("2.5", quantity, 8), each);
  for (const char* phase : {"far", "near", "self"}) all += check_rows(phase, each);
  return all;
}

}  // namespace

TEST_CASE("proved class claims hold on explicit configurations") { check_classes(30); }

TEST_CASE("proved class claims hold on 10,000 explicit configurations", "[.long]") {
  REQUIRE(check_classes(1250) >= 10000);
}

TEST_CASE("class claims with a false bound are refuted, with a bound that is not reached undecided") {
  ClassClaim c = near_simplex("2.3", "inner_products-rho1", 1000);
  c.bound = R("9/10");
  const ClassResult refuted = decide_class(c, true, {});
  CHECK(refuted.refuted);
  CHECK_FALSE(refuted.proved);
  for (const char* part : {"the simplex with n = d = 1000", "rho = ", "gamma = ", "lies in [", "below 9/10"})
    CHECK(refuted.detail.find(part) != std::string::npos);
  // What the inequalities give is proved; a little more is neither proved nor refuted.
  const ClassResult found = decide_class(near_simplex("2.3", "inner_products-rho1", 1000), false, {});
  REQUIRE(found.proved);
  c.bound = found.claim.bound * R("102/100");
  const ClassResult between = decide_class(c, true, {});
  CHECK_FALSE(between.refuted);
  CHECK_FALSE(between.proved);
  CHECK(between.detail.find("undecided") == 0);
  for (const char* quantity : {"attention_displacement", "inner_product_change"}) {
    ClassClaim d = near_simplex("2.3", quantity, 1000);
    d.bound = R("1/1000");
    CHECK(decide_class(d, true, {}).refuted);
  }
  ClassClaim below = near_simplex("2.5", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)", 1000);
  below.bound = R("1/1000000");
  CHECK(decide_class(below, true, {}).refuted);
  ClassClaim above = near_simplex("2.5", "jacobian_norm/(1-1/d)", 1000);
  above.bound = R("3/4");
  CHECK(decide_class(above, true, {}).refuted);
  for (const char* phase : {"far", "near", "self"}) {
    ClassClaim b;
    b.theorem = "C.2";
    b.name = "interval-bands";
    b.phase = phase;
    b.quantity = b.phase == "self" ? "self_weight" : b.phase + "_mass";
    b.relation = ">=";
    b.N = 1000;
    b.box = {{"theta", {R("1/4"), R("3/4")}}, {"gap", {R("1/10"), 40}}};
    b.bound = R("99/100");
    CHECK(decide_class(b, true, {}).refuted);
  }
}
