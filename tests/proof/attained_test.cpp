// What configurations of a near-simplex class attain, found by an optimiser over Gram matrices, beside what
// is proved ([attained]). Tokens come in a few groups of equal tokens in general position to one another:
// every Gram matrix with a few distinct blocks. Formulas of its own, compared with explicit vectors.
// `test_proof "[attained]"` takes the table's effort.
#include <catch2/catch.hpp>
#include <random>

#include "checker/explicit_layer.hpp"
#include "critscale/proof/class_claim.hpp"
#include "proof/claims.hpp"

using namespace critscale;
using namespace critscale::test;

namespace {

using Random = std::mt19937_64;
Real uniform(Random& random) { return static_cast<Real>(random() >> 11) / static_cast<Real>(1ULL << 53); }
Real square(Real x) { return x * x; }

/// Groups of tokens: count, norm, and inner products between different tokens of two groups.
struct Groups {
  Vector count, norm;
  std::vector<Vector> inner;
  Real beta = 0, alpha = 0;
  std::size_t size() const { return count.size(); }
  Real tokens() const {
    Real n = 0;
    for (const Real c : count) n += c;
    return n;
  }
  /// Whether the Gram matrix is positive semidefinite: its part that is constant on groups, by Cholesky.
  bool is_gram() const {
    const std::size_t K = size();
    std::vector<Vector> M(K, Vector(K));
    for (std::size_t g = 0; g < K; ++g) {
      for (std::size_t h = 0; h < K; ++h) M[g][h] = std::sqrt(count[g] * count[h]) * inner[g][h];
      M[g][g] = 1 + (count[g] - 1) * inner[g][g];
    }
    for (std::size_t g = 0; g < K; ++g) {
      for (std::size_t h = 0; h < g; ++h) {
        for (std::size_t k = 0; k < h; ++k) M[g][h] -= M[g][k] * M[h][k];
        M[g][h] /= M[h][h];
      }
      for (std::size_t k = 0; k < g; ++k) M[g][g] -= square(M[g][k]);
      if (M[g][g] <= 1e-12L) return false;
      M[g][g] = std::sqrt(M[g][g]);
    }
    return true;
  }
  /// The same tokens with one of group g alone in front.
  Groups alone(std::size_t g) const {
    Groups s = *this;
    const auto front = [&](auto& list, const auto& v) { list.insert(list.begin(), v); };
    for (std::size_t h = 0; h < size(); ++h) front(s.inner[h], inner[h][g]);
    Vector row = inner[g];
    front(row, Real(1));
    front(s.inner, row);
    front(s.norm, norm[g]);
    s.count[g] -= 1;
    front(s.count, Real(1));
    return s;
  }
  /// The sum over pairs of tokens of u v f(inner product), a token with itself included.
  template <class F>
  Real form(const Vector& u, const Vector& v, F f) const {
    Real sum = 0;
    for (std::size_t g = 0; g < size(); ++g)
      for (std::size_t h = 0; h < size(); ++h)
        sum += g != h ? count[g] * count[h] * u[g] * v[h] * f(inner[g][h])
                      : count[g] * u[g] * v[g] * (f(Real(1)) + (count[g] - 1) * f(inner[g][g]));
    return sum;
  }
};

/// The row of the token that is group 0 alone.
struct GroupRow {
  Groups at;
  Vector A, p;  ///< weights, and <m, y_k>, by group
  Real Y = 0;   ///< |m|^2
  explicit GroupRow(Groups groups) : at(std::move(groups)), A(at.size()), p(at.size()) {
    Real Z = 0;
    for (std::size_t g = 0; g < at.size(); ++g) {
      A[g] = g == 0 ? 1 : std::exp(at.beta * (at.inner[0][g] - 1));
      Z += at.count[g] * A[g];
    }
    for (Real& a : A) a /= Z;
    for (std::size_t g = 0; g < at.size(); ++g) {
      for (std::size_t h = 0; h < at.size(); ++h) p[g] += at.count[h] * A[h] * at.inner[g][h];
      p[g] += A[g] * (1 - at.inner[g][g]);
      Y += at.count[g] * A[g] * p[g];
    }
  }
  Real displacement() const { return std::sqrt(std::max(Y - 2 * p[0] + 1, Real(0))); }
  /// The sum of the squares of the blocks of the derivative in this row, at alpha = 0.
  Real blocks(Real d) const {
    const Real beta = at.beta;
    Vector moved(at.size());
    Real along = 0, seen = 0, sum = 0;
    for (std::size_t g = 0; g < at.size(); ++g) {
      const Real G = g == 0 ? 1 : at.inner[0][g];
      moved[g] = A[g] * (G - p[0]);
      along += at.count[g] * A[g] * square(G - p[0]);
      seen += at.count[g] * A[g] * square(p[g]);
      if (g > 0)
        sum += at.count[g] * square(A[g] / at.norm[g]) *
               (d - 1 + 2 * beta * (G * p[g] - p[0]) + beta * beta * (1 - 2 * p[g] + Y) * (1 - G * G));
    }
    const Real C2 = at.form(A, A, square) - 2 * seen + Y * Y,
               V = C2 - at.form(moved, moved, [](Real x) { return x; });
    return sum +
           (A[0] * A[0] * (d - 1) + 2 * A[0] * beta * (1 - Y - along) + beta * beta * V) / square(at.norm[0]);
  }
};

Real jacobian_norm(const Groups& groups, Real d) {
  Real sum = 0;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (groups.count[g] > 0) sum += groups.count[g] * GroupRow(groups.alone(g)).blocks(d);
  return sum / (groups.tokens() * d);
}

/// <y'_i, y'_j> of the tokens that are the groups 0 and 1 alone.
Real inner_product(const Groups& groups) {
  Groups other = groups;
  std::swap(other.norm[0], other.norm[1]);
  std::swap(other.inner[0], other.inner[1]);
  for (Vector& row : other.inner) std::swap(row[0], row[1]);
  const GroupRow i(groups), j(other);
  Real cross = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) cross += groups.count[g] * i.A[g] * j.p[g < 2 ? 1 - g : g];
  const Real a = groups.alpha * groups.norm[0], b = groups.alpha * groups.norm[1];
  const auto norm2 = [](const GroupRow& r, Real s) { return r.Y + 2 * s * r.p[0] + s * s; };
  return (cross + a * j.p[1] + b * i.p[1] + a * b * groups.inner[0][1]) /
         std::sqrt(norm2(i, a) * norm2(j, b));
}

