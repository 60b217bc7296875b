// Gap counting on rows solved by hand, and its bounds against the weights themselves.
#include <catch2/catch.hpp>

#include "critscale/text/print.hpp"
#include "number/random_intervals.hpp"
#include "tokens/token_sets.hpp"

namespace {

using namespace token_test;

std::vector<Ball> balls(std::initializer_list<Rational> values) {
  std::vector<Ball> r;
  for (const Rational& v : values) r.emplace_back(v, 128);
  return r;
}

void check_equals(const Ball& x, const Ball& exact) {
  INFO(print(x, 30).lo << " .. " << print(x, 30).hi << " against " << print(exact, 30).lo);
  CHECK(overlaps(x, exact));
  CHECK(has_digits(x, 9));
}

}  // namespace

TEST_CASE("rows whose supremum is known") {
  const Ball ln2 = log(Ball(2, 128)), ln4 = log(Ball(4, 128));
  // N(1/2) = 2, N(1) = 3: ln 2/(1/2) > ln 3.
  RowGaps row = count_gaps(balls({1, Rational(1, 2)}), 128);
  check_equals(*row.lambda, 2L * ln2);
  check_equals(*row.contact, Ball(Rational(1, 2), 128));
  // All gaps equal: the whole row counts, as in the simplex.
  row = count_gaps(balls({Rational(1, 3), Rational(1, 3), Rational(1, 3)}), 128);
  check_equals(*row.lambda, 3L * ln4);
  check_equals(*row.contact, Ball(Rational(1, 3), 128));
  // One key very near makes Lambda huge.
  row = count_gaps(balls({Rational(1, 1000000), 1, 1, 1}), 128);
  check_equals(*row.lambda, 1000000L * ln2);
  // A key at the maximum: infinite.
  CHECK_FALSE(count_gaps(balls({0, 1}), 128).lambda);
  // The same from doubles.
  const std::vector<double> logarithms = gap_logarithms(4);
  check_equals(*count_gaps({0.5, 0.25, 1}, {0.5, 0.25, 1}, logarithms).lambda, 4L * ln2);
  CHECK_FALSE(count_gaps({0, 0.25, 1}, {0, 0.25, 1}, logarithms).lambda);
  // Wide enclosures: the second key may be at 1/4 or at 1/2, and then the third decides.
  const RowGaps wide = count_gaps({0.25, 0.75, 0.75}, {0.5, 0.75, 0.75}, logarithms);
  CHECK(wide.lambda->contains(Rational(277258872, 100000000)));
  CHECK(wide.lambda->contains(Rational(184839249, 100000000)));
}

TEST_CASE("tokens: Lambda_i of orthogonal tokens is ln n, of duplicates infinite") {
  std::vector<double> x(25);
  for (std::size_t i = 0; i < 5; ++i) x[6 * i] = 1;
  for (const long digits : {8L, 30L}) {
    const TokenModel model(TokenSet(5, 5, x));
    for (const RowGaps& row : model.gap_counting(digits)) check_equals(*row.lambda, log(Ball(5, 128)));
    const TokenModel pairs(TokenSet(4, 2, std::vector<double>{1, 2, 2, 4, -1, 3, 5, 5}));
    const std::vector<RowGaps> rows = pairs.gap_counting(digits);
    CHECK_FALSE(rows[0].lambda);
    CHECK_FALSE(rows[1].lambda);
    CHECK(rows[2].lambda);
    const Summary s = summarise({rows[0].lambda, rows[1].lambda, rows[2].lambda, rows[3].lambda}, 128);
    CHECK(s.min);
    CHECK_FALSE(s.median);
    CHECK_FALSE(s.max);
  }
}

TEST_CASE("both arithmetics count the same gaps") {
  for (const NamedTokens& named : hard_token_sets(12, 4, 9)) {
    INFO(named.name);
    const TokenModel model(named.tokens);
    const std::vector<RowGaps> rough = model.gap_counting(7), fine = model.gap_counting(30);
    for (std::size_t i = 0; i < rough.size(); ++i) {
      REQUIRE(rough[i].lambda.has_value() == fine[i].lambda.has_value());
      if (!fine[i].lambda) continue;
      CHECK(rough[i].lambda->contains(*fine[i].lambda));
      CHECK(rough[i].contact->contains(*fine[i].contact));
    }
  }
}

TEST_CASE("gap counting in doubles first finds the same gaps") {
  test::Random random(41);
  for (int round = 0; round < 400; ++round) {
    const auto n = static_cast<std::size_t>(2 + random.below(60));
    const long spread = random.below(3) == 0 ? 1100 : 3;
    std::vector<Ball> gaps;
    for (std::size_t m = 0; m + 1 < n; ++m) {
      Ball x =
          scaled(Ball(1 + random.below(random.below(2) ? 4 : 1000000), 128), Integer(-random.below(spread)));
      // Wide enclosures, some of which reach 0.
      if (random.below(5) == 0) x = x * hull(Ball(random.below(8) == 0 ? 0 : 1, 128), Ball(2, 128));
      gaps.push_back(x);
    }
    const RowGaps slow = count_gaps(gaps, 128), fast = count_gaps(gaps, 128, gap_logarithms(n));
    REQUIRE(slow.lambda.has_value() == fast.lambda.has_value());
    if (!slow.lambda) continue;
    CHECK(arb_equal(slow.lambda->raw(), fast.lambda->raw()) != 0);
    CHECK(arb_equal(slow.contact->raw(), fast.contact->raw()) != 0);
  }
}

TEST_CASE("the bounds of theory 5 hold on both sides of Lambda") {
  std::size_t above = 0, below = 0;
  for (const NamedTokens& named : hard_token_sets(9, 3, 4)) {
    const TokenModel model(named.tokens);
    const std::vector<RowGaps> rows = model.gap_counting(20);
    for (const Rational& gamma : {Rational(1, 10), Rational(1), Rational(5), Rational(60), Rational(4000)}) {
      INFO(named.name << " gamma " << to_string(gamma));
      const TokenValues v = model.evaluate(gamma_scale(gamma), 0, everything(20));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const GapBounds b = gap_bounds(rows[i], v.beta);
        if (b.largest_weight_min) {
          // Of rows without ties the largest weight is the token's own.
          ++above;
          CHECK(certainly(greater_equal(v.self_weight[i], *b.largest_weight_min)));
          CHECK(certainly(less_equal(v.entropy[i], *b.entropy_max)));
          CHECK(certainly(less_equal(exp(v.log_partition[i] - v.beta), *b.partition_max)));
        }
        if (b.weight_gap_max) {
          ++below;
          Ball second(0, 64);
          TokenOptions pair = everything(20);
          for (std::size_t j = 0; j < rows.size(); ++j)
            if (j != i) {
              pair.pairs = {{i, j}};
              pair.quantities.clear();
              const Ball G = model.evaluate(gamma_scale(gamma), 0, pair).pairs[0].input;
              second = max(std::move(second), exp(v.beta * G - v.log_partition[i]));
            }
          CHECK(possibly(less_equal(v.self_weight[i] - second, *b.weight_gap_max)));
        }
      }
    }
  }
  CHECK(above > 50);
  CHECK(below > 50);
}
