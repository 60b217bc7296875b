// Expectations over random keys: known values, laws, and other routes to the same numbers.
#include <catch2/catch.hpp>

#include <tuple>

#include "critscale/model/evaluate.hpp"
#include "critscale/number/detail/flint_special.hpp"
#include "critscale/random/detail/functions.hpp"
#include "random/support.hpp"

namespace critscale::random {

namespace {

using Transform = IntegrationOptions::Transform;

/// Rows on both sides of both lines, small and large.
std::vector<Row> rows() {
  return {row(sphere("2"), "2", "3"),
          row(sphere("3"), "10", "5"),
          row(sphere("12"), "2000", "14"),
          row(sphere("5/2"), "100", "50"),
          row(sphere("64"), "10^6", "1/2*log n"),
          row(sphere("1000000"), "10^6", "log n"),
          row(sphere("12", false), "500", "30"),
          row(sphere("3", false), "1000", "4"),
          row(gaussian("12"), "300", "9"),
          row(gaussian("1", false), "1000", "2*(log n)^(1/2)")};
}

/// E f(v) for keys on the sphere in R^m by Arb's own integration, which shares nothing with the rules under
/// test: v = cos x, f(v) = exp(-t exp(b (v - 1))).
struct Phi {
  Ball m, b, t;
};
int phi_integrand(acb_ptr out, const acb_t x, void* parameters, slong order, slong bits) {
  // Entire in x for whole m: holomorphic whatever the order.
  (void)order;
  const Phi& p = *static_cast<const Phi*>(parameters);
  acb_t v, s;
  acb_init(v);
  acb_init(s);
  acb_sin_cos(s, v, x, bits);
  acb_sub_ui(v, v, 1, bits);
  acb_mul_arb(v, v, p.b.raw(), bits);
  acb_exp(v, v, bits);
  acb_mul_arb(v, v, p.t.raw(), bits);
  acb_neg(v, v);
  acb_exp(v, v, bits);
  const long power = static_cast<long>(rough(p.m)) - 2;
  acb_pow_ui(s, s, static_cast<ulong>(power), bits);
  acb_mul(out, v, s, bits);
  acb_clear(v);
  acb_clear(s);
  return 0;
}
Ball phi_by_arb(long m, const Ball& b, const Ball& t, Bits bits) {
  Phi p{Ball(m, bits), b, t};
  acb_t from, to, r;
  acb_init(from);
  acb_init(to);
  acb_init(r);
  acb_const_pi(to, bits);
  mag_t tolerance;
  mag_init(tolerance);
  mag_set_ui_2exp_si(tolerance, 1, -bits);
  acb_calc_integrate(r, phi_integrand, &p, from, to, bits, tolerance, nullptr, bits);
  Ball integral(0, bits);
  arb_set(integral.raw(), acb_realref(r));
  acb_clear(from);
  acb_clear(to);
  acb_clear(r);
  mag_clear(tolerance);
  const Ball half = Ball(m, bits) / 2;
  return integral * exp(log_gamma(half) - log_gamma(half - Ball(Rational(1, 2), bits))) / sqrt(pi(bits));
}

}  // namespace

TEST_CASE("random: E A_ii, E A_ii^2 and the annealed sum have the values of an independent computation") {
  // By mpmath: the trapezoidal rule over t with phi from 400 moments, at 90 digits.
  const Row r = row(sphere("12"), "2000", "14");
  CHECK(agrees(one(r, Expectation::self_weight), "0.624191235703545410344516695"));
  CHECK(agrees(one(r, Expectation::self_weight2), "0.392498285401086142672700544"));
}

TEST_CASE("random: two precisions, two subdivisions and two transforms overlap") {
  for (const Row& r : rows()) {
    INFO(to_string(r.n) << " keys, aligned " << r.keys.aligned);
    const std::vector<Expectation> all = all_of(r.keys);
    const std::vector<Ball> value = expectations(r, all, 80), finer = expectations(r, all, 140);
    IntegrationOptions other;
    other.shift = 0.375;
    other.density = 1.3;
    other.nodes = {0.625, 1.2};
    other.transform = Transform::nodes;
    const std::vector<Ball> again = expectations(r, all, 80, other);
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO(name(all[i]));
      CHECK(value[i].accurate_bits() >= 70);
      CHECK(finer[i].accurate_bits() >= 130);
      CHECK(overlaps(value[i], finer[i]));
      CHECK(overlaps(value[i], again[i]));
      CHECK(again[i].accurate_bits() >= 70);
    }
  }
}

