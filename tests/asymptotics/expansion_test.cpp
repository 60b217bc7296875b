// Coefficients and expansions: exact laws, and values at large n against certified arithmetic.
#include "critscale/asymptotics/expansion.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace critscale;

namespace {

constexpr std::size_t size = 12;

Expansion term(Symbols& s, const Rational& c, const Rational& e) { return {s.constant(c), e, size}; }

/// A random exact expansion with positive leading coefficient.
Expansion random_expansion(std::mt19937_64& random, Symbols& s, bool with_log) {
  const auto pick = [&](long n) { return static_cast<long>(random() % static_cast<std::uint64_t>(n)); };
  Expansion r = term(s, 1 + pick(5), Rational(pick(5), 1 + pick(3)) + 3);
  for (long k = pick(4); k > 0; --k) {
    Coefficient c = s.constant(Rational(pick(9) - 4, 1 + pick(4))) + s.square_root(2);
    if (with_log && pick(2) == 0) c = c * s.log_n();
    r += Expansion(c, Rational(pick(7) - 4, 1 + pick(3)), size);
  }
  return r;
}

Ball value(const Expansion& x, const Ball& log_n) {
  Ball sum(0, log_n.precision());
  for (const auto& t : x.terms())
    sum += t.coefficient.value(log_n.precision(), &log_n) * exp(Ball(t.exponent, log_n.precision()) * log_n);
  return sum;
}

/// Checks that x and the truncated expansion e differ by less than the first unknown power allows.
void check_value(const Expansion& e, const Ball& x, const Ball& log_n) {
  const Ball difference = abs(x - value(e, log_n));
  if (e.is_exact()) {
    CHECK(difference.contains_zero());
    return;
  }
  const Ball bound = exp(Ball(*e.cutoff(), log_n.precision()) * log_n) * pow(log_n, Integer(12));
  CHECK(certainly(less(difference, bound)));
}

}  // namespace

TEST_CASE("coefficients are reduced exactly: roots, fractions, logarithms, exponentials") {
  const auto s = Symbols::create(16);
  const Coefficient root = s->square_root(Rational(1, 2));
  CHECK(root * root == s->constant(Rational(1, 2)));
  CHECK(root.text() == "sqrt(2)/2");
  CHECK(s->constant(1) / (s->constant(1) + root) == s->constant(2) - s->square_root(2));
  CHECK(s->square_root(Rational(9, 4)).rational() == Rational(3, 2));
  CHECK(s->logarithm(s->constant(Rational(8, 9))).text() == "3*ln(2)-2*ln(3)");
  const Coefficient e = s->exponential(s->constant(Rational(-4, 3)));
  CHECK(s->logarithm(s->constant(6) * e) ==
        s->logarithm(s->constant(2)) + s->logarithm(s->constant(3)) - s->constant(Rational(4, 3)));
  CHECK((s->constant(1) / (s->constant(1) + e)).text() == "1/(1+exp(-4/3))");
  CHECK((e - e).is_zero());
  CHECK_FALSE((e - e).is_certainly_nonzero());
  CHECK((e - s->constant(Rational(1, 4))).is_certainly_nonzero());
  CHECK_THROWS_AS(e / s->constant(0), UndefinedError);
  // ln 6 entered as a symbol of its own is not told from ln 2 + ln 3, and that is said.
  const Coefficient six = s->symbol({"ln6", "ln6", [](Bits bits) { return log(Ball(6, bits)); }});
  CHECK_FALSE((six - s->logarithm(s->constant(6))).is_zero());
  CHECK_FALSE((six - s->logarithm(s->constant(6))).is_certainly_nonzero());
  CHECK(s->number(PowerProduct::power(10, Rational(pow(Integer(10), 15)))).text() == "10^(10^15)");
}

TEST_CASE("coefficients are written in factored form") {
  const auto s = Symbols::create(8);
  const auto symbol = [&](const char* name) {
    return s->symbol({name, std::string("\\") + name, [](Bits bits) { return Ball(1, bits) / 3; }});
  };
  const Coefficient rho = symbol("rho"), one = s->constant(1), four = s->constant(4);
  CHECK((four * rho / (one + s->constant(3) * rho)).text() == "4*rho/(1+3*rho)");
  CHECK((four * rho / (one + s->constant(3) * rho)).latex() == "\\frac{4 \\rho}{1+3 \\rho}");
  CHECK(((one - rho) / four).text() == "(1-rho)/4");
  CHECK(((rho - one) / four).text() == "(rho-1)/4");
  CHECK((-(one + rho) * (one + rho) / (four * rho)).text() == "-(1+rho)^2/(4*rho)");
  CHECK((one - rho).is_sum());
  CHECK_FALSE((rho / (one - rho)).is_sum());
}

TEST_CASE("what a truncation left out is not taken for zero") {
  const auto s = Symbols::create(8);
  const Expansion x = 1 / (1 + term(*s, 1, Rational(-1, 2)));
  REQUIRE(x.terms().size() == size);
  REQUIRE_FALSE(x.is_exact());
  CHECK(*x.cutoff() == Rational(-static_cast<long>(size), 2));
  const Expansion difference = x - x;
  CHECK(difference.terms().empty());
  CHECK_FALSE(difference.is_exactly_zero());
  CHECK(*difference.cutoff() == *x.cutoff());
  CHECK_THROWS_AS(1 / difference, TooFewTerms);
  CHECK_THROWS_AS(1 / (term(*s, 1, 0) - 1), UndefinedError);
  // Multiplied by n^3, the unknown part moves along.
  CHECK(*(difference * term(*s, 1, 3)).cutoff() == *x.cutoff() + 3);
  CHECK(*(term(*s, 1, 3) * difference).cutoff() == *x.cutoff() + 3);
  CHECK(*(term(*s, 1, 3) / x).cutoff() == *x.cutoff() + 3);
  CHECK(*(x * x).cutoff() == *x.cutoff());
  // A division that ends is exact.
  CHECK(((term(*s, 1, 1) + 1) * (term(*s, 1, -1) - 1) / (term(*s, 1, 1) + 1)).is_exact());
  CHECK((x + term(*s, 1, -20)).terms().size() == size);
}

TEST_CASE("expansions follow the laws of arithmetic and the values of certified arithmetic") {
  std::mt19937_64 random(4);
  const Ball log_n = log(PowerProduct::power(10, 200), 60000);
  for (int i = 0; i < 15; ++i) {
    const auto s = Symbols::create(16);
    const Expansion a = random_expansion(random, *s, true), b = random_expansion(random, *s, false);
    INFO("pair " << i);
    const Ball x = value(a, log_n), y = value(b, log_n);
    check_value(a + b, x + y, log_n);
    check_value(a * b, x * y, log_n);
    check_value(a / b, x / y, log_n);
    check_value(a / b * b, x, log_n);
    check_value(log1p(b), log1p(y), log_n);
    check_value(log1p(b / term(*s, 1, 9)), log1p(y * exp(-9 * log_n)), log_n);
    check_value(7 - a, 7 - x, log_n);
    // ln(uv) = ln u + ln v.
    const Expansion u = b, v = 1 / (1 + b);
    const Expansion zero = log1p(u * v - 1) - log1p(u - 1) - log1p(v - 1);
    for (const auto& t : zero.terms()) CHECK_FALSE(t.coefficient.is_certainly_nonzero());
    CHECK((zero.is_exact() || *zero.cutoff() < -1));
  }
}
