// Where digits die by cancellation: 60 digits asked must be the first 60 of a run with 4000, at the
// precision that digits and log beta alone explain.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>

#include "critscale/text/print.hpp"
#include "model/random_inputs.hpp"

using namespace model_test;

namespace {

/// A printed decimal as mantissa 10^exponent.
struct Decimal {
  Integer mantissa, exponent;
};

Decimal decimal(const std::string& text) {
  const std::size_t e = text.find('e'), dot = text.find('.');
  std::string digits = text.substr(0, e);
  Decimal r{0, e == std::string::npos ? Integer(0) : Integer(text.substr(e + (text[e + 1] == '+' ? 2 : 1)))};
  if (dot != std::string::npos) {
    r.exponent -= digits.size() - dot - 1;
    digits.erase(dot, 1);
  }
  const std::size_t first = digits.find_first_not_of('0');
  r.mantissa = first == std::string::npos ? Integer(0) : Integer(digits.substr(first));
  return r;
}

Integer power_of_ten(const Integer& e) {
  return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(e));
}

/// Brings a decimal that is not zero to `digits` digits, by adding zeros (an exact value is printed
/// without them).
Decimal padded(Decimal d, long digits) {
  const long missing = digits - static_cast<long>(d.mantissa.str().size());
  if (missing > 0) {
    d.mantissa *= power_of_ten(missing);
    d.exponent -= missing;
  }
  return d;
}

/// |few - many| is at most one unit of the last of `digits` digits of `few`, exactly.
bool agree(const std::string& few, const std::string& many, long digits) {
  const Decimal a = padded(decimal(few), digits), b = decimal(many);
  if (a.mantissa == 0 || b.mantissa == 0) return a.mantissa == b.mantissa;
  const Integer low = a.exponent < b.exponent ? a.exponent : b.exponent;
  if (a.exponent - low > 10000 || b.exponent - low > 10000) return false;
  const Integer unit = power_of_ten(Integer(a.exponent - low));
  return abs(Integer(a.mantissa * unit - b.mantissa * power_of_ten(Integer(b.exponent - low)))) <= unit;
}

constexpr long few = 60, many = 4000;

/// The precision that digits and log beta explain.
Bits expected_precision(const Configuration& c, long digits) {
  return bits_for_digits(digits) + 24 + log2_of_beta(c);
}

void check_digits(const Configuration& c) {
  INFO(describe(c));
  const NamedValues<Ball> a = named(certified(c, all_quantities(), few)),
                          b = named(certified(c, all_quantities(), many));
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const PrintedValue p = print(a[i].value, few), q = print(b[i].value, many);
    INFO(a[i].name << ": " << p.value.value_or("?") << "\n" << q.value.value_or("?").substr(0, 100));
    REQUIRE(p.value);
    REQUIRE(q.value);
    CHECK(p.digits == few);
    CHECK(q.digits == many);
    CHECK(agree(*p.value, *q.value, few));
    CHECK(overlaps(a[i].value, b[i].value));
    CHECK(a[i].value.precision() <= expected_precision(c, few));
    CHECK(b[i].value.precision() <= expected_precision(c, many));
  }
}

const PowerProduct astronomical = ten_to(Rational(1000000000000000));

}  // namespace

TEST_CASE("the comparison of decimals") {
  CHECK(agree("1.00e+3", "1000.4", 3));
  CHECK(agree("1.00e+3", "1009", 3));
  CHECK_FALSE(agree("1.00e+3", "1011", 3));
  CHECK(agree("0.5", "0.500", 3));
  CHECK_FALSE(agree("0.5", "0.502", 3));
  CHECK_FALSE(agree("5.00e-10", "5.00e-11", 3));
  CHECK(agree("0.0125", "1.24e-2", 3));
  CHECK_FALSE(agree("0", "1e-100", 3));
}

TEST_CASE("digits of a simplex near rho = 1, at alpha = 0, and at thresholds") {
  const Rational tiny = tenth_to(50);
  for (const PowerProduct& n : {PowerProduct(2), PowerProduct(3), ten_to(6), ten_to(100), astronomical}) {
    for (const Rational& rho : {Rational(1 - tiny), tiny, Rational(1, 3), Rational(0), Rational(1)}) {
      const Rational threshold = rho == 1 ? Rational(1) : Rational(1 / (1 - rho));
      for (const Rational& gamma : {Rational(threshold / 2), threshold, Rational(threshold + tenth_to(1000)),
                                    Rational(3 * threshold)})
        check_digits(simplex(n, rho, gamma));
    }
    check_digits(with_layer(simplex(n, 1 - tiny, 1), tenth_to(30), Rational(3, 7)));
    check_digits(with_layer(simplex(n, Rational(1, 3), tenth_to(60)), 0, Rational(3, 7)));
  }
}

