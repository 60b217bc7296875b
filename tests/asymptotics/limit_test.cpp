// Exact limits: the theorems' closed forms, derived; windows, ties, other geometries; and the
// expansions against certified values at large n.
#include "critscale/asymptotics/limit.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace critscale;

namespace {

Rational operator""_r(const char* text, std::size_t size) { return parse_rational({text, size}); }
ProfileBand band(const char* r, const char* size) { return {parse_rational(r), parse_size(size)}; }

LimitConfiguration simplex(const Rational& rho, const Rational& gamma) {
  LimitConfiguration c;
  c.profile = simplex_profile(rho);
  c.gamma = gamma;
  return c;
}
LimitConfiguration banded(Profile profile, const Rational& gamma) {
  LimitConfiguration c;
  c.profile = std::move(profile);
  c.simplex = false;
  c.gamma = gamma;
  return c;
}

/// The limits of one quantity.
std::vector<Limit> limits_of(const LimitConfiguration& c, Quantity q, std::size_t terms = 1) {
  return limits(c, std::vector{q}, terms).quantities.at(0).values;
}
Limit limit_of(const LimitConfiguration& c, Quantity q, std::size_t b = 0) { return limits_of(c, q).at(b); }
std::string text(const std::optional<Coefficient>& c) { return c ? c->text() : "none"; }
Rational number(const Limit& l) { return l.limit.value().rational().value(); }

/// The same layer at one n, for certified evaluation.
Configuration at(const LimitConfiguration& c, const PowerProduct& n) {
  Configuration r;
  if (c.simplex) {
    r.geometry = Simplex{{c.profile[0].r, c.profile[0].r}};
  } else {
    Bands bands;
    for (const auto& [inner, size] : c.profile) bands.bands.push_back({{inner, inner}, resolve(size, n)});
    r.geometry = bands;
  }
  r.n = n;
  r.scale = {{c.gamma, c.gamma}, Rational(1), {c.offset, c.offset}};
  r.alpha = {c.alpha, c.alpha};
  r.q = {c.q, c.q};
  r.d = resolve(c.d, n);
  r.analytic = true;
  return r;
}

}  // namespace

TEST_CASE("Theorem 2.1 and 2.4 with residual, derived exactly") {
  for (const Rational& rho : {"1/3"_r, "1/2"_r, "1/10"_r, "9/10"_r, "7/23"_r, "1/1000"_r})
    for (const Rational& alpha : {"0"_r, "1/3"_r, "1"_r, "2"_r})
      for (const Rational& q : {"1"_r, "2"_r, "1/4"_r})
        for (const Rational& ratio : {"1/2"_r, "1"_r, "3/2"_r}) {
          LimitConfiguration c = simplex(rho, ratio / (1 - rho));
          c.alpha = alpha;
          c.q = q;
          INFO("rho " << rho << " alpha " << alpha << " q " << q << " gamma/gamma_c " << ratio);
          const Limit inner = limit_of(c, Quantity::inner_products),
                      eta = limit_of(c, Quantity::jacobian_norm);
          Symbols& table = inner.limit->symbols();
          const auto k = [&](const Rational& v) { return table.constant(v); };
          const Coefficient s = k(alpha) * table.square_root(q), r = k(rho);
          const Coefficient up = r * (k(1) + s) * (k(1) + s);
          const Coefficient expected = ratio < 1    ? up / (s * s + k(2) * s * r + r)
                                       : ratio == 1 ? up / (s * s + s * (k(1) + r) + (k(1) + k(3) * r) / k(4))
                                                    : r;
          CHECK(*inner.limit == expected);
          REQUIRE(inner.closed_form);
          CHECK(overlaps(inner.closed_form->value(512), expected.value(512)));
          const Rational a = ratio < 1 ? 0 : ratio == 1 ? "1/2"_r : Rational(1);
          const Coefficient root = k(alpha) + k(a) / table.square_root(q);
          CHECK(overlaps(eta.limit->value(512), (root * root).value(512)));
          CHECK(text(eta.limit) == (root * root).text());
          CHECK(number(limit_of(c, Quantity::self_weight)) == a);
        }
}

