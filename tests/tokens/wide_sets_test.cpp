// Sets whose entries span hundreds of decades: gap counting against its definition, its bounds against the
// weights of the same run, and few digits against many.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "critscale/text/certify.hpp"
#include "critscale/text/print.hpp"
#include "critscale/tokens/files.hpp"
#include "tokens/token_sets.hpp"

namespace {

using namespace token_test;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  double unit() { return static_cast<double>(static_cast<std::int64_t>(engine_())) * 0x1p-63; }
  /// Of either sign, its size spread evenly over the decades from -span to span.
  double wide(int span) {
    const int decades = 2 * span + 1;
    const double x = std::pow(10.0, static_cast<double>(below(static_cast<std::size_t>(decades))) - span);
    return (1 + std::fabs(unit())) * (below(2) == 0 ? x : -x);
  }

 private:
  std::mt19937_64 engine_;
};

/// A random set of one of the kinds that are hard: entries far apart, rows far apart, nearly equal or nearly
/// orthogonal directions, differences in the last bits.
TokenSet wide_set(Random& random) {
  const std::size_t n = 2 + random.below(7), d = 1 + random.below(5), kind = random.below(7);
  const int span = random.below(3) == 0 ? 20 : 300;
  std::vector<double> x(n * d), base(d);
  for (double& b : base) b = 1 + random.unit() / 2;
  for (std::size_t i = 0; i < n; ++i) {
    const double row = random.wide(span);
    for (std::size_t k = 0; k < d; ++k) {
      double& e = x[i * d + k];
      switch (kind) {
        case 0:
          e = random.wide(span);
          break;
        case 1:
          e = random.unit() * row;
          break;
        case 2:
          e = base[k] + (random.below(2) == 0 ? 0.0 : 1e-200 * random.wide(100));
          break;
        case 3:
          e = i % d == k ? 1.0 : random.wide(std::max(span - 200, 10)) * 1e-190;
          break;
        case 4:
          e = std::nextafter(base[k], random.below(3) == 0 ? 2.0 : base[k]);
          break;
        case 5:
          e = random.below(2) == 0 ? 0.0 : random.wide(span);
          break;
        default:
          e = k == 0 ? 1.0 : 1e-160 * random.wide(140);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    bool zero = true;
    for (std::size_t k = 0; k < d; ++k) zero = zero && x[i * d + k] == 0;
    if (zero) x[i * d] = 1;
  }
  return TokenSet(n, d, std::move(x));
}

Rational power_of_ten(std::size_t k) { return Rational(pow(Integer(10), static_cast<unsigned>(k))); }

constexpr Bits deep = 12000;

/// Distances 1 - cos of row i, straight from the exact inner products; empty where one of them is 0.
std::vector<Ball> distances_by_definition(const TokenSet& tokens, std::size_t i) {
  std::vector<Ball> r;
  const Ball own = tokens.inner_product(i, i, deep);
  for (std::size_t j = 0; j < tokens.n(); ++j) {
    if (j == i) continue;
    const Ball cosine = tokens.inner_product(i, j, deep) / sqrt(own * tokens.inner_product(j, j, deep));
    r.push_back(1L - cosine);
    if (r.back().contains_zero()) return {};
  }
  return r;
}

/// max over m of ln(m + 1)/D_(m), for distances that are far more precise than they are close to each other.
Ball lambda_by_definition(std::vector<Ball> distances) {
  std::sort(distances.begin(), distances.end(),
            [](const Ball& a, const Ball& b) { return a.midpoint() < b.midpoint(); });
  Ball best(0, 200);
  for (std::size_t m = 0; m < distances.size(); ++m)
    best = max(std::move(best), log(Ball(m + 2, 200)) / distances[m].at(200));
  return best;
}

void check_gaps(const TokenModel& model, const std::vector<RowGaps>& rows, long digits) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<Ball> distances = distances_by_definition(model.tokens(), i);
    INFO("row " << i);
    REQUIRE(rows[i].lambda.has_value() == !distances.empty());
    if (distances.empty()) continue;
    const Ball lambda = lambda_by_definition(distances);
    INFO(print(*rows[i].lambda, 20).lo << " .. " << print(*rows[i].lambda, 20).hi << " against "
                                       << print(lambda, 20).lo);
    CHECK(overlaps(*rows[i].lambda, lambda));
    CHECK(has_digits(*rows[i].lambda, digits));
  }
}

/// The bounds of [gap-counting] against the weights of the same run.
void check_bounds(const std::vector<RowGaps>& rows, const TokenValues& v) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const GapBounds b = gap_bounds(rows[i], v.beta);
    INFO("row " << i << ", ratio " << print(b.ratio, 10).lo);
    if (b.largest_weight_min) {
      CHECK(possibly(greater_equal(v.self_weight[i], *b.largest_weight_min)));
      CHECK(possibly(less_equal(v.entropy[i], *b.entropy_max)));
      CHECK(possibly(less_equal(exp(v.log_partition[i] - v.beta), *b.partition_max)));
    }
    // Without a second key of the same direction the largest weight is the token's own.
    if (b.weight_gap_max && rows[i].lambda)
      CHECK(possibly(less_equal(v.self_weight[i] - (1L - v.self_weight[i]), *b.weight_gap_max)));
  }
}