TEST_CASE("random: the transform agrees with Arb's integration and with the closed form of m = 3") {
  for (const long m : {2L, 3L, 5L, 12L}) {
    const Ball b = Ball(14, 200);
    const LawAt law = [m](Bits bits) { return WeightLaw{KeyLaw::sphere, Ball(m, bits), Ball(14, bits)}; };
    const auto nodes = laplace_by_nodes(law, 100), moments = laplace_by_moments(law, 100, 80);
    for (const long t : {1L, 7L, 60L}) {
      INFO("m = " << m << ", t = " << t);
      const Ball exact_t(t, 300), phi = phi_by_arb(m, b, Ball(t, 200), 200);
      CHECK(phi.accurate_bits() > 90);
      CHECK(overlaps(1 - phi, nodes->psi(exact_t)));
      CHECK(overlaps(1 - phi, moments->psi(exact_t)));
      CHECK(nodes->psi(exact_t).accurate_bits() > 85);
      if (m == 3) {
        // v is uniform: phi = (E1(t e^(-2 b)) - E1(t))/(2 b).
        Ball high(0, 200), low(0, 200);
        const Ball small = exact_t * exp(-(2 * b));
        arb_hypgeom_expint(high.raw(), Ball(1, 200).raw(), small.raw(), 200);
        arb_hypgeom_expint(low.raw(), Ball(1, 200).raw(), exact_t.raw(), 200);
        CHECK(overlaps(1 - (high - low) / (2 * b), nodes->psi(exact_t)));
      }
    }
  }
}

TEST_CASE("random: a rule with a broken error bound would be seen") {
  // Half the nodes that the accuracy needs: the stated error must grow to match, and still contain the value.
  const Row r = row(sphere("12"), "2000", "14");
  IntegrationOptions coarse;
  coarse.density = coarse.nodes.density = 0.5;
  coarse.transform = Transform::nodes;
  const Ball rough_value = one(r, Expectation::self_weight, 100, coarse);
  CHECK(rough_value.accurate_bits() < 70);
  CHECK(rough_value.contains(one(r, Expectation::self_weight, 140).center()));
}

TEST_CASE("random: two keys directly, as integrals of the row's own functions") {
  // n = 2, m = 3: A = 1/(1 + e^(b (v - 1))) with v uniform has mean (ln((1 + e^(2 b))/2) - ... )/(2 b), by
  // hand: 1/(1 + e^(-u)) over u = b (1 - v) in [0, 2 b] integrates to ln((1 + e^(2 b))/2)/(2 b).
  const Row r = row(sphere("3"), "2", "5");
  const Ball two_b(10, 200);
  CHECK(overlaps(one(r, Expectation::self_weight), log((1 + exp(two_b)) / 2) / two_b));
  // A^2 = A - A(1 - A) and A (1 - A) = dA/du: mean A^2 = mean A - (1/(1 + e^(-2 b)) - 1/2)/(2 b).
  const Ball mean2 =
      log((1 + exp(two_b)) / 2) / two_b - (1 / (1 + exp(-two_b)) - Ball(Rational(1, 2), 200)) / two_b;
  CHECK(overlaps(one(r, Expectation::self_weight2), mean2));
  // Without an aligned key two keys are as one with u = b (v_1 - v_2): A_1^2 + A_2^2 = 1 - 2 A_1 A_2.
  CHECK(agrees(one(row(sphere("3", false), "2", "0"), Expectation::collision), "0.5"));
}

TEST_CASE("random: beta = 0 makes every key equal") {
  for (const char* n : {"2", "10", "10^6", "10^1000"}) {
    const Row r = row(sphere("7"), n, "0");
    const Ball inverse = 1 / value(r.n, 200);
    CHECK(overlaps(one(r, Expectation::self_weight), inverse));
    CHECK(overlaps(one(r, Expectation::collision), inverse));
    CHECK(overlaps(one(r, Expectation::log_partition), log(r.n, 200)));
  }
}