TEST_CASE("limits are printed as closed forms") {
  CHECK(text(limit_of(simplex("1/3"_r, "3/2"_r), Quantity::inner_products).closed_form) == "4*rho/(1+3*rho)");
  CHECK(text(limit_of(simplex("1/3"_r, "3/2"_r), Quantity::inner_products).limit) == "2/3");
  CHECK(text(limit_of(simplex("1/3"_r, "1"_r), Quantity::log_partition).closed_form) == "1+rho*gamma");
  CHECK(text(limit_of(simplex("1/3"_r, "2"_r), Quantity::log_partition).closed_form) == "gamma");
  LimitConfiguration c = simplex("1/3"_r, "1"_r);
  c.alpha = "1/3"_r;
  c.q = 2;
  CHECK(text(limit_of(c, Quantity::inner_products).closed_form) ==
        "rho*(1+alpha*sqrt(q))^2/(rho+2*rho*alpha*sqrt(q)+alpha^2*q)");
  CHECK(
      limit_of(c, Quantity::inner_products).closed_form->latex() ==
      "\\frac{\\rho \\left(1+\\alpha \\sqrt{q}\\right)^{2}}{\\rho+2 \\rho \\alpha \\sqrt{q}+\\alpha^{2} q}");
}

TEST_CASE("rates and leading terms") {
  const Limit supercritical = limit_of(simplex("1/3"_r, "2"_r), Quantity::inner_products);
  CHECK(supercritical.terms.at(0).power == "-1/3"_r);
  CHECK(supercritical.terms.at(0).log_power == 0);
  CHECK(text(supercritical.terms.at(0).coefficient) == "4/9");
  // The beta^2 term of eta at gamma_c: (1/16) rho delta^2 gamma_c^2 (ln n)^2/n.
  const Limit eta = limit_of(simplex("1/3"_r, "3/2"_r), Quantity::jacobian_norm);
  CHECK(text(eta.terms.at(0).coefficient) == "1/48");
  CHECK(eta.terms.at(0).power == -1);
  CHECK(eta.terms.at(0).log_power == 2);
  const Limit z = limit_of(simplex("1/3"_r, "3/2"_r), Quantity::log_partition);
  CHECK_FALSE(z.limit);
  CHECK(text(z.terms.at(0).coefficient) == "3/2");
  CHECK(z.terms.at(0).log_power == 1);
  CHECK(
      text(limits_of(simplex("1/3"_r, "3/2"_r), Quantity::log_partition, 2).at(0).terms.at(1).coefficient) ==
      "ln(2)");
  // Exact ties stay exactly: identically equal, no rate.
  const Limit tied = limit_of(banded({band("1", "3"), band("1/3", "n")}, "1"_r), Quantity::inner_products, 0);
  CHECK(number(tied) == 1);
  CHECK(tied.complete);
  CHECK(tied.terms.empty());
  CHECK(limits(simplex(1, 2), std::vector{Quantity::angle_ratio}, 1).quantities.at(0).undefined);
}

TEST_CASE("gamma is critical exactly or not at all") {
  const Rational tiny(1, pow(Integer(10), 1000));
  const auto phase_at = [](const Rational& gamma) {
    return limits(simplex("1/3"_r, gamma), all_quantities(), 2).phase;
  };
  CHECK(phase_at("3/2"_r) == Phase::critical);
  CHECK(phase_at("3/2"_r + tiny) == Phase::supercritical);
  CHECK(phase_at("3/2"_r - tiny) == Phase::subcritical);
  const Limit l = limit_of(simplex("1/3"_r, "3/2"_r + tiny), Quantity::inner_products);
  CHECK(number(l) == "1/3"_r);
  CHECK(l.terms.at(0).power == -tiny * 2 / 3);
}

TEST_CASE("three bands in every phase ([phases])") {
  const Profile p{band("4/5", "n^(1/2)"), band("1/5", "n")};
  struct Row {
    const char* gamma;
    const char *near, *far, *eta;
  };
  for (const Row& row :
       {Row{"1/2", "1", "1", "0"}, Row{"5/3", "1", "1/4", "0"}, Row{"3", "4/5", "1/5", "1/2"}}) {
    LimitConfiguration c = banded(p, parse_rational(row.gamma));
    c.q = 2;
    const auto inner = limits_of(c, Quantity::inner_products);
    CHECK(number(inner.at(0)) == parse_rational(row.near));
    CHECK(number(inner.at(1)) == parse_rational(row.far));
    CHECK(number(limit_of(c, Quantity::jacobian_norm)) == parse_rational(row.eta));
  }
  CHECK(text(limit_of(banded(p, "5/3"_r), Quantity::inner_products, 1).closed_form) == "r2/r1");
}