void check_values(const TokenValues& rough, const TokenValues& fine) {
  const auto a = flat(rough), b = flat(fine);
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    INFO(a[k].first << ": " << print(a[k].second, 20).lo << " .. " << print(a[k].second, 20).hi << " against "
                    << print(b[k].second, 20).lo << " .. " << print(b[k].second, 20).hi);
    CHECK(overlaps(a[k].second, b[k].second));
  }
}

/// Throws what evaluation may: a token whose output is zero.
void check_layer(const TokenModel& model, const std::vector<RowGaps>& rows, Random& random, long digits) {
  const Rational alpha = random.below(2) == 0 ? Rational(0) : power_of_ten(random.below(12));
  const Rational size = power_of_ten(random.below(13));
  const Rational beta = random.below(3) == 0 ? Rational(1 / size) : size;
  const LogitScale scale =
      random.below(2) == 0 ? beta_scale(beta) : gamma_scale(Rational(1 + random.below(20), 4));
  INFO("alpha " << to_string(alpha) << ", beta or gamma " << to_string(beta));
  TokenValues rough;
  try {
    rough = model.evaluate(scale, alpha, everything(digits));
  } catch (const UndefinedError&) {
    return;
  } catch (const LimitError&) {
    return;
  }
  check_bounds(rows, rough);
  check_values(rough, model.evaluate(scale, alpha, everything(digits + 25)));
}

void check_sets(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  constexpr long digits[] = {2, 8, 9, 10, 15, 30};
  for (std::size_t set = 0; set < count; ++set) {
    const TokenModel model(wide_set(random));
    const long asked = digits[random.below(6)];
    INFO("set " << set << ", " << asked << " digits, " << describe(model.tokens()));
    const std::vector<RowGaps> rows = model.gap_counting(asked);
    check_gaps(model, rows, asked);
    check_layer(model, rows, random, asked);
  }
}

TokenModel reported(const std::string& name) {
  return TokenModel(read_tokens(fmt::format("{}/tests/reference/reports/{}", CRITSCALE_SOURCE_DIR, name)));
}

bool begins(const Ball& x, const char* lo, const char* hi, int exponent) {
  const Ball scale = pow(Ball(10, 200), Integer(exponent));
  return certainly(greater(x, Ball(Rational(lo), 200) * scale)) &&
         certainly(less(x, Ball(Rational(hi), 200) * scale));
}

}  // namespace

TEST_CASE("gaps below the range of doubles decide Lambda") {
  for (const long digits : {8L, 30L}) {
    for (const char* name : {"lambda_ortho.npy", "lambda_min3.npy"}) {
      INFO(name << " " << digits);
      const TokenModel model = reported(name);
      const std::vector<RowGaps> rows = model.gap_counting(digits);
      check_gaps(model, rows, digits);
      CHECK(begins(*rows[0].lambda, "138629/100000", "138630/100000", 600));
      const TokenValues v = model.evaluate(gamma_scale(5), 0, everything(digits));
      CHECK_FALSE(gap_bounds(rows[0], v.beta).largest_weight_min);
      check_bounds(rows, v);
    }
    const TokenModel model = reported("tok_bad_5_354.npy");
    const std::vector<RowGaps> rows = model.gap_counting(digits == 8 ? 9 : 30);
    check_gaps(model, rows, 9);
    CHECK(begins(*rows[10].lambda, "54105/10000", "54115/10000", 314));
  }
}

TEST_CASE("outputs that are nearly orthogonal keep the digits of their inner product") {
  const TokenModel model = reported("tok_bad_2_1180.npy");
  for (const long digits : {2L, 20L}) {
    const TokenValues v = model.evaluate(beta_scale(power_of_ten(12)), power_of_ten(10), everything(digits));
    INFO(print(v.inner_products->max, 20).lo << " .. " << print(v.inner_products->max, 20).hi);
    CHECK(has_digits(v.inner_products->max, digits));
    CHECK(begins(v.inner_products->max, "426/100", "428/100", -151));
  }
}

TEST_CASE("inner products are summed exactly") {
  const TokenSet tokens(3, 3, std::vector<double>{1, 1e300, -1e-300, 1e-300, -1e-300, 0, 1e300, 1, 1e300});
  CHECK(tokens.inner_product(0, 1, 53).lower() < Dyadic());
  const TokenSet orthogonal(2, 3, std::vector<double>{0x1p600, 0x1p-700, 3, -0x1p-600, 0x1p700, 0});
  CHECK(certainly(orthogonal.inner_product(0, 1, 53).is_zero()));
  CHECK(certainly(TokenModel(orthogonal).geometry(30).rho_min.is_zero()));
}

TEST_CASE("sets that span hundreds of decades") { check_sets(120, 1); }

TEST_CASE("nine thousand sets that span hundreds of decades", "[.long]") { check_sets(9000, 2); }
