// Polynomials against their values at integer points.
#include "critscale/asymptotics/polynomial.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace critscale;
using detail::Polynomial;

namespace {

constexpr std::size_t variables = 3;

class Ring {
 public:
  Ring() { fmpz_mpoly_ctx_init(ring_, variables, ORD_LEX); }
  ~Ring() { fmpz_mpoly_ctx_clear(ring_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  detail::MonomialOrder get() const { return ring_; }

 private:
  fmpz_mpoly_ctx_t ring_;
};

/// The value at a point, from the terms alone.
Integer value(const Polynomial& p, const std::vector<Integer>& at) {
  Integer sum = 0;
  for (std::size_t t = 0; t < p.size(); ++t) {
    Integer term = p.coefficient(t);
    const std::vector<ulong> e = p.exponents(t);
    for (std::size_t v = 0; v < variables; ++v) term *= pow(at[v], static_cast<unsigned>(e[v]));
    sum += term;
  }
  return sum;
}

}  // namespace

TEST_CASE("sums, differences and products of polynomials have the values of their operands'") {
  const Ring ring;
  std::mt19937 engine(31);
  const auto below = [&](int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); };
  const auto draw = [&] {
    Polynomial p(ring.get());
    for (int t = below(6); t > 0; --t)
      p.push(Integer(below(19) - 9),
             {static_cast<ulong>(below(4)), static_cast<ulong>(below(3)), static_cast<ulong>(below(3))});
    p.finish();
    return p;
  };
  for (int round = 0; round < 300; ++round) {
    const Polynomial a = draw(), b = draw();
    const std::vector<Integer> at{Integer(below(9) - 4), Integer(below(9) - 4), Integer(1000 - below(2000))};
    CHECK(value(a + b, at) == value(a, at) + value(b, at));
    CHECK(value(a - b, at) == value(a, at) - value(b, at));
    CHECK(value(a * b, at) == value(a, at) * value(b, at));
    CHECK(value(-a, at) == -value(a, at));
    CHECK((a - a).is_zero());
    CHECK((a == b) == (a - b).is_zero());
  }
}

TEST_CASE("constants and variables are known for what they are") {
  const Ring ring;
  const Polynomial x = Polynomial::variable(ring.get(), 0), seven(ring.get(), Integer(7));
  CHECK(seven.is_constant());
  CHECK(seven.constant() == 7);
  CHECK_FALSE(seven.is_one());
  CHECK(Polynomial(ring.get(), Integer(1)).is_one());
  CHECK(x.contains(0));
  CHECK_FALSE(x.contains(1));
  CHECK_FALSE(x.is_constant());
  CHECK((x * x + seven).size() == 2);
  Polynomial copy = x, moved = std::move(copy);
  CHECK(moved == x);
  copy = seven;
  CHECK(copy == seven);
}