TEST_CASE("limit masses are the exact shares where lines meet or coincide") {
  const Profile meeting{band("3/5", "7*n^(1/2)"), band("1/5", "n")};
  const Profile four{band("1", "3"), band("3/4", "5*n^(1/4)"), band("1/2", "6*n^(1/2)"), band("0", "n")};
  for (const auto& [profile, gamma] :
       {std::pair{meeting, "5/4"_r}, {meeting, "1"_r}, {four, "1"_r}, {four, 2}}) {
    const auto expected = limit_masses(profile, gamma);
    const LimitConfiguration c = banded(profile, gamma);
    CHECK(number(limit_of(c, Quantity::self_weight)) == expected[0]);
    const auto masses = limits_of(c, Quantity::band_masses);
    for (std::size_t b = 0; b < masses.size(); ++b) CHECK(number(masses[b]) == expected[b + 1]);
  }
  CHECK(limit_masses(four, 1) == std::vector{"1/15"_r, "2/15"_r, "1/3"_r, "2/5"_r, "1/15"_r});
}

TEST_CASE("K exact ties at the threshold ([interval-bands])") {
  for (const long K : {2L, 3L, 10L}) {
    const Rational rho = "1/3"_r;
    const LimitConfiguration c = banded({band("1", std::to_string(K).c_str()), band("1/3", "n")}, "3/2"_r);
    CHECK(number(limit_of(c, Quantity::self_weight)) == Rational(1, K + 1));
    const Limit far = limit_of(c, Quantity::inner_products, 1);
    CHECK(number(far) == rho * (K + 1) * (K + 1) / (K * K + 2 * K * rho + rho));
    CHECK(text(far.closed_form) == "r2*(1+N1)^2/(r2+2*r2*N1+N1^2)");
    LimitConfiguration beyond = c;
    beyond.gamma = 2;
    CHECK(number(limit_of(beyond, Quantity::jacobian_norm)) == Rational(1, K));
  }
}

TEST_CASE("rho = 0 has a forward threshold of its own") {
  CHECK(number(limit_of(simplex(0, "1/4"_r), Quantity::inner_products)) == 1);
  CHECK(number(limit_of(simplex(0, "1/2"_r), Quantity::inner_products)) == "1/2"_r);
  CHECK(number(limit_of(simplex(0, "3/4"_r), Quantity::inner_products)) == 0);
  CHECK(number(limit_of(simplex(0, 1), Quantity::self_weight)) == "1/2"_r);
  LimitConfiguration residual = simplex(0, "1/4"_r);
  residual.alpha = 1;
  CHECK(number(limit_of(residual, Quantity::inner_products)) == 0);
  const LimitResult r = limits(simplex(0, "1/2"_r), std::vector{Quantity::self_weight}, 1);
  CHECK(r.forward_thresholds == std::vector{"1/2"_r});
  CHECK(r.thresholds == std::vector{Rational(1)});
}

TEST_CASE("the window beta = gamma_c ln n + b ([simplex-finite])") {
  LimitConfiguration c = simplex("1/3"_r, "3/2"_r);
  c.offset = 2;
  const Limit a = limit_of(c, Quantity::self_weight);
  CHECK(text(a.limit) == "1/(1+exp(-4/3))");
  CHECK(text(a.closed_form) == "1/(1+exp(-b*(1-rho)))");
  const Limit inner = limit_of(c, Quantity::inner_products);
  const PowerProduct n = PowerProduct::power(10, 300);
  for (const Quantity q : {Quantity::self_weight, Quantity::inner_products}) {
    const Ball numeric = evaluate(at(c, n), std::vector{q}, 1200).quantities.at(0).values.at(0);
    const Limit l = limit_of(c, q);
    CHECK(certainly(less(abs(numeric - l.limit->value(1200)), exp(-600 * Ball(1, 1200)))));
  }
  // The inner product as a function of a: c^2 rho + ... with c = a at alpha = 0.
  Symbols& s = inner.limit->symbols();
  const auto k = [&](const Rational& v) { return s.constant(v); };
  const Coefficient w = s.exponential(k("-4/3"_r)), mass = k(1) / (k(1) + w), rho = k("1/3"_r);
  CHECK(*inner.limit ==
        rho / (mass * mass + k(2) * mass * (k(1) - mass) * rho + (k(1) - mass) * (k(1) - mass) * rho));
}