/// A configuration of the class by numbers in [0, 1].
struct Candidate {
  static constexpr std::size_t groups = 5, numbers = 4 + 3 + groups + groups * (groups + 1) / 2;
  Vector t;
  Groups at(const ClassClaim& claim, Real n) const {
    const auto in = [&](const char* name, Real u) {
      const RationalBox& r = claim.box.at(name);
      return r.lo.convert_to<Real>() + u * Rational(r.hi - r.lo).convert_to<Real>();
    };
    const std::string ratio = class_ratio(claim.quantity);
    const Real rho1 = in("rho1", t[0]), spread = in("spread", t[1]);
    Groups s;
    s.alpha = in("alpha", t[3]);
    s.beta = in(ratio.c_str(), t[2]) / (1 - rho1 - (ratio == "gamma*(1-rho1)" ? 0 : spread)) * std::log(n);
    const Real first = std::floor(1 + std::exp(t[4] * std::log(n / 3))),
               second = std::floor(1 + std::exp(t[5] * std::log(n / 3)));
    s.count = {1, 1, first, second, n - 2 - first - second};
    std::size_t k = 7;
    for (std::size_t g = 0; g < groups; ++g) s.norm.push_back(std::sqrt(in("q", t[k++])));
    s.inner.assign(groups, Vector(groups));
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t h = 0; h <= g; ++h) s.inner[g][h] = s.inner[h][g] = rho1 + spread * t[k++];
    return s;
  }
  /// From n to 10^6 n.
  Real dimension(Real n) const { return n * std::pow(Real(10), 6 * t[6]); }
  Real rho1(const ClassClaim& claim) const {
    const RationalBox& r = claim.box.at("rho1");
    return r.lo.convert_to<Real>() + t[0] * Rational(r.hi - r.lo).convert_to<Real>();
  }
};

/// The claim's quantity, so that larger is worse for the claim; nothing where the numbers are no
/// configuration.
std::optional<Real> badness(const ClassClaim& claim, const Candidate& c, Real n) {
  const Groups groups = c.at(claim, n);
  if (!groups.is_gram()) return std::nullopt;
  if (claim.quantity == "attention_displacement") return GroupRow(groups).displacement();
  if (claim.quantity == "inner_product_change") return std::abs(inner_product(groups) - groups.inner[0][1]);
  if (claim.quantity == "inner_products-rho1") return c.rho1(claim) - inner_product(groups);
  const Real q1 = claim.box.at("q").lo.convert_to<Real>(), d = c.dimension(n);
  return jacobian_norm(groups, d) - square(groups.beta * (1 - c.rho1(claim))) / (q1 * d);
}