TEST_CASE("digits of bands with ties, close neighbours and tight sizes") {
  using Profile = std::vector<std::pair<Rational, PowerProduct>>;
  const auto profiles = [](const PowerProduct& base) {
    const PowerProduct twice = base * PowerProduct(2), square = base * base;
    const Rational near = Rational(1, 2) - tenth_to(40);
    return std::vector<Profile>{
        {{1, base}, {Rational(1, 4), square}},
        {{1 - tenth_to(50), base}, {Rational(1, 4), square}},
        {{Rational(1, 2), base}, {near, twice}},
        {{Rational(1, 2), base}, {near, twice}, {near - tenth_to(40), twice * base}},
        {{1, base}, {1, twice}, {tenth_to(50), twice * base}},
        {{Rational(4, 5), base}, {Rational(1, 5), square}, {0, square * base}},
    };
  };
  for (const PowerProduct& base :
       {PowerProduct(2), PowerProduct(3), ten_to(50), ten_to(Rational(100000000000000))})
    for (const Profile& profile : profiles(base)) {
      // The near band against the far one, and the token against the near band, at theta = 1/2.
      for (const Rational& gamma :
           {Rational(1, 7), Rational(2, 3), Rational(4, 3), Rational(5, 2), Rational(30)})
        check_digits(
            with_layer(banded(profile, gamma), gamma == 30 ? Rational(0) : Rational(1, 3) * (gamma < 1), 2));
    }
}

TEST_CASE("gamma exactly at the threshold splits the mass exactly") {
  // [simplex-finite]: a = n/(2n - 1) at gamma = 1/(1 - rho).
  for (const PowerProduct& n : {PowerProduct(2), PowerProduct(10), ten_to(24), ten_to(400), astronomical}) {
    const Configuration c = simplex(n, Rational(1, 3), Rational(3, 2));
    INFO(describe(c));
    const Ball a = find(ball_values(c, 300), "self_weight"), N = value(n, 600);
    CHECK(overlaps(a, N / (2 * N - 1)));
    CHECK(a.accurate_bits() >= 290);
  }
  CHECK(find(ball_values(simplex(PowerProduct(10), Rational(1, 3), Rational(3, 2)), 300), "self_weight")
            .contains(Rational(10, 19)));
}

TEST_CASE("an offset of 10^-1000 from the threshold moves the mass as it should") {
  // At gamma = 1/delta + e the odds are w = (1 - 1/n) n^(-e delta), here with n^|e| = 10^10 or, at
  // moderate n, 1 + 10^-1000 ln n + ...
  const Rational e = tenth_to(1000), delta(2, 3);
  const PowerProduct huge = ten_to(Rational(boost::multiprecision::pow(Integer(10), 1001U)));
  for (const PowerProduct& n : {PowerProduct(100), astronomical, huge})
    for (const int sign : {-1, 1}) {
      const Configuration c = simplex(n, 1 - delta, 1 / delta + sign * e);
      INFO(describe(c));
      const Ball a = find(named(certified(c, all_quantities(), 60)), "self_weight");
      const Bits bits = 8000;
      const Ball w = (1 - 1 / value(n, bits)) * exp(-sign * Ball(Rational(e * delta), bits) * log(n, bits));
      CHECK(overlaps(a, 1 / (1 + w)));
      CHECK(has_digits(a, 60));
      const Ball at_threshold = find(ball_values(simplex(n, 1 - delta, 1 / delta), 8000), "self_weight");
      const Ball precise = find(ball_values(c, 8000), "self_weight");
      // The side is decided wherever the precision shows the offset.
      CHECK(certainly(sign > 0 ? greater(precise, at_threshold) : less(precise, at_threshold)));
    }
  const auto self_weight = [&](int sign) {
    return *print(find(named(certified(simplex(huge, 1 - delta, 1 / delta + sign * e), all_quantities(), 20)),
                       "self_weight"),
                  20)
                .value;
  };
  // 1/(1 + 10^(-+20/3)).
  CHECK(self_weight(1) == "0.99999978455657741269");
  CHECK(self_weight(-1) == "2.1544342258731003605e-7");
}

TEST_CASE("the working precision depends on digits and log beta only") {
  RandomInputs random(11);
  for (int i = 0; i < 400; ++i) {
    const Configuration c = random.below(2) == 0 ? random.simplex() : random.bands();
    const long digits = random.one_of<long>({1, 20, 50, 300});
    INFO(describe(c) << ", " << digits << " digits");
    for (const auto& [name, value] : named(certified(c, all_quantities(), digits))) {
      INFO(name << ": " << describe(value));
      CHECK(value.precision() <= std::max<Bits>(64, expected_precision(c, digits)));
    }
  }
}

TEST_CASE("what is printed of a quantity does not depend on the others asked for") {
  RandomInputs random(12);
  for (int i = 0; i < 200; ++i) {
    const Configuration c = random.below(2) == 0 ? random.simplex() : random.bands();
    const long digits = random.one_of<long>({1, 3, 10, 40});
    INFO(describe(c) << ", " << digits << " digits");
    const Evaluation all = certified(c, all_quantities(), digits);
    for (const QuantityValues& together : all.quantities) {
      const Evaluation alone = certified(c, std::array{together.quantity}, digits);
      REQUIRE(alone.quantities.size() == 1);
      REQUIRE(alone.quantities[0].values.size() == together.values.size());
      for (std::size_t k = 0; k < together.values.size(); ++k)
        CHECK(print(alone.quantities[0].values[k], digits).value == print(together.values[k], digits).value);
    }
  }
}