TEST_CASE("expansions agree with certified values: the remainder is the next term") {
  std::vector<LimitConfiguration> cases;
  for (const char* gamma : {"1", "3/2", "2"}) {
    cases.push_back(simplex("1/3"_r, parse_rational(gamma)));
    cases.push_back(cases.back());
    cases.back().alpha = "1/3"_r;
    cases.back().q = 2;
  }
  cases.push_back(simplex(0, "1/2"_r));
  cases.push_back(simplex("2/5"_r, "5/3"_r));
  cases.back().offset = -1;
  for (const char* gamma : {"1/2", "5/6", "2", "5/2", "3"})
    cases.push_back(banded({band("4/5", "n^(1/2)"), band("1/5", "n")}, parse_rational(gamma)));
  cases.back().alpha = "1/2"_r;
  cases.push_back(banded({band("1", "3"), band("1/3", "n")}, "3/2"_r));
  cases.push_back(
      banded({band("9/10", "4"), band("3/5", "7*n^(1/2)"), band("1/5", "1/2*n"), band("0", "n")}, "5/4"_r));
  // Offsets whose exponentials cancel: exp(-1/2) = exp(-1/4)^2, and one that does not divide.
  cases.push_back(banded({band("3/4", "n^(1/2)"), band("1/2", "n")}, 3));
  cases.back().offset = 1;
  cases.push_back(banded({band("4/5", "n^(1/2)"), band("1/5", "n")}, "5/6"_r));
  cases.back().offset = "1/2"_r;
  const std::vector<PowerProduct> lengths{PowerProduct::power(10, 50), PowerProduct::power(10, 500),
                                          PowerProduct::power(10, 5000)};
  for (const LimitConfiguration& c : cases) {
    INFO("r " << c.profile[0].r << ", bands " << c.profile.size() << ", gamma " << c.gamma << ", alpha "
              << c.alpha);
    const LimitResult r = limits(c, all_quantities(), 4);
    std::vector<Ball> previous;
    for (const PowerProduct& n : lengths) {
      // Remainders go down to about n^-5.
      const Bits bits = 1000 + 7 * static_cast<Bits>(msb(n.to_integer()));
      const Evaluation e = evaluate(at(c, n), all_quantities(), bits);
      std::vector<Ball> errors;
      for (std::size_t i = 0; i < r.quantities.size(); ++i)
        for (std::size_t b = 0; b < r.quantities[i].values.size(); ++b) {
          const Limit& l = r.quantities[i].values[b];
          INFO(name(r.quantities[i].quantity) << "[" << b << "] at n = " << n.to_string());
          const Ball& x = e.quantities[i].values[b];
          Ball remainder = x - value(l, 0, n, bits);
          for (std::size_t K = 0; K <= 3 && K < l.terms.size(); ++K) {
            const Ball term = value(l.terms[K], n, bits);
            if (K > 0) errors.push_back(abs(remainder / term - 1));
            remainder -= term;
          }
          if (l.complete) REQUIRE(remainder.contains_zero());
        }
      // The ratio tends to 1, at worst like 1/ln n.
      for (std::size_t i = 0; i < errors.size(); ++i) {
        INFO("ratio " << i << " at n = " << n.to_string());
        REQUIRE(errors[i].is_finite());
        REQUIRE(certainly(less(errors[i] * log(n, bits), Ball(1000, bits))));
        if (!previous.empty())
          REQUIRE((errors[i].contains_zero() || certainly(less(2 * errors[i], previous[i]))));
      }
      previous = errors;
    }
  }
}

TEST_CASE("exponentials of the offset that cancel do not leave a limit undecided") {
  for (const auto& [r1, r2, gamma, b] : {std::tuple{"3/4", "1/2", "3", "1"},
                                         {"9/10", "4/5", "6", "2"},
                                         {"2/3", "1/3", "7/2", "-1"},
                                         {"3/5", "1/5", "3/2", "3"},
                                         {"4/5", "2/5", "10", "1/3"}}) {
    LimitConfiguration c = banded({band(r1, "n^(1/2)"), band(r2, "n")}, parse_rational(gamma));
    c.offset = parse_rational(b);
    INFO(r1 << ", " << r2 << ", gamma " << gamma << ", b " << b);
    CHECK_NOTHROW(limits(c, all_quantities(), 4));
  }
}

TEST_CASE("limits refuse what has no meaning") {
  const auto refused = [](LimitConfiguration c) {
    CHECK_THROWS_AS(limits(c, std::vector{Quantity::self_weight}, 1), InputError);
  };
  LimitConfiguration good = simplex("1/3"_r, 1), c = good;
  CHECK_NOTHROW(limits(good, std::vector{Quantity::self_weight}, 1));
  c.alpha = -1;
  refused(c);
  c = good;
  c.q = 0;
  refused(c);
  c = good;
  c.gamma = -1;
  refused(c);
  c = good;
  c.gamma = 0;
  c.offset = -1;
  refused(c);
  for (const char* d : {"512", "n^(1/2)", "1/2*n"}) {
    c = good;
    c.d = parse_size(d);
    refused(c);
  }
  c = good;
  c.d = parse_size("n^(3/2)");
  CHECK_NOTHROW(limits(c, std::vector{Quantity::jacobian_norm}, 1));
  CHECK_THROWS_AS(limits(good, std::vector{Quantity::self_weight}, 0), InputError);
  CHECK_THROWS_AS(limits(good, std::vector{Quantity::self_weight}, 1000), InputError);
}