/// Random configurations with corners over-represented, then changes of the best ones with falling steps.
Real attained(const ClassClaim& claim, Real n, int starts, int steps) {
  Random random(3);
  Real best = -1e30L;
  for (int start = 0; start < starts; ++start) {
    Candidate c;
    for (std::size_t i = 0; i < Candidate::numbers; ++i)
      c.t.push_back(random() % 2 == 0 ? static_cast<Real>(random() % 2) : uniform(random));
    std::optional<Real> at = badness(claim, c, n);
    for (int step = 0; step < steps; ++step) {
      Candidate other = c;
      const Real width = std::exp(-5 * static_cast<Real>(step) / static_cast<Real>(steps));
      for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
        Real& v = other.t[random() % Candidate::numbers];
        v = random() % 6 == 0 ? static_cast<Real>(random() % 2)
                              : std::clamp(v + width * (2 * uniform(random) - 1), Real(0), Real(1));
      }
      const auto v = badness(claim, other, n);
      if (v && (!at || *v >= *at)) c = std::move(other), at = v;
    }
    if (at) best = std::max(best, *at);
  }
  return best;
}

/// The class of cases/paper.toml.
ClassClaim paper_class(const std::string& theorem, const std::string& quantity) {
  ClassClaim c;
  c.theorem = theorem, c.name = "near-simplex", c.quantity = quantity, c.N = 1000;
  c.relation = class_relation(quantity);
  c.box = {{"rho1", {R("1/5"), R("2/5")}}, {"spread", {0, R("1/5")}}, {"q", {R("1/2"), 2}}};
  c.box["alpha"] = theorem == "2.5" ? RationalBox{0, 0} : RationalBox{0, 2};
  c.box[class_ratio(quantity)] =
      class_ratio(quantity) == "gamma*(1-rho1)" ? RationalBox{0, R("9/10")} : RationalBox{R("11/10"), 5};
  return c;
}

const std::pair<const char*, const char*> table[] = {
    {"2.3", "attention_displacement"},
    {"2.3", "inner_product_change"},
    {"2.3", "inner_products-rho1"},
    {"2.5", "jacobian_norm-(gamma*(1-rho1)*log(n))^2/(q1*d)"}};

void compare(int starts, int steps, Real ratio) {
  for (const auto& [theorem, quantity] : table) {
    const ClassClaim claim = paper_class(theorem, quantity);
    const ClassResult proved = decide_class(claim, false, {});
    REQUIRE(proved.proved);
    const Real bound = proved.claim.bound.convert_to<Real>(), found = attained(claim, 1000, starts, steps);
    const bool upper = claim.relation == "<=";
    INFO(quantity << ": attained " << static_cast<double>(found) << ", proved "
                  << static_cast<double>(bound));
    WARN(quantity << ": attained " << static_cast<double>(upper ? found : -found) << ", proved "
                  << static_cast<double>(bound));
    CHECK(found <= (upper ? bound : -bound) + 1e-12L);
    // Within this of each other (for ">=", -found is the smaller of two small positive numbers times it).
    CHECK((upper ? bound <= ratio * found : -found <= ratio * bound));
  }
}

}  // namespace

TEST_CASE("grouped formulas of the optimiser agree with explicit vectors") {
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    Groups s;
    s.count = {1, 1, 2, 3};
    s.beta = 3 * uniform(random), s.alpha = uniform(random);
    s.inner.assign(4, Vector(4));
    for (std::size_t g = 0; g < 4; ++g) {
      s.norm.push_back(0.5L + uniform(random));
      for (std::size_t h = 0; h <= g; ++h) s.inner[g][h] = s.inner[h][g] = 0.2L + 0.2L * uniform(random);
    }
    REQUIRE(s.is_gram());
    std::vector<std::size_t> group;
    Vector norm;
    for (std::size_t g = 0; g < 4; ++g)
      for (int k = 0; k < static_cast<int>(s.count[g]); ++k) group.push_back(g), norm.push_back(s.norm[g]);
    std::vector<Vector> G(7, Vector(7, 1));
    for (std::size_t a = 0; a < 7; ++a)
      for (std::size_t b = 0; b < 7; ++b)
        if (a != b) G[a][b] = s.inner[group[a]][group[b]];
    const ExplicitLayer layer(vectors_of(G, 8), norm, s.beta, s.alpha),
        bare(vectors_of(G, 8), norm, s.beta, 0);
    CHECK(std::abs(GroupRow(s).displacement() - layer.displacement(0)) < 1e-15L);
    CHECK(std::abs(inner_product(s) - layer.inner_product(0, 1)) < 1e-15L);
    CHECK(std::abs(jacobian_norm(s, 8) - bare.jacobian_norm()) < 1e-15L);
  }
}

TEST_CASE("no configuration that a short search finds exceeds what is proved of its class") {
  compare(2, 400, 1e6L);
}

TEST_CASE("what is attained is within the factor of the theory's table of what is proved",
          "[.long][attained]") {
  compare(60, 6000, 1.5L);
}