TEST_CASE("random: the simplex is the limit of many dimensions, at the rate 1/m") {
  // The distance from the simplex's self weight falls by 1000 when m grows by 1000.
  Configuration simplex;
  simplex.geometry = Simplex{{0, 0}};
  simplex.n = simplex.d = parse_context_length("10^6");
  simplex.scale = critical_scale({1, 1});
  simplex.alpha = {0, 0};
  simplex.q = {1, 1};
  const Quantity self[] = {Quantity::self_weight};
  const Ball limit = evaluate(simplex, self, 200).quantities.at(0).values.at(0);
  Ball before(0, 64);
  for (const char* m : {"10^6", "10^9", "10^12"}) {
    const std::string digits(m + 3);
    const Row r = row(sphere("1" + std::string(std::stoul(digits), '0')), "10^6", "log n");
    const Ball distance = abs(one(r, Expectation::self_weight, 140) - limit);
    if (!before.contains_zero()) {
      const Ball ratio = before / distance;
      CHECK(certainly(greater(ratio, Ball(990, 64))));
      CHECK(certainly(less(ratio, Ball(1010, 64))));
    }
    before = distance;
  }
}

TEST_CASE("random: any size of n, at like cost") {
  for (const char* n : {"10^6", "10^1000", "10^100000"}) {
    const Row r = row(sphere("128"), n, "3/2*log n");
    for (const Ball& x : expectations(r, all_of(r.keys), 100)) CHECK(x.accurate_bits() > 90);
  }
  // m = kappa ln n, beyond and before the line g_self(5) = 1.1231...
  Keys k;
  k.kappa = 5;
  CHECK(certainly(
      greater(one(row(k, "10^1000", "6/5*log n"), Expectation::self_weight), Ball(Rational(99, 100), 64))));
  CHECK(certainly(
      less(one(row(k, "10^1000", "21/20*log n"), Expectation::self_weight), Ball(Rational(1, 100), 64))));
}

TEST_CASE("random: Gaussian keys at fixed kappa, with and without an aligned key, at any size of n") {
  for (const auto& [kappa, aligned, beta] : std::vector<std::tuple<long, bool, const char*>>{
           {8, true, "3/2*log n"}, {4, true, "1/2*log n"}, {1, false, "log n"}})
    for (const char* n : {"10^140", "10^1000"}) {
      Keys keys;
      keys.law = KeyLaw::gaussian;
      keys.kappa = kappa;
      keys.aligned = aligned;
      INFO("kappa = " << kappa << ", n = " << n);
      const Row r = row(keys, n, beta);
      for (const Ball& x : expectations(r, all_of(keys), 64)) CHECK(x.accurate_bits() > 54);
    }
}

TEST_CASE("random: a box of beta contains the values at its points") {
  Row box = row(sphere("12"), "2000", "0");
  box.scale = LogitScale{{0, 0}, 0, {13, 15}};
  const std::vector<Expectation> all = all_of(box.keys);
  const std::vector<Ball> boxed = certified_expectations(box, all, 10);
  for (const char* beta : {"13", "27/2", "14", "15"}) {
    const std::vector<Ball> point = expectations(row(sphere("12"), "2000", beta), all, 80);
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(boxed[i].contains(point[i].center()));
  }
  Row gauss = box;
  gauss.keys = gaussian("12");
  CHECK_THROWS_WITH(certified_expectations(gauss, {Expectation::self_weight}, 10),
                    Catch::Contains("not monotone"));
}

TEST_CASE("random: refusals name what is wrong") {
  const auto refused = [](const Keys& k, const char* n, const char* message) {
    CHECK_THROWS_WITH(validate(row(k, n, "1")), Catch::Contains(message));
  };
  refused(sphere("3/2"), "10", "dim must be at least 2");
  refused(sphere("4"), "1", "n must be at least 2");
  Keys k;
  k.kappa = 0;
  refused(k, "10", "kappa must be positive");
  k.kappa = Rational(1, 10);
  refused(k, "10", "kappa ln n, the keys' dimension, must be at least 2");
  k = Keys{};
  k.law = KeyLaw::gaussian;
  k.sigma = 0;
  refused(k, "10", "sigma must be positive");
  k.law = KeyLaw::sphere;
  k.sigma = 1;
  refused(k, "10", "sigma belongs to Gaussian keys");
  k = sphere("4");
  k.rho = 1;
  refused(k, "10", "rho must be at least 0 and below 1");
  refused(Keys{}, "10", "exactly one of dim");
  CHECK_THROWS_WITH(one(row(sphere("4", false), "10", "1"), Expectation::self_weight),
                    Catch::Contains("needs an aligned key"));
}

}  // namespace critscale::random
